import Type, { type Static } from 'typebox'
import { lineFields } from '../order-fields.ts'
import { ordersWithLinesMax } from '../reading/read-orders.ts'
import { exampleItem, Item, itemOf } from '../../catalogue/item.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import { refer, textOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import { statement } from 'pg-statements/statement.ts'
import { date, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const PickedOrder = Type.Object(
  {
    order_id: Type.Integer({ description: 'The order.' }),
    order_number: Type.Integer({ description: 'Its number.' }),
    client_name: Type.String({ description: 'The client that placed it.' }),
    shipping_date: textOrNull('The requested shipping day, `YYYY-MM-DD`.'),
    comment: textOrNull("The client's remark."),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line.' }),
        quantity: Type.Integer({ description: 'How many pieces are still to be picked.' }),
        item: refer(Item),
      }),
      { description: 'What is open.' },
    ),
  },
  {
    $id: 'PickedOrder',
    description: 'An order of a pick list, with what is still to be shipped.',
    examples: [
      {
        order_id: 5012,
        order_number: 100_234,
        client_name: 'Lindner Car Service',
        shipping_date: null,
        comment: null,
        lines: [{ order_item_id: 20_044, quantity: 4, item: exampleItem }],
      },
    ],
  },
)
export type PickedOrder = Static<typeof PickedOrder>

const listPickListSql = statement(new URL('list-pick-list.sql', import.meta.url), {
  parameters: { stock_id: int8, after_id: nullable(int8), page_size: int8 },
  columns: {
    order_id: nullable(int8),
    order_number: nullable(int8),
    client_name: nullable(text),
    order_shipping_date: nullable(date),
    comment: nullable(text),
    lines: packedRows(lineFields),
  },
})

/** What is to be picked in a stock: its orders in `fulfilling`, oldest first, with what is open of each line. */
export async function listPickList(db: Database, stock_id: number, page: PageRequest): Promise<Page<PickedOrder>> {
  const cut = { ...page, limit: Math.min(page.limit, ordersWithLinesMax) }
  const rows = await db.rows(listPickListSql, { stock_id, after_id: idAfter(cut), page_size: cut.limit + 1 })
  if (rows.length === 0) throw new Refusal('stock_not_found', { stock_id })
  const orders = rows.flatMap(
    ({ order_id, order_number, client_name, order_shipping_date, comment, lines }): PickedOrder[] =>
      order_id === null || order_number === null || client_name === null
        ? [] // There is nothing to pick.
        : [
            {
              order_id,
              order_number,
              client_name,
              shipping_date: order_shipping_date,
              comment,
              lines: lines.map((line) => ({
                order_item_id: line.order_item_id,
                quantity: line.order_item_quantity,
                item: itemOf(line),
              })),
            },
          ],
  )
  return cutPage(orders, cut, ({ order_id }) => order_id)
}
