/** Values of parameters from the loaded data: a client with much of everything, and what belongs to it. */
import assert from 'node:assert/strict'
import type { Client } from 'pg'
import type { CartGroupKey } from '../../../apps/service/src/carts/lines/cart-group-key.ts'
import { digestsSql, termsDigestSql } from '../cart-group-digests.ts'

export interface Sample {
  /** One of the clients with the most orders and with a cart of 500 lines. */
  readonly client_id: number
  readonly contact_id: number
  readonly contract_id: number
  readonly stock_id: number
  readonly smallCart: SampledCart
  readonly largeCart: SampledCart
  readonly item_id: number
  readonly brand_id: number
  readonly brand_name: string
  readonly vendor_code: string
  readonly model: string
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
  /** Of the client's lines, the one that most of them have. */
  readonly article: string
  readonly reference: string
  readonly city: string
  /** A working day on which no stock is closed. */
  readonly shipping_date: string
  readonly middle_item_id: number
  /** Of the default contract, without `include` (offer_digest.sql). */
  readonly offer_digest: string
}

/** The first group of a cart, with the key that a client would order it with, and its first line. */
export interface SampledCart extends CartGroupKey {
  readonly cart_id: number
  readonly cart_item_id: number
  readonly item_id: number
  readonly stock_id: number
  readonly contract_id: number
  readonly advertising: string
}

const open = `o.order_state_id in ('new', 'processing') and o.hold_reason is null`

const clientSql = `
  select k.client_id from carts k
  where k.line_count > 400
    and exists (select 1 from orders o join adjustments a using (client_id, order_id) where o.client_id = k.client_id and ${open})
  order by abs(k.client_id - (select max(client_id) / 2 from clients)), k.client_id limit 1`

/** $1 is the client. Each of the joined queries has one row. */
const sampleSql = `
  select $1::bigint as client_id, o.*, m.*, i.*,
    (select min(contact_id) from contacts where client_id = $1) as contact_id,
    (select contract_id from contracts where client_id = $1 and not contract_default) as contract_id,
    (select max(stock_id) from client_stocks where client_id = $1) as stock_id,
    (select max(item_id) / 2 from items) as middle_item_id,
    (select offer_digest(c, '') from contracts c where c.client_id = $1 and c.contract_default) as offer_digest,
    (select item_vendor_code from order_items where client_id = $1 group by 1 order by count(*) desc, 1 limit 1) as article,
    (select reference from orders where client_id = $1 and reference is not null order by order_id limit 1) as reference,
    (select city from orders group by 1 order by count(*) desc, 1 limit 1) as city,
    (select min(d::date) from generate_series(current_date + 20, current_date + 40, interval '1 day') d
     where extract(isodow from d) < 6 and not exists (select 1 from stock_closed_days x where x.closed_on = d::date)
    ) as shipping_date
  from (
    select o.order_id, a.order_item_id, a.adjustment_id, o.cart_group_id as ordered_group_id
    from orders o join adjustments a using (client_id, order_id)
    where o.client_id = $1 and ${open}
    order by o.order_id, a.adjustment_id limit 1
  ) o
  cross join (
    select order_id as middle_order_id, order_create_datetime::date as middle_day,
      order_create_datetime::date + 1 as day_after_middle
    from orders where client_id = $1
    order by order_create_datetime desc offset (select count(*) / 2 from orders where client_id = $1) limit 1
  ) m
  cross join (
    select item_id, brand_id, (select brand_name from brands b where b.brand_id = items.brand_id), item_vendor_code as vendor_code, substring(item_title from ' (m[0-9]{6}) ') as model
    from items
    where on_sale and item_title like '%original%' and item_id > (select max(item_id) / 2 from items)
    order by item_id limit 1
  ) i`

const orderableSql = `
  select i.item_id, i.item_vendor_code as article, i.item_barcode as barcode
  from contracts c
  join prices p using (price_list_id)
  join items i using (item_id)
  where c.client_id = $1 and c.contract_default and i.on_sale
  order by i.item_id % (select count(*) / 1000 from items), i.item_id limit 1000`

/** The carts of a client, the smallest first. */
const cartsSql = `
  select g.cart_id, g.cart_group_id, g.stock_id, g.contract_id, g.advertising, min(l.cart_item_id) as cart_item_id,
    (array_agg(l.item_id order by l.cart_item_id))[1] as item_id, ${digestsSql}, ${termsDigestSql}
  from carts k
  join cart_groups g on g.client_id = k.client_id
    and g.cart_group_id = (select min(cart_group_id) from cart_groups where client_id = $1 and cart_id = k.cart_id)
  join contracts c on c.client_id = g.client_id and c.contract_id = g.contract_id
  join price_lists r using (price_list_id)
  join currencies u using (currency_code)
  join lateral (
    select i.cart_item_id, i.item_id, i.quantity, p.price
    from cart_items i join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id
    where i.client_id = g.client_id and i.cart_group_id = g.cart_group_id
  ) l on true
  where k.client_id = $1
  group by k.line_count, g.client_id, g.cart_group_id, c.client_id, c.contract_id, r.price_list_id, u.currency_code
  order by k.line_count`

export async function takeSample(session: Client): Promise<Sample> {
  /** As JSON, in which ids are numbers and days are texts. */
  const rowsOf = async <T>(text: string, values: readonly unknown[] = []): Promise<T[]> => {
    const { rows } = await session.query<{ row: T }>(`select to_json(s) as row from (${text}) s`, [...values])
    assert(rows.length > 0, `The loaded data has no row for: ${text}`)
    return rows.map(({ row }) => row)
  }
  const [{ client_id }] = (await rowsOf(clientSql)) as [{ client_id: number }]
  const [sampled] = (await rowsOf(sampleSql, [client_id])) as [Omit<Sample, 'orderable' | 'smallCart' | 'largeCart'>]
  const orderable = await rowsOf<Sample['orderable'][number]>(orderableSql, [client_id])
  assert.equal(orderable.length, 1000)
  const carts = await rowsOf<SampledCart>(cartsSql, [client_id])
  const [smallCart, largeCart] = [carts[0], carts.at(-1)]
  assert(smallCart && largeCart)
  return { ...sampled, orderable, smallCart, largeCart }
}
