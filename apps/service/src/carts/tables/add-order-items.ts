/** Order again: adds the lines of an earlier order to a cart, and says what has changed since. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import {
  cartRowColumns,
  cartRowLimits,
  cartRowOf,
  cartRowParameters,
  cartRowProperties,
  cartRowsRefusedBy,
  countsOf,
  exampleRow,
  rowCounts,
} from '../lines/cart-row.ts'
import { traceOf, type Keeper } from '../keeper.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import { refer, word, type WordList } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, nullable, numeric } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const changes = ['price', 'gone', 'short'] as const
const changeWords: WordList = {
  name: 'RowChange',
  meaning:
    'What differs from an earlier order: the `price`; the item is `gone`, it cannot be ordered like this any more; it is `short`.',
  words: changes,
}

export const OrderedRow = Type.Object(
  {
    ...cartRowProperties,
    ordered_price: Type.Number({ description: 'The price of one piece in the order.' }),
    changes: Type.Array(word(changeWords, 'A change.'), { description: 'What has changed since the order.' }),
  },
  {
    $id: 'OrderedRow',
    description: 'What became of a line of the order.',
    examples: [{ ...exampleRow, ordered_price: 53.1, changes: ['price'] }],
  },
)
export type OrderedRow = Static<typeof OrderedRow>

export const OrderedResult = Type.Object(
  { ...rowCounts, rows: Type.Array(refer(OrderedRow), { description: 'One for each line of the order.' }) },
  {
    $id: 'OrderedResult',
    examples: [{ rows_added: 1, rows_refused: 0, rows: [{ ...exampleRow, ordered_price: 53.1, changes: ['price'] }] }],
  },
)
export type OrderedResult = Static<typeof OrderedResult>

const addOrderItemsSql = statement(new URL('add-order-items.sql', import.meta.url), {
  parameters: { ...cartRowParameters, order_id: int8, ...retryParameters },
  // An order without pieces is one row without a place.
  columns: { ...cartRowColumns, place: nullable(int8), ordered_price: numeric, price_changed: nullable(bool) },
  refusedBy: [...cartRowsRefusedBy, retryRefusedBy],
})

/** Why the lines of an order could not be added to a cart. */
const explainOrderItemsSql = shortStatement('explain-order-items', {
  sql: `select
      exists (select 1 from carts where client_id = :client_id and cart_id = :cart_id) as cart_there,
      exists (select 1 from orders where client_id = :client_id and order_id = :order_id) as order_there`,
  parameters: { client_id: int8, cart_id: int8, order_id: int8 },
  columns: { cart_there: bool, order_there: bool },
})

type OrderedRowValues = Values<typeof addOrderItemsSql.columns>

export async function addOrderItems(
  db: Database,
  keeper: Keeper,
  { cart_id, order_id, retry }: { cart_id: number; order_id: number; retry: Retry },
): Promise<OrderedResult> {
  const { client_id } = keeper
  const named = { client_id, cart_id, order_id }
  const found = await settle(
    db,
    { statement: addOrderItemsSql, contended: `cart ${cart_id}` },
    async () => {
      const rows = await db.rows(addOrderItemsSql, {
        ...named,
        dry_run: false,
        all_rows: false,
        ...cartRowLimits,
        ...retry,
        ...traceOf(keeper),
      })
      if (rows.length > 0) return rows
      const scope = { client_id, operation: addOrderItemsSql.name }
      return (await earlierAnswer<{ rows: OrderedRowValues[] }>(db, scope, retry))?.rows
    },
    () => explain(db, named),
  )
  const rows = found.flatMap((values) => orderedRowOf(values, cart_id))
  return { ...countsOf(rows), rows }
}

async function explain(db: Database, named: { client_id: number; cart_id: number; order_id: number }): Promise<void> {
  const { cart_id, order_id } = named
  const found = await db.row(explainOrderItemsSql, named)
  assert(found)
  if (!found.cart_there) throw new Refusal('cart_not_found', { cart_id })
  if (!found.order_there) throw new Refusal('order_not_found', { order_id }, { field: 'order_id' })
}

function orderedRowOf(
  { place, ordered_price, price_changed, ...values }: OrderedRowValues,
  cart_id: number,
): OrderedRow[] {
  if (place === null) return []
  const row = cartRowOf({ place, ...values }, { cart_id, names: {}, problems: [], rowAt: (at) => at })
  const happened = { price: price_changed === true, gone: row.outcome === 'refused', short: row.short === true }
  return [{ ...row, ordered_price, changes: changes.filter((change) => happened[change]) }]
}
