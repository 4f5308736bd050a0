/** Carts for operators: whether their orders reserve stock. */
import { Cart } from './cart.ts'
import { markCart } from './mark-cart.ts'
import { operatorActor } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { flag, id } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const cartOperatorRoutes: readonly Route[] = [
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/carts/{cart_id}/',
    operationId: 'markCart',
    tag: 'Orders',
    permission: 'decide',
    trace: 'event cart.marked',
    summary: 'Mark a cart as virtual',
    description:
      'Orders placed from a virtual cart are virtual: they reserve no stock and cannot be shipped until the mark is cleared from the order. Orders placed earlier stay unchanged. A `cart_group_key` that was shown before the change is refused with `cart_group_changed`. Setting the same value again changes nothing.',
    params: {
      client_id: id('The client whose cart it is.', exampleIds.client_id),
      cart_id: id('The cart.', exampleIds.cart_id),
    },
    form: { virtual: flag({ description: 'Whether orders placed from it are virtual.', example: true }) },
    data: refer(Cart),
    refusals: ['cart_not_found'],
    handle: ({ db, actor, params, form, request_id }) =>
      markCart(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
]
