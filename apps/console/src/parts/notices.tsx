/** What happened after its page was left, shown on every page until it is closed. */
import { useSyncExternalStore } from 'react'
import { Link } from 'wouter'
import { useWords } from '../words/words.tsx'

interface Notice {
  readonly text: string
  readonly path: string
}

let notices: readonly Notice[] = []
const listeners = new Set<() => void>()

function show(next: readonly Notice[]): void {
  notices = next
  for (const notify of listeners) notify()
}

export const notify = (text: string, path: string): void => show([...notices, { text, path }])

export function Notices() {
  const { t } = useWords()
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    () => notices,
  )
  const close = (notice: Notice): void => show(notices.filter((one) => one !== notice))
  return shown.map((notice) => (
    <div key={notice.text} className="banner" role="alert">
      <Link href={notice.path} onClick={() => close(notice)}>
        {notice.text}
      </Link>
      <button type="button" className="modal-close" aria-label={t('close')} onClick={() => close(notice)}>
        ×
      </button>
    </div>
  ))
}
