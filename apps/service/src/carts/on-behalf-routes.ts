/** The client's own cart operations, for operators who keep the carts of a client. */
import assert from 'node:assert/strict'
import type { Keeper } from './keeper.ts'
import { cartRoutes } from './routes.ts'
import { ofKnownClient } from '../clients/of-known-client.ts'
import { operatorRoute, type Route, type Trace } from '../http/routing/route.ts'
import { operatorActor, operatorForClient, type Operator } from '../identity/actor.ts'
import { id } from '../input/fields.ts'
import type { Retry } from '../retries/retry.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { Refusal } from '../vocabulary/refusals.ts'

/** Operators create with POST. A PATCH of the cart itself marks it as virtual, so that renaming has a path of its own. */
export const cartsOnBehalfRoutes: readonly Route[] = [
  onBehalf('listCarts', 'GET', '/operator/v1/clients/{client_id}/carts/'),
  onBehalf('readCart', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/'),
  onBehalf('createCart', 'POST', '/operator/v1/clients/{client_id}/carts/', 'audit cart_created'),
  onBehalf('renameCart', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/rename/', 'audit cart_renamed'),
  onBehalf('deleteCart', 'DELETE', '/operator/v1/clients/{client_id}/carts/{cart_id}/', 'audit cart_deleted'),
  onBehalf('listCartItems', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/'),
  onBehalf('readCartItem', 'GET', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/'),
  onBehalf('addCartItem', 'POST', '/operator/v1/clients/{client_id}/carts/{cart_id}/items/', 'audit cart_item_added'),
  onBehalf(
    'addCartItems',
    'POST',
    '/operator/v1/clients/{client_id}/carts/{cart_id}/items/bulk/',
    'audit cart_items_added',
  ),
  onBehalf(
    'addOrderItems',
    'POST',
    '/operator/v1/clients/{client_id}/carts/{cart_id}/items/from-order/',
    'audit cart_items_added',
  ),
  onBehalf(
    'changeQuantity',
    'PATCH',
    '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/',
    'audit cart_item_changed',
  ),
  onBehalf(
    'removeCartItem',
    'DELETE',
    '/operator/v1/clients/{client_id}/carts/{cart_id}/items/{cart_item_id}/',
    'audit cart_item_removed',
  ),
]

/** A client's own operation at a path below the client, whose id is in the path instead of in the key. */
function onBehalf(operationId: string, method: Route['method'], path: string, trace?: Trace): Route {
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
    ...(trace === undefined ? {} : { trace }),
    summary: `${own.summary} for a client`,
    params: { client_id: id('The client.', exampleIds.client_id), ...params },
    refusals: ['client_not_found', ...refusals],
    handle: ({ actor: operator, params: { client_id, ...rest }, retry, ...request }) => {
      const { request_id } = request
      const actor: Keeper = { client_id, operator: { actor: operatorForClient(operator, client_id), request_id } }
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
