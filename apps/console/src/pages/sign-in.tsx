import { Button, PasswordInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState, type FormEvent } from 'react'
import { useSearchParams } from 'wouter'
import { codeOf, signIn, type Settings } from '../api.ts'
import { Modal } from '../parts/modal.tsx'
import { useWords } from '../words/words.tsx'

export function SignIn({ settings }: { settings: Settings }) {
  const { t } = useWords()
  return (
    <main className="sign-in">
      <h1>{t('title')}</h1>
      <SignInForm settings={settings} />
    </main>
  )
}

/** Over the page whose session has ended, so that nothing typed is lost. */
export function SignInAgain({ settings }: { settings: Settings }) {
  const { t } = useWords()
  const queries = useQueryClient()
  useEffect(() => {
    const look = (): void => void queries.refetchQueries({ queryKey: ['me'] }) // Signed in, in another tab.
    addEventListener('focus', look)
    return () => removeEventListener('focus', look)
  }, [queries])
  return (
    <Modal title={t('sign_in_again')}>
      <p>{t('sign_in_kept')}</p>
      <SignInForm settings={settings} provider={{ target: '_blank' }} />
    </Modal>
  )
}

function SignInForm({ settings, provider = {} }: { settings: Settings; provider?: { target?: string } }) {
  const { t, problem: sentenceOf } = useWords()
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
      setSearch(withoutOutcome, { replace: true })
      await queries.refetchQueries({ queryKey: ['me'] }) // The page at this address is shown then.
    } catch (error) {
      setProblem(codeOf(error) === 'unauthorized' ? t('sign_in_wrong') : sentenceOf(error))
      setBusy(false)
    }
  }
  return (
    <>
      {problem !== undefined && (
        <p className="refused" role="alert">
          {problem}
        </p>
      )}
      {settings.identity_provider && (
        <Button component="a" href="/console/sign-in" {...provider} fullWidth>
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
            data-autofocus
          />
          <Button type="submit" loading={busy} variant={settings.identity_provider ? 'default' : 'filled'} fullWidth>
            {t('sign_in')}
          </Button>
        </form>
      )}
    </>
  )
}

/** The rest of the address is the page's. */
function withoutOutcome(search: URLSearchParams): URLSearchParams {
  const rest = new URLSearchParams(search)
  rest.delete('sign_in')
  return rest
}
