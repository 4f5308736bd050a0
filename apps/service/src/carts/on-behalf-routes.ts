/** The client's own cart operations, for operators who keep the carts of a client. */
import assert from 'node:assert/strict'
import { cartRoutes } from './routes.ts'
import { ofKnownClient } from '../clients/of-known-client.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { operatorActor, type Operator, type Owner } from '../identity/actor.ts'
import { id } from '../input/fields.ts'
import type { Retry } from '../retries/retry.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { Refusal } from '../vocabulary/refusals.ts'

/** Operators create with POST. A PATCH of the cart itself marks it as virtual, so that renaming has a path of its own. */
export const cartsOnBehalfRoutes: readonly Route[] = [
  onBehalf('listCarts', 'GET', '/operator/v1/clients/{client_id}/carts/'),
  onBehalf('readCart', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/'),
  onBehalf('createCart', 'POST', '/operator/v1/clients/{client_id}/carts/'),
  onBehalf('renameCart', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/rename/'),
  onBehalf('deleteCart', 'DELETE', '/operator/v1/clients/{client_id}/carts/{cart_id}/'),
  onBehalf('listCartItems', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/'),
  onBehalf('readCartItem', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/'),
  onBehalf('addCartItem', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/'),
  onBehalf('addCartItems', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/bulk/'),
  onBehalf('addOrderItems', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/from-order/'),
  onBehalf('changeQuantity', 'PATCH', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/'),
  onBehalf('removeCartItem', 'DELETE', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/'),
]

/** A client's own operation at a path below the client, whose id is in the path instead of in the key. */
function onBehalf(operationId: string, method: Route['method'], path: string): Route {
  const own = cartRoutes.find((route) => route.operationId === operationId)
  assert(own, operationId)
  const { scope: _, params = {}, refusals, ...described } = own
  return operatorRoute({
    ...described,
    method,
    path,
    operationId: `${operationId}ForClient`,
    tag: 'On behalf',
    permission: own.method === 'GET' ? 'view' : 'decide',
    summary: `${own.summary} for a client`,
    params: { client_id: id('The client.', exampleIds.client_id), ...params },
    refusals: ['client_not_found', ...refusals],
    handle: ({ actor: operator, params: { client_id, ...rest }, retry, ...request }) => {
      const actor: Owner = { client_id }
      return ofKnownClient(request.db, client_id, () =>
        withOwnKey(retry, operator, (ownKey) => own.handle({ ...request, actor, params: rest, retry: ownKey })),
      )
    },
  })
}

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
