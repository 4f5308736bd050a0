/**
 * Pages that are loaded when they are first shown. React's own `lazy` shows them 300 ms after it has shown that they are
 * loading, however fast they arrive.
 */
import { useEffect, useState, type ComponentType } from 'react'
import { Failed, Loading } from './orders/states.tsx'

export interface OnDemand {
  readonly Page: ComponentType
  /** Loads it before it is shown. */
  readonly load: () => Promise<unknown>
}

export function onDemand(importPage: () => Promise<{ readonly default: ComponentType }>): OnDemand {
  let Loaded: ComponentType | undefined
  const load = async (): Promise<void> => {
    Loaded ??= (await importPage()).default
  }
  function Page() {
    const [attempt, setAttempt] = useState(0)
    const [outcome, setOutcome] = useState<{ error?: unknown } | null>(null)
    useEffect(() => {
      let isCurrent = true
      if (Loaded === undefined)
        load().then(
          () => isCurrent && setOutcome({}),
          (error: unknown) => isCurrent && setOutcome({ error }),
        )
      return () => {
        isCurrent = false
      }
    }, [attempt])
    if (Loaded !== undefined) return <Loaded />
    if (outcome === null) return <Loading />
    const retry = (): void => {
      setOutcome(null)
      setAttempt(attempt + 1)
    }
    return <Failed isPage error={outcome.error} onRetry={retry} />
  }
  return { Page, load }
}
