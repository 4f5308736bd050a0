/** The operator route for what is sold in place of an item. */
import { setSubstitutes, Substitutes, substitutesFields } from './substitutes.ts'
import { operatorActor } from '../../identity/actor.ts'
import { id } from '../../input/fields.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const substituteRoutes: readonly Route[] = [
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/items/{item_id}/substitutes/',
    operationId: 'setSubstitutes',
    tag: 'Catalogue',
    permission: 'catalogue',
    trace: 'catalogue item',
    summary: 'Set what replaces an item',
    description:
      'Replaces the successor and the substitutes; what is absent is removed. Clients see them with `include=substitutes`, and refusals for lack of stock or sale name those that are on sale.',
    params: { item_id: id('The item.', 1024) },
    form: substitutesFields,
    data: refer(Substitutes),
    refusals: ['item_not_found'],
    handle: ({ db, actor, params, form, request_id }) =>
      setSubstitutes(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
]
