/** The application: providers, the check of who is signed in, and the pages. */
import { MantineProvider } from '@mantine/core'
import { MutationCache, QueryCache, QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { Link, Route, Router, Switch } from 'wouter'
import { api, isSignedOut, type Settings } from './api.ts'
import { takeTypedAhead } from './keyboard.ts'
import { goLive } from './live.ts'
import { MeContext, useMe, type Me } from './me.ts'
import { Failed, Loading } from './parts/orders/states.tsx'
import { Shell } from './parts/shell.tsx'
import { SignIn, SignInAgain } from './pages/sign-in.tsx'
import { routes } from './routes.tsx'
import { theme } from './theme.ts'
import { useWords, WordsProvider } from './words/words.tsx'

const onError = (error: unknown): void => {
  if (isSignedOut(error)) queries.setQueryData(['me'], null)
}

export const queries = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: { queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: false } }, // The client retries.
})

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? ''

export function App({ settings }: { settings: Settings }) {
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => nonce}>
      <QueryClientProvider client={queries}>
        <WordsProvider settings={settings}>
          <Router base="/console">
            <Signed settings={settings} />
          </Router>
        </WordsProvider>
      </QueryClientProvider>
    </MantineProvider>
  )
}

function Signed({ settings }: { settings: Settings }) {
  const me = useQuery(meQuery)
  const [known, setKnown] = useState<Me | null>(null) // When the session ends, the page stays.
  if (me.data != null && me.data !== known) {
    if (known !== null && known.operator_name !== me.data.operator_name) location.reload()
    setKnown(me.data)
  }
  const hasPalette = me.isPending || (me.isSuccess && me.data !== null)
  useEffect(() => void (hasPalette || takeTypedAhead()), [hasPalette])
  if (me.isPending) return <Loading />
  if (me.isLoadingError) return <Failed isPage error={me.error} onRetry={() => void me.refetch()} />
  if (known === null) return <SignIn settings={settings} />
  return (
    <MeContext value={known}>
      <Pages />
      {me.data === null && <SignInAgain settings={settings} />}
    </MeContext>
  )
}

export const meQuery = { queryKey: ['me'], queryFn: readMe, staleTime: Infinity }

async function readMe(): Promise<Me | null> {
  try {
    return await api.readMe()
  } catch (error) {
    if (isSignedOut(error)) return null
    throw error
  }
}

function Pages() {
  const { t } = useWords()
  const { session_id } = useMe()
  useEffect(() => {
    void queries.invalidateQueries({ predicate: ({ state }) => state.status === 'error' })
    return goLive({ onSignedOut: () => queries.setQueryData(['me'], null), onBack: () => queries.invalidateQueries() })
  }, [session_id])
  return (
    <Shell>
      <Switch>
        {routes.map(({ path, page: { Page } }) => (
          <Route key={path} path={path}>
            <Page />
          </Route>
        ))}
        <Route>
          <div className="state">
            <h1>{t('not_found')}</h1>
            <Link href="/">{t('today')}</Link>
          </div>
        </Route>
      </Switch>
    </Shell>
  )
}
