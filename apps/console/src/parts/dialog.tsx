/** A dialog for one action: its effect first, then its fields, and the service's own sentence if it is refused. */
import { Button } from '@mantine/core'
import { useState, type FormEvent, type ReactNode } from 'react'
import { useWords } from '../words/words.tsx'
import { Modal } from './modal.tsx'

export function ActionDialog({
  title,
  effect,
  submit,
  danger = false,
  ready = true,
  children,
  onSubmit,
  onClose,
}: {
  title: string
  effect?: ReactNode
  submit: string
  danger?: boolean
  ready?: boolean
  children?: ReactNode
  onSubmit: () => Promise<unknown>
  onClose: () => void
}) {
  const { t, problem } = useWords()
  const [busy, setBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    if (busy || !ready) return
    setBusy(true)
    try {
      await onSubmit()
      onClose()
    } catch (error) {
      setRefused(error)
      setBusy(false)
    }
  }
  return (
    <Modal onClose={onClose} title={title}>
      <form onSubmit={(event) => void send(event)} className="dialog">
        {effect !== undefined && (
          <p className="effect">
            <strong>{t('effect')}</strong> {effect}
          </p>
        )}
        {children}
        {refused !== null && (
          <p className="refused" role="alert">
            {problem(refused)}
          </p>
        )}
        <div className="dialog-buttons">
          <Button variant="default" onClick={onClose}>
            {t('cancel')}
          </Button>
          <Button
            type="submit"
            color={danger ? 'red.9' : undefined}
            loading={busy}
            disabled={!ready}
            data-autofocus={children === undefined || undefined}
          >
            {submit}
          </Button>
        </div>
      </form>
    </Modal>
  )
}
