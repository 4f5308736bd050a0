/** Saved filters of the list of orders. */
import Type, { type Static } from 'typebox'
import { mayAdminister, operatorActor, operatorOwner, type Operator } from '../identity/actor.ts'
import { readText, type Field } from '../input/fields.ts'
import { orderFilters } from '../orders/finding/order-filters.ts'
import { bool, datetime, int8, text } from 'pg-statements/types.ts'

export const OrderView = Type.Object(
  {
    view_id: Type.Integer({ description: 'Identifies the view in paths.' }),
    view_name: Type.String({ description: 'Its name. An operator has no two views with the same name.' }),
    filters: Type.String({ description: 'The query of `GET /operator/v1/orders/`, percent-encoded.' }),
    shared: Type.Boolean({ description: 'Whether all operators see it.' }),
    owner_name: Type.String({ description: 'Who made it.' }),
    own: Type.Boolean({ description: 'Whether you made it.' }),
    changeable: Type.Boolean({ description: 'Whether you may change and delete it.' }),
    changed_at: Type.String({ description: 'When it was last changed, `YYYY-MM-DD HH:MM:SS`.' }),
  },
  {
    $id: 'OrderView',
    examples: [
      {
        view_id: 7,
        view_name: 'Late in Berlin',
        filters: 'state=new%2Cprocessing&stock_id=1&sort=ship_date',
        shared: true,
        owner_name: 'Anna Berg',
        own: true,
        changeable: true,
        changed_at: '2026-11-16 09:41:03',
      },
    ],
  },
)
export type OrderView = Static<typeof OrderView>

export const viewColumns = {
  view_id: int8,
  view_name: text,
  filters: text,
  shared: bool,
  owner_name: text,
  own: bool,
  changeable: bool,
  changed_at: datetime,
}

export const viewsPerOperatorMax = 100 // More do not fit in a menu.

/** The statements' parameters that decide what the operator sees and may change. */
export const viewerParameters = { owner: text, administers: bool }

export const viewerOf = (operator: Operator): { owner: string; administers: boolean } => ({
  owner: operatorOwner(operator),
  administers: mayAdminister(operator),
})

/** What a changing statement takes for its audit entry. */
export const traceParameters = { actor: text, request_id: text }
export const traceOf = (operator: Operator, request_id: string): { actor: string; request_id: string } => ({
  actor: operatorActor(operator),
  request_id,
})

const filtersLengthMax = 1_000 // All filters at once, with long texts in two of them.

/** A query of the list of orders, checked by the rules of its fields. */
export const viewFilters: Field<string> = {
  required: true,
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: filtersLengthMax,
    description: 'The query of `GET /operator/v1/orders/`, without `limit` and `cursor`, percent-encoded.',
    examples: ['state=new%2Cprocessing&sort=ship_date'],
  },
  rule: `a query of GET /operator/v1/orders/ of at most ${filtersLengthMax} characters, without limit and cursor, each filter once`,
  read: (raw) => {
    if (raw.length > filtersLengthMax) return undefined
    const query = [...new URLSearchParams(raw)]
    const names = new Set(query.map(([name]) => name))
    const isValid = query.every(([name, value]) => {
      const filter = filterOf(name)
      return filter !== undefined && readText(filter, value) !== undefined
    })
    return isValid && query.length > 0 && names.size === query.length
      ? new URLSearchParams(query).toString()
      : undefined
  },
}

const filterOf = (name: string): Field<unknown> | undefined =>
  Object.entries(orderFilters).find(([known]) => known === name)?.[1]
