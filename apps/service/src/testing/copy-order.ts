import type { TestService } from './service.ts'

/** Copies an order `times` times with its lines, its history and its first event, each copy newer than the previous one. */
export async function copyOrder({ sql }: TestService, order_id: number, times: number): Promise<void> {
  const others = async (table: string, without: string): Promise<string> => {
    const [row] = await sql(
      `select string_agg(quote_ident(column_name), ', ') as names from information_schema.columns
       where table_name = $1 and column_name <> all($2)`,
      [table, `{${without}}`],
    )
    return String(row?.['names'])
  }
  const order = await others('orders', 'order_id,order_number,order_create_datetime,cart_group_id')
  const item = await others('order_items', 'order_id,order_item_id,order_create_datetime')
  const entry = await others('order_history', 'order_id')
  await sql(
    `with source as (select * from orders where order_id = ${order_id}), copies as (
       insert into orders (order_create_datetime, cart_group_id, ${order})
       select order_create_datetime + n * interval '1 second', -n, ${order} from source, generate_series(1, ${times}) n
       returning client_id, order_id, order_create_datetime, -cart_group_id as n
     ), lines as (
       insert into order_items (order_id, order_create_datetime, ${item})
       select c.order_id, c.order_create_datetime, ${item.replaceAll(/(\w+)/g, 'i.$1')}
       from copies c, order_items i where i.order_id = ${order_id}
     ), history as (
       insert into order_history (order_id, ${entry})
       select c.order_id, ${entry.replaceAll(/("?\w+"?)/g, 'h.$1')}
       from copies c, order_history h where h.order_id = ${order_id}
     ), numbered as (
       update clients k set event_number = k.event_number + ${times} from source s where k.client_id = s.client_id
       returning k.client_id, k.event_number
     )
     insert into events (client_id, event_number, event_type, order_id, data, actor, request_id)
     select c.client_id, k.event_number - ${times} + c.n, 'order.created', c.order_id, e.data, 'the tests', 'copied'
     from copies c, numbered k, events e
     where e.order_id = ${order_id} and e.event_type = 'order.created'`,
  )
}
