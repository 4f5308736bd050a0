import { Button, PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { sentenceOf, signIn, type Settings } from '../api.ts'
import { useWords } from '../words/words.tsx'

export function SignIn({ settings }: { settings: Settings }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const [search, setSearch] = useSearchParams()
  const outcome = search.get('sign_in')
  const [key, setKey] = useState('')
  const [problem, setProblem] = useState(
    outcome === 'failed' || outcome === 'refused' ? t(`sign_in_${outcome}`) : undefined,
  )
  const [busy, setBusy] = useState(false)
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault()
    setBusy(true)
    try {
      await signIn(key.trim())
      setSearch({}, { replace: true })
      await queries.refetchQueries({ queryKey: ['me'] }) // The page at this address is shown then.
    } catch (error) {
      setProblem(sentenceOf(error))
      setBusy(false)
    }
  }
  return (
    <main className="sign-in">
      <h1>{t('title')}</h1>
      {problem !== undefined && (
        <p className="refused" role="alert">
          {problem}
        </p>
      )}
      {settings.identity_provider && (
        <Button component="a" href="/console/sign-in" fullWidth>
          {t('sign_in_provider')}
        </Button>
      )}
      {settings.identity_provider && settings.key_sign_in && <p className="dim">{t('sign_in_or')}</p>}
      {settings.key_sign_in && (
        <form onSubmit={(event) => void send(event)} className="dialog">
          <PasswordInput
            label={t('sign_in_key')}
            description={t('sign_in_key_hint')}
            value={key}
            onChange={({ currentTarget }) => setKey(currentTarget.value)}
            autoComplete="off"
            required
            autoFocus
          />
          <Button type="submit" loading={busy} variant={settings.identity_provider ? 'default' : 'filled'} fullWidth>
            {t('sign_in')}
          </Button>
        </form>
      )}
    </main>
  )
}
