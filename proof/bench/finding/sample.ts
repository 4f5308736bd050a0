/** Values for every parameter of the operators' lists, taken from the loaded data, spread over all of it. */
import type { Client } from 'pg'
import type { FindingValues, PathValues } from './requests.ts'

const sampled = 50 // Values of a filter: enough that they are not all in the same pages of the database.

export async function sampleFinding(
  session: Client,
  import_id: number,
): Promise<{ pathValues: PathValues; values: FindingValues }> {
  const all = async <T extends object>(text: string): Promise<T[]> => (await session.query<T>(text, [sampled])).rows
  const column = async (text: string): Promise<(string | number)[]> =>
    (await all<{ value: string | number }>(text)).map(({ value }) => value)
  /** The ids of as many rows, at equal distances. */
  const spread = (id: string, table: string): string =>
    `select distinct ${table}.${id} from generate_series(1, $1::integer) n
     cross join lateral (
       select ${id} from ${table}
       where ${id} >= (select min(${id}) + (max(${id}) - min(${id})) * (n - 1) / $1 from ${table})
       order by ${id} limit 1
     ) ${table}`
  const ids = (id: string, table: string): Promise<(string | number)[]> =>
    column(`select ${id}::float8 as value from (${spread(id, table)}) s order by 1`)
  const ofOrders = (value: string): Promise<(string | number)[]> =>
    column(`select ${value} as value from orders o where o.order_id in (${spread('order_id', 'orders')})`)
  const ofItems = (value: string): Promise<(string | number)[]> =>
    column(`select ${value} as value from items i where i.item_id in (${spread('item_id', 'items')})`)

  const client_id = await ids('client_id', 'clients')
  const stock_id = await ids('stock_id', 'stocks')
  const order_id = await ids('order_id', 'orders')
  const price_list_id = await ids('price_list_id', 'price_lists')
  const ofLines = (value: string): Promise<(string | number)[]> =>
    column(
      `select ${value} as value from orders o
       cross join lateral (
         select i.* from order_items i
         where i.client_id = o.client_id and i.order_id = o.order_id
         order by i.order_item_id limit 1
       ) i
       where o.order_id in (${spread('order_id', 'orders')})`,
    )
  const articles = await ofLines('i.item_vendor_code')
  const days = await ofOrders('order_create_datetime::date::text')
  const rows = (name: string, of: readonly (string | number)[]): Record<string, string | number>[] =>
    of.map((value) => ({ [name]: value }))
  return {
    pathValues: {
      client_id: rows('client_id', client_id),
      order_id: rows('order_id', order_id),
      stock_id: rows('stock_id', stock_id),
      price_list_id: rows('price_list_id', price_list_id),
      import_id: [{ import_id }],
      webhook_id: rows('webhook_id', await ids('webhook_id', 'webhooks')),
      'client_id,cart_id': await all<{ client_id: number; cart_id: number }>(
        `select client_id::float8, cart_id::float8 from carts where cart_id in (${spread('cart_id', 'carts')})`,
      ),
    },
    values: {
      client_id: { '': client_id },
      order_id: { '': order_id },
      stock_id: { '': stock_id },
      order_number: { '': await ofOrders('o.order_number::float8') },
      contract_id: { '': await ofOrders('o.contract_id::float8') },
      sku_code: { '': articles },
      metadata: { ' of nobody': ['job:No such job'] }, // The loaded orders have none.
      date_from: { '': days },
      date_to: { '': days },
      ship_from: { '': days },
      ship_to: { '': days },
      changed_since: { '': days },
      item_id: { '': await ids('item_id', 'items') },
      brand_id: { '': await ids('brand_id', 'brands') },
      brand: {
        '': await column(`select brand_name as value from brands where brand_id in (${spread('brand_id', 'brands')})`),
      },
      missing_price: { '': price_list_id },
      operator_id: { '': [1] },
      actor: {
        ' of a client': client_id.map((id) => `key ${id}`),
        ' of nobody': ['nobody'],
      },
      'listAuditEntries.after': { '': [0] },
      event_type: { '=order.created': ['order.created'], '=order.state_changed': ['order.state_changed'] },
      'listClientOrders.search': {
        ' by number': await ofOrders('o.order_number::float8'),
        ' by reference': await column(
          `select reference as value from orders o
           where o.order_id in (${spread('order_id', 'orders')}) and reference is not null`,
        ),
        ' by the beginning of many references': ['PO-'],
        ' by article': articles,
        ' by barcode': await ofLines('i.item_barcode'),
        ' by client': client_id.map((id) => `dealer${id}.example`),
        ' by city': await column('select city as value from orders order by order_id limit $1 / 50'),
        ' of nothing': ['No such thing'],
      },
      'listClients.search': {
        ' by a rare word': client_id,
        ' by a common word': ['autoteile'],
        ' by two common words': ['autoteile gmbh'],
      },
      'listCatalogueItems.search': {
        ' by article': await ofItems('i.item_vendor_code'),
        ' by a rare word': await ofItems(`substring(i.item_title from ' (m[0-9]{6}) ')`),
        ' by a common word': ['original'],
        ' of nothing': ['nosuchword'],
      },
    },
  }
}
