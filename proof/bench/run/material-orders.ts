/** New orders to cancel or to adjust. They remain in the database, because orders are never deleted. */
import { escapeLiteral } from 'pg'
import { orderAddress } from '../order-address.ts'
import { queryCount, reserve } from './material-carts.ts'
import { workers, type Bench, type Supply } from './operation.ts'

const counted = {
  cancelled: `select count(*) from orders where order_id between $1 and $2 and order_state_id = 'zayavka-na-otmen'`,
  adjusted: 'select count(*) from adjustments where order_id between $1 and $2',
}

export function newOrders({ perSecond, effect }: { perSecond: number; effect: keyof typeof counted }): Supply {
  const make: Supply['make'] = async (bench, operations) => {
    const { session } = bench
    const orders = Math.ceil(operations / workers) * workers
    const first_order = await reserve(session, 'orders', 'order_id', orders)
    const first_line = await reserve(session, 'order_items', 'order_item_id', orders)
    await placeAll(bench, { orders, first_order, first_line })
    return {
      numbers: { first_order, first_line },
      enoughFor: orders,
      effects: () => queryCount(session, counted[effect], [first_order, first_order + orders - 1]),
      clear: async () => undefined,
    }
  }
  return { perSecond, make }
}

/**
 * Orders of one line, as if placed from virtual carts: virtual orders reserve no stock, and neither cancelling nor
 * requesting an adjustment reads it. Everything else is as the service would have written it, so the invariants hold.
 */
async function placeAll(
  { session, numbers: { active, spread, bench_items, bench_item_step } }: Bench,
  { orders, first_order, first_line }: { orders: number; first_order: number; first_line: number },
): Promise<void> {
  const first_group = await reserve(session, 'cart_groups', 'cart_group_id', orders)
  // One text is one transaction.
  await session.query(`
    create temporary table made on commit drop as
    select ${first_order} + n as order_id, ${first_line} + n as order_item_id, ${first_group} + n as cart_group_id,
      n % ${active} / 10 * ${spread} * 10 + n % ${active} % 10 + 1 as client_id, n / ${active} + 1 as ordinal,
      ${bench_item_step} * (1 + n % ${bench_items}) as item_id
    from generate_series(0, ${orders} - 1) n;
    insert into orders (client_id, order_id, order_contact_id, order_total, order_rate, order_tax, order_discount,
      discount_percent, tax_mode, tax_percent, currency_code, minor_digits, stock_id, contract_id, virtual, cart_group_id,
      cart_group_fingerprint, request_digest, ${Object.keys(orderAddress).join(', ')})
    select client_id, order_id, client_id * 2 - 1, 20, 1, 0, 0, 0, 'included', 0, 'EUR', 2, client_id % 3 + 1,
      client_id * 2 - (3 - client_id % 3) / 3, true, cart_group_id, 'bench', '',
      ${Object.values(orderAddress).map(escapeLiteral).join(', ')}
    from made order by order_id;
    insert into order_items (client_id, order_id, order_item_id, item_id, product_id, product_name, brand_id,
      brand_name, item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
    select m.client_id, m.order_id, m.order_item_id, i.item_id, i.product_id, d.product_name, i.brand_id, b.brand_name,
      i.item_vendor_code, i.item_barcode, i.item_title, 2, 10, now()
    from made m join items i using (item_id) join products d using (product_id) join brands b using (brand_id)
    order by m.order_id;
    insert into order_history (client_id, order_id, entry, "group", state_id)
    select client_id, order_id, 1, 'Change of status', 'new' from made order by order_id;
    insert into events (client_id, event_number, event_type, order_id, data, actor, request_id)
    select m.client_id, c.event_number + m.ordinal, 'order.created', m.order_id,
      jsonb_build_object('order_total', 20, 'order_tax', 0, 'order_discount', 0, 'virtual', true, 'stock_name', s.stock_name,
        'contract_name', k.contract_name, 'contract_default', k.contract_default, 'contract_service', k.contract_service,
        'contract_limit', k.contract_limit), 'bench', 'bench'
    from made m join clients c using (client_id) join orders o using (client_id, order_id) join stocks s using (stock_id)
    join contracts k using (client_id, contract_id) order by m.order_id;
    update clients c set event_number = c.event_number + m.orders
    from (select client_id, count(*) as orders from made group by client_id) m where m.client_id = c.client_id;
    update contracts c set exposure = c.exposure + 20 * m.orders
    from (select client_id, count(*) as orders from made group by client_id) m
    where m.client_id = c.client_id and c.contract_id = c.client_id * 2 - (3 - c.client_id % 3) / 3`)
}
