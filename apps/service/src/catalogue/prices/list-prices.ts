/** The prices of a price list. */
import Type, { type Static } from 'typebox'
import { PriceBreak } from './price-breaks.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const ListedPrice = Type.Object(
  {
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: Type.String({ description: 'Its article code.' }),
    item_title: Type.String({ description: 'Its title.' }),
    on_sale: Type.Boolean({ description: 'Whether it can be added to carts and ordered.' }),
    price: Type.Number({ description: 'The price of one piece.' }),
    price_breaks: Type.Array(refer(PriceBreak), { description: 'The prices of larger quantities of a line.' }),
  },
  {
    $id: 'ListedPrice',
    examples: [
      {
        item_id: 1024,
        item_vendor_code: 'JF-11024',
        item_title: 'Air filter washable 280 mm, 10 pcs',
        on_sale: true,
        price: 104.17,
        price_breaks: [{ quantity: 10, price: 98.5 }],
      },
    ],
  },
)
export type ListedPrice = Static<typeof ListedPrice>

const listPricesSql = statement(new URL('list-prices.sql', import.meta.url), {
  parameters: { price_list_id: int8, after_id: int8, page_size: int8 },
  columns: {
    item_id: nullable(int8),
    item_vendor_code: nullable(text),
    item_title: nullable(text),
    on_sale: nullable(bool),
    price: nullable(numeric),
    price_breaks: jsonOf<PriceBreak[]>(),
  },
})

/** In item order. */
export async function listPrices(db: Database, price_list_id: number, page: PageRequest): Promise<Page<ListedPrice>> {
  const rows = await db.rows(listPricesSql, {
    price_list_id,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  if (rows.length === 0) throw new Refusal('price_list_not_found', { price_list_id })
  const prices = rows.flatMap(({ item_id, item_vendor_code, item_title, on_sale, price, price_breaks }) =>
    item_id === null || item_vendor_code === null || item_title === null || on_sale === null || price === null
      ? []
      : [{ item_id, item_vendor_code, item_title, on_sale, price, price_breaks }],
  )
  return cutPage(prices, page, ({ item_id }) => item_id)
}
