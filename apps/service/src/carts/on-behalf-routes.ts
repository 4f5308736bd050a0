/** The client's own cart routes, for operators who keep the carts of a client. */
import { exampleIds } from '../vocabulary/example-ids.ts'
import { ofKnownClient } from '../clients/of-known-client.ts'
import type { Actor, Operator } from '../identity/actor.ts'
import { operatorActor } from '../identity/actor.ts'
import type { Route } from '../http/routing/route.ts'
import { id } from '../input/fields.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import type { Retry } from '../retries/retry.ts'

/** The same route below a client, whose id is in the path instead of in the key. */
export function onBehalf(route: Route): Route {
  const { scope: _, params = {}, refusals, ...own } = route
  return {
    ...own,
    ...placeOnBehalf(route),
    operationId: `${route.operationId}ForClient`,
    tag: 'On behalf',
    permission: route.method === 'GET' ? 'view' : 'decide',
    summary: `${route.summary} for a client`,
    params: { client_id: id('The client.', exampleIds.client_id), ...params },
    refusals: ['client_not_found', ...refusals],
    handle: ({ actor: operator, params: { client_id: named, ...rest }, retry, ...request }) => {
      const client_id = named as number // As the field reads it.
      const actor = actorFor(client_id)
      return ofKnownClient(request.db, client_id, () =>
        withOwnKey(retry, operator as Operator, (own) => route.handle({ ...request, actor, params: rest, retry: own })),
      )
    },
  }
}

/** Operators create with POST. A PATCH of the cart itself marks it as virtual, so that renaming has a path of its own. */
function placeOnBehalf({ method, path, operationId }: Route): Pick<Route, 'method' | 'path'> {
  const below = path.replace('/api/v1/', '/operator/v1/clients/{client_id}/')
  if (operationId === 'renameCart') return { method: 'POST', path: `${below}rename/` }
  return { method: method === 'PUT' ? 'POST' : method, path: below }
}

/** Operations on carts need no more of the actor than its client. */
const actorFor = (client_id: number): Actor => ({
  client_id,
  contact_id: 0,
  key_id: 0,
  scopes: [],
  rate_per_second: 0,
  rate_burst: 0,
})

/**
 * The answers are stored with those to the client, whose keys have no spaces: this one does, and the operator's name, so
 * that neither gets an answer to the other.
 */
async function withOwnKey<T>(retry: Retry, operator: Operator, work: (own: Retry) => Promise<T>): Promise<T> {
  const { idempotency_key } = retry
  if (idempotency_key === null) return work(retry)
  try {
    return await work({ ...retry, idempotency_key: `${operatorActor(operator)} ${idempotency_key}` })
  } catch (error) {
    if (error instanceof Refusal && error.errors[0]?.code === 'idempotency_key_used')
      throw new Refusal('idempotency_key_used', { idempotency_key })
    throw error
  }
}
