/** Price lists. The prices themselves: put-price.ts. */
import Type, { type Static } from 'typebox'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { bool, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const PriceList = Type.Object(
  {
    price_list_id: Type.Integer({ description: 'Identifies the price list.' }),
    price_list_name: Type.String({ description: 'Its name.' }),
    currency_code: Type.String({ description: 'The currency of its prices.' }),
  },
  {
    $id: 'PriceList',
    examples: [{ price_list_id: 1, price_list_name: 'Dealer prices', currency_code: 'EUR' }],
  },
)
export type PriceList = Static<typeof PriceList>

const columns = { price_list_id: int8, price_list_name: text, currency_code: text }

const putPriceListSql = statement(new URL('put-price-list.sql', import.meta.url), {
  parameters: { ...columns, actor: text, request_id: text },
  columns,
  refusedBy: ['price_lists_currency'],
})
const explainPriceListSql = shortStatement('explain-price-list', {
  sql: `select exists (select 1 from currencies where currency_code = :currency_code) as currency_there,
      (select currency_code from price_lists where price_list_id = :price_list_id) as currency_code`,
  parameters: { price_list_id: int8, currency_code: text },
  columns: { currency_there: bool, currency_code: nullable(text) },
})
const listPriceListsSql = shortStatement('list-price-lists', {
  sql: `select price_list_id, price_list_name, currency_code from price_lists
    where price_list_id > :after_id
    order by price_list_id
    limit :page_size`,
  parameters: { after_id: int8, page_size: int8 },
  columns,
})

/** The currency of a price list cannot change: its prices are in that currency. */
export async function putPriceList(
  db: Database,
  list: PriceList & { actor: string; request_id: string },
): Promise<PriceList> {
  const { price_list_id, currency_code } = list
  return settle(
    db,
    { statement: putPriceListSql, contended: `price list ${price_list_id}` },
    () => db.row(putPriceListSql, list),
    async () => {
      const found = await db.row(explainPriceListSql, { price_list_id, currency_code })
      if (found?.currency_there !== true) throw new Refusal('currency_not_found', { currency_code })
      const was = found.currency_code
      if (was !== null && was !== currency_code)
        throw new Refusal('price_list_currency_fixed', { price_list_id, currency_code: was })
    },
  )
}

export async function listPriceLists(db: Database, page: PageRequest): Promise<Page<PriceList>> {
  const rows = await db.rows(listPriceListsSql, { after_id: idAfter(page) ?? 0, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ price_list_id }) => price_list_id)
}
