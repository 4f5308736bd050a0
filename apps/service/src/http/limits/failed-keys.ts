/**
 * Counts, logs and limits requests with an invalid key, by the address that they come from. Over the limit, a key that is not
 * known to this process is refused without being looked up. Keys that are known still pass: others may share the address.
 */
import type { FastifyRequest } from 'fastify'
import { Counter } from 'prom-client'
import { addressGroup, type ClientAddresses } from '../client-address.ts'
import { ownBuckets } from './rate-limit.ts'
import { keyIdOf, type Authenticator } from '../../identity/authenticate.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const failed = new Counter({
  name: 'parts_failed_keys_total',
  help: 'Requests with an invalid key, by whether it was looked up (checked) or not, because of earlier ones (throttled).',
  labelNames: ['outcome'],
})

export interface FailedKeys {
  /** Checks the key of a request; throws a Refusal when it is not valid, or when it is not looked up. */
  readonly guard: <A>(
    authenticate: Authenticator<A>['authenticate'],
    credentialOf?: (request: FastifyRequest) => string | undefined,
  ) => (request: FastifyRequest) => A | Promise<A>
  readonly close: () => void
}

/** With null, failed keys are logged but not limited. */
export function openFailedKeys(perMinute: number | null, addresses: ClientAddresses): FailedKeys {
  const buckets = ownBuckets<string>()
  const rate = perMinute === null ? null : { rate_per_second: perMinute / 60, rate_burst: perMinute }

  function refuseOverLimit(group: string): void {
    if (rate === null || buckets.charge(group, rate, 0) >= 1) return
    failed.inc({ outcome: 'throttled' })
    throw new Refusal('too_many_failed_keys', {})
  }

  /** Over the limit, a failure is counted but not logged: the log would grow with each. */
  function note(error: unknown, { raw, log }: FastifyRequest, credential: string | undefined): void {
    if (!(error instanceof Refusal) || error.errors[0]?.code !== 'unauthorized' || credential === undefined) return
    failed.inc({ outcome: 'checked' })
    const address = addresses.of(raw)
    if (rate !== null && buckets.take(addressGroup(address), rate) < 0) return
    const session_id = keyIdOf(credential, 'pss')
    const key_id = keyIdOf(credential, 'pos') ?? keyIdOf(credential, 'pso')
    log.warn({ address, key_id, session_id }, session_id === undefined ? 'invalid key' : 'invalid session')
  }

  return {
    guard:
      (authenticate, credentialOf = ({ headers }) => headers.authorization) =>
      (request) => {
        const credential = credentialOf(request)
        const beforeLookup = (): void => refuseOverLimit(addressGroup(addresses.of(request.raw)))
        try {
          const actor = authenticate(credential, beforeLookup)
          if (!(actor instanceof Promise)) return actor
          return actor.catch((error: unknown) => {
            note(error, request, credential)
            throw error
          })
        } catch (error) {
          note(error, request, credential)
          throw error
        }
      },
    close: () => buckets.close(),
  }
}
