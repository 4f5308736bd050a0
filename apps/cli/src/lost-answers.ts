/** Failures after which nobody knows whether the service has acted. */
import {
  ConnectionError,
  RefusedError,
  UnexpectedAnswerError,
  type ClientOptions,
} from '@parts-ordering/client/operator'
import { Problem } from './problem.ts'

type Fetch = NonNullable<ClientOptions['fetch']>

interface Watched extends Required<Pick<ClientOptions, 'fetch' | 'onRetry'>> {
  /** Whether the last request was to change something and, although it failed with this error, may have done so. */
  readonly mayBeDone: (error: unknown) => boolean
}

/** The commands send one request after another, so only the last one is remembered, with its repetitions. */
export function watch(fetch: Fetch): Watched {
  let isChange = false
  let isRepetition = false
  let wasLost = false // An earlier attempt may have been carried out.
  return {
    fetch: (target, init) => {
      if (!isRepetition) wasLost = false
      isRepetition = false
      isChange = changesSomething(target, init)
      return fetch(target, init)
    },
    onRetry: ({ error }) => {
      isRepetition = true
      wasLost ||= isLost(error)
    },
    mayBeDone: (error) => isChange && (isLost(error) || (wasLost && isTransient(error))),
  }
}

/** Inside a JSON string or a query, a quote or an ampersand is escaped, so the pattern finds only the field itself. */
const changesSomething = (target: string, { method, body }: RequestInit): boolean =>
  method !== 'GET' && !/[?&]dry_run=true|"dry_run":true/.test(typeof body === 'string' ? `${target} ${body}` : target)

/** It may pass: the client repeats such a request, if it may. */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return !(error.cause instanceof Problem)
  const status = error instanceof RefusedError || error instanceof UnexpectedAnswerError ? error.status : 0
  return status >= 500 || status === 429 || status === 408
}

function isLost(error: unknown): boolean {
  if (error instanceof ConnectionError) return isTransient(error) && !isUnconnected(error.cause)
  if (error instanceof UnexpectedAnswerError) return isTransient(error) ? error.status !== 429 : error.status < 300
  if (!(error instanceof RefusedError)) return false
  const { status, code } = error
  return status === 503 ? code === 'database_unavailable' : status >= 500
}

/** Node joins the failures of several addresses. */
const isUnconnected = (error: unknown): boolean =>
  error instanceof AggregateError ||
  (error instanceof Error && 'syscall' in error && ['connect', 'getaddrinfo'].includes(String(error.syscall)))
