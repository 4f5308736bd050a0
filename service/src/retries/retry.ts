import { hash } from 'node:crypto'

/** By what a repetition is recognised; nulls for a request that does not ask for it. */
export interface Retry {
  readonly idempotency_key: string | null
  /** Of everything the request says, as it was read: another way to write the same is the same. */
  readonly request_digest: Uint8Array | null
}

const noRetry: Retry = { idempotency_key: null, request_digest: null }

export function retryOf(idempotency_key: string | undefined, read: object): Retry {
  if (idempotency_key === undefined) return noRetry
  return { idempotency_key, request_digest: hash('sha256', JSON.stringify(read), 'buffer') }
}
