/** Realistic parameter values for all statements, taken from the loaded data. */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import type { CartGroupKey } from '../../../apps/service/src/carts/lines/cart-group-key.ts'
import { digestsSql, termsDigestSql } from '../cart-group-digests.ts'

export interface SampledValues {
  /** One of the clients with the most orders and with a cart of 500 lines. */
  readonly client_id: number
  readonly contact_id: number
  readonly contract_id: number
  readonly stock_id: number
  readonly smallCart: SampledCart
  readonly largeCart: SampledCart
  readonly item: {
    readonly item_id: number
    readonly brand_id: number
    readonly vendor_code: string
    readonly model: string
  }
  /** A thousand items that the client can order, spread over the catalogue. */
  readonly orderable: readonly { readonly item_id: number; readonly article: string; readonly barcode: string }[]
  /** In a state in which it can be changed, with open adjustments. */
  readonly order_id: number
  readonly order_item_id: number
  readonly adjustment_id: number
  readonly ordered_group_id: number
  readonly middle_order_id: number
  readonly middle_day: string
  readonly day_after_middle: string
  readonly article: string
  readonly reference: string
  readonly city: string
  readonly shipping_date: string
  readonly middle_item_id: number
}

export interface SampledCart extends CartGroupKey {
  readonly cart_id: number
  readonly cart_item_id: number
  readonly item_id: number
  readonly stock_id: number
  readonly contract_id: number
  readonly advertising: string
  readonly lines: number
}

export async function takeSample(client: Client): Promise<SampledValues> {
  const one = async <T extends object>(text: string, values: readonly unknown[] = []): Promise<T> => {
    const { rows } = await client.query<T>(text, [...values])
    assert(rows[0], `The loaded data has no row for: ${text}`)
    return rows[0]
  }
  const { client_id } = await one<{ client_id: number }>(
    `select k.client_id::float8 from carts k
     where k.line_count > 400 and exists (
       select 1 from orders o join adjustments a using (client_id, order_id)
       where o.client_id = k.client_id and o.order_state_id in ('new', 'processing') and o.hold_reason is null)
     order by abs(k.client_id - (select max(client_id) / 2 from clients)), k.client_id limit 1`,
  )
  const own = [client_id]
  const carts = await client.query<{ cart_id: number }>(
    'select cart_id::float8 from carts where client_id = $1 order by line_count',
    own,
  )
  const order = await one<Pick<SampledValues, 'order_id' | 'order_item_id' | 'adjustment_id' | 'ordered_group_id'>>(
    `select o.order_id::float8, a.order_item_id::float8, a.adjustment_id::float8,
       o.cart_group_id::float8 as ordered_group_id
     from orders o join adjustments a using (client_id, order_id)
     where o.client_id = $1 and o.order_state_id in ('new', 'processing') and o.hold_reason is null
     order by o.order_id, a.adjustment_id limit 1`,
    own,
  )
  return {
    client_id,
    ...(await one<Pick<SampledValues, 'contact_id'>>(
      'select min(contact_id)::float8 as contact_id from contacts where client_id = $1',
      own,
    )),
    ...(await one<Pick<SampledValues, 'contract_id'>>(
      'select contract_id::float8 from contracts where client_id = $1 and not contract_default',
      own,
    )),
    ...(await one<Pick<SampledValues, 'stock_id'>>(
      'select max(stock_id)::float8 as stock_id from client_stocks where client_id = $1',
      own,
    )),
    smallCart: await sampleCart(client, client_id, carts.rows[0]?.cart_id),
    largeCart: await sampleCart(client, client_id, carts.rows.at(-1)?.cart_id),
    item: await one<SampledValues['item']>(
      `select item_id::float8, brand_id::float8, item_vendor_code as vendor_code,
         substring(item_title from ' (m[0-9]{6}) ') as model
       from items
       where on_sale and item_title like '%original%' and item_id > (select max(item_id) / 2 from items)
       order by item_id limit 1`,
    ),
    orderable: await sampleItems(client, client_id),
    ...order,
    ...(await one<Pick<SampledValues, 'middle_order_id' | 'middle_day' | 'day_after_middle'>>(
      `select order_id::float8 as middle_order_id, order_create_datetime::date::text as middle_day,
         (order_create_datetime::date + 1)::text as day_after_middle
       from orders where client_id = $1 order by order_create_datetime desc
       offset (select count(*) / 2 from orders where client_id = $1) limit 1`,
      own,
    )),
    ...(await one<Pick<SampledValues, 'article'>>(
      `select item_vendor_code as article from order_items where client_id = $1
       group by 1 order by count(*) desc, 1 limit 1`,
      own,
    )),
    ...(await one<Pick<SampledValues, 'reference'>>(
      'select reference from orders where client_id = $1 and reference is not null order by order_id limit 1',
      own,
    )),
    ...(await one<Pick<SampledValues, 'city'>>('select city from orders group by 1 order by count(*) desc, 1 limit 1')),
    ...(await one<Pick<SampledValues, 'shipping_date'>>(
      `select d::date::text as shipping_date
       from generate_series(current_date + 20, current_date + 40, interval '1 day') d
       where extract(isodow from d) < 6 and not exists (select 1 from stock_closed_days x where x.closed_on = d::date)
       limit 1`,
    )),
    ...(await one<Pick<SampledValues, 'middle_item_id'>>(
      'select (max(item_id) / 2)::float8 as middle_item_id from items',
    )),
  }
}

async function sampleItems(client: Client, client_id: number): Promise<SampledValues['orderable']> {
  const { rows } = await client.query<SampledValues['orderable'][number]>(
    `select i.item_id::float8, i.item_vendor_code as article, i.item_barcode as barcode
     from contracts c
     join prices p using (price_list_id)
     join items i using (item_id)
     where c.client_id = $1 and c.contract_default and i.on_sale
     order by i.item_id % (select count(*) / 1000 from items), i.item_id limit 1000`,
    [client_id],
  )
  assert.equal(rows.length, 1000)
  return rows
}

/** The first group of a cart, with the key that a client would order it with. */
async function sampleCart(client: Client, client_id: number, cart_id: number | undefined): Promise<SampledCart> {
  const { rows } = await client.query<SampledCart & { quantity: number; price: number }>(
    `select g.cart_id::float8, g.cart_group_id::float8, l.cart_item_id::float8, l.item_id::float8, g.stock_id::float8,
       g.contract_id::float8, g.advertising, l.quantity, p.price::float8
     from cart_groups g
     join contracts c using (client_id, contract_id)
     join cart_items l using (client_id, cart_group_id)
     join prices p on p.price_list_id = c.price_list_id and p.item_id = l.item_id
     where g.client_id = $1
       and g.cart_group_id = (select min(cart_group_id) from cart_groups where client_id = $1 and cart_id = $2)`,
    [client_id, cart_id],
  )
  const [line] = rows
  assert(line)
  const { rows: digests } = await client.query<Omit<CartGroupKey, 'cart_group_id'>>(
    `select d.*, t.*
     from (
       select ${digestsSql}
       from unnest($1::bigint[], $2::integer[], $3::numeric(15, 4)[]) as l (item_id, quantity, price)
     ) d
     cross join (
       select ${termsDigestSql}
       from contracts c
       join price_lists r using (price_list_id)
       join currencies u using (currency_code)
       where c.client_id = $4 and c.contract_id = $5
     ) t`,
    [
      rows.map((row) => row.item_id),
      rows.map((row) => row.quantity),
      rows.map((row) => row.price),
      client_id,
      line.contract_id,
    ],
  )
  assert(digests[0])
  const { cart_group_id, stock_id, contract_id, advertising, cart_item_id, item_id } = line
  return {
    cart_group_id,
    ...digests[0],
    cart_id: line.cart_id,
    cart_item_id,
    item_id,
    stock_id,
    contract_id,
    advertising,
    lines: rows.length,
  }
}
