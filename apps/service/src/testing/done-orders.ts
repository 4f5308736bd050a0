import type { TestService } from './service.ts'
import { address, type TestClient } from './fixtures.ts'

/** Inserts orders that were completed long ago: placing thousands of them over HTTP would take minutes. */
export async function addDoneOrders(
  { sql }: TestService,
  { client_id, contact_id, contract_id }: TestClient,
  { orders, daysAgo = 100 }: { orders: number; daysAgo?: number },
): Promise<void> {
  await sql(
    `with placed as (
       insert into orders (client_id, order_contact_id, order_create_datetime, order_update_datetime, order_state_id,
         order_total, order_rate, order_tax, order_discount, discount_percent, tax_mode, tax_percent, currency_code,
         minor_digits, stock_id, contract_id, virtual, cart_group_id, cart_group_fingerprint, request_digest,
         zip, country_code, region_code, city, street, home)
       select $1, $2, t.at, t.at, 'completed', 10, 1, 0, 0, 0, 'included', 0, 'EUR', 2, 1, $3, false,
         nextval(pg_get_serial_sequence('cart_groups', 'cart_group_id')), 'test', '', $6, $7, $8, $9, $10, $11
       from generate_series(1, $4::integer) n
       cross join lateral (select now() - make_interval(days => $5::integer, secs => $4::integer - n) as at) t
       returning client_id, order_id, order_create_datetime, order_state_id
     ), bought as (
       insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
         item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
       select client_id, order_id, 1, 11, 'Brake disc 280', 1, 'Bremsen Nord',
         'BN-280-V', '', 'Brake disc', 1, 10, order_create_datetime
       from placed
     ), history as (
       insert into order_history (client_id, order_id, entry, "group", state_id)
       select client_id, order_id, 1, 'Change of status', order_state_id from placed
     ), numbered as (
       update clients set event_number = event_number + $4 where client_id = $1 returning event_number
     )
     insert into events (client_id, event_number, event_type, order_id, data, actor, request_id)
     select client_id, n.event_number - $4 + row_number() over (order by order_id), 'order.created', order_id, '{}',
       'test', 'test'
     from placed, numbered n`,
    [
      client_id,
      contact_id,
      contract_id,
      orders,
      daysAgo,
      address.zip,
      address.country_code,
      address.region_code,
      address.city,
      address.street,
      address.home,
    ],
  )
}

/** Counts orders by how often they were archived, according to their events and their archive date. */
export async function archivedTimes({ sql }: TestService): Promise<Record<string, unknown>[]> {
  return sql(
    `select o.order_archive_datetime is not null as archived, coalesce(e.events, 0)::integer as events,
       count(*)::integer as orders
     from orders o
     left join (
       select order_id, count(*) as events from events where event_type = 'order.archived' group by order_id
     ) e using (order_id)
     group by 1, 2 order by 1, 2`,
  )
}
