/**
 * A modal dialog: the browser's own, which keeps the focus inside, makes the rest inert and closes on Escape. Mantine's
 * would add 31 KB to the first page.
 */
import { useId, useLayoutEffect, useRef, type ReactNode } from 'react'
import { useWords } from '../words/words.tsx'

/** Without `onClose` it stays until its parent takes it away. */
export function Modal({ title, children, onClose }: { title: string; children: ReactNode; onClose?: () => void }) {
  const { t } = useWords()
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before the next key, which belongs to the dialog: other effects run some milliseconds later.
  useLayoutEffect(() => {
    const { current } = dialog
    if (current === null || current.open) return
    current.showModal()
    current.querySelector<HTMLElement>('[data-autofocus]')?.focus()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="modal"
      aria-labelledby={id}
      onClose={onClose ?? (() => dialog.current?.showModal())}
      onClick={({ target, currentTarget }) => target === currentTarget && onClose?.()}
    >
      <div className="modal-body">
        <div className="modal-head">
          <h2 id={id}>{title}</h2>
          {onClose !== undefined && (
            <button type="button" className="modal-close" aria-label={t('close')} onClick={onClose}>
              ×
            </button>
          )}
        </div>
        {children}
      </div>
    </dialog>
  )
}
