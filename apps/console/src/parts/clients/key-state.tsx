import { useWords } from '../../words/words.tsx'

/** Whether a key works, and until when. */
export function KeyState({ revoked_at, expires_at }: { revoked_at: string | null; expires_at: string | null }) {
  const { t, day } = useWords()
  if (revoked_at !== null) return <span className="dim">{t('key_revoked', { when: day(revoked_at) })}</span>
  if (expires_at === null) return t('key_active')
  const isOver = Date.parse(`${expires_at.replace(' ', 'T')}Z`) < Date.now()
  return t(isOver ? 'key_expired' : 'key_expires', { when: day(expires_at) })
}
