/** A number that is edited where it stands, with the change in percent. Enter saves it, Escape restores it. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { codeOf } from '../api.ts'
import { useWords } from '../words/words.tsx'

export function InPlace({
  label,
  value,
  step,
  onSave,
}: {
  label: string
  value: number | undefined
  step: string
  /** `expected` is the value that was shown, if there was one; `confirmed` says that a far change is meant. */
  onSave: (value: number, shown: { expected?: number; confirmed?: true }) => Promise<unknown>
}) {
  const { t, percent, problem } = useWords()
  const stored = value === undefined ? '' : String(value)
  const [typed, setTyped] = useState<string | null>(null)
  const [isAsked, setAsked] = useState(false)
  const [seen, setSeen] = useState(value) // When the typing began: another value may have arrived since.
  const [refused, setRefused] = useState<string | null>(null)
  const [isBusy, setBusy] = useState(false)
  const [isSaved, setSaved] = useState(false)
  const shown = typed ?? stored
  const isChanged = shown !== '' && Number(shown) !== value
  const change = (text: string | null): void => {
    if (typed === null) setSeen(value)
    setTyped(text)
    setAsked(false)
    setRefused(null)
    setSaved(false)
  }
  const save = async (): Promise<void> => {
    if (!isChanged || isBusy) return
    setBusy(true)
    try {
      await onSave(Number(shown), {
        ...(seen === undefined ? {} : { expected: seen }),
        ...(isAsked ? { confirmed: true } : {}),
      })
      change(null)
      setSaved(true)
    } catch (error) {
      if (codeOf(error) === 'confirmation_required') setAsked(true)
      setRefused(problem(error))
    }
    setBusy(false)
  }
  return (
    <form
      className="in-place"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <input
        type="number"
        min="0"
        step={step}
        aria-label={label}
        value={shown}
        onChange={({ currentTarget }) => change(currentTarget.value)}
        onKeyDown={({ key }) => key === 'Escape' && change(null)}
      />
      {isChanged && value !== undefined && value !== 0 && (
        <span className="num">{percent((Number(shown) - value) / value)}</span>
      )}
      {isChanged && (
        <Button
          type="submit"
          size="compact-sm"
          loading={isBusy}
          aria-label={t(isAsked ? 'confirm_of' : 'save_of', { name: label })}
        >
          {t(isAsked ? 'confirm' : 'save')}
        </Button>
      )}
      <span role="status">{isSaved && <span className="outcome">{t('saved')}</span>}</span>
      {refused !== null && (
        <span className="refused" role="alert">
          {refused}
        </span>
      )}
    </form>
  )
}
