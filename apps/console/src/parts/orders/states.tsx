/** What a page shows instead of its content: loading, an error, nothing. */
import { Button, Loader } from '@mantine/core'
import { useLoading } from '../../keyboard.ts'
import { useWords } from '../../words/words.tsx'

export function Loading() {
  const { t } = useWords()
  useLoading()
  return (
    <div className="state" role="status">
      <Loader size="sm" aria-hidden />
      <span>{t('loading')}</span>
    </div>
  )
}

/** `isPage`: there is nothing else on the page, so this is its heading. */
export function Failed({ error, isPage = false, onRetry }: { error: unknown; isPage?: boolean; onRetry: () => void }) {
  const { t, problem } = useWords()
  return (
    <div className="state" role="alert">
      {isPage ? <h1>{t('failed')}</h1> : <strong>{t('failed')}</strong>}
      <span>{problem(error)}</span>
      <Button variant="default" onClick={onRetry}>
        {t('retry')}
      </Button>
    </div>
  )
}

export function Nothing({ title, hint }: { title: string; hint?: string }) {
  return (
    <div className="state">
      <strong>{title}</strong>
      {hint !== undefined && <span className="dim">{hint}</span>}
    </div>
  )
}
