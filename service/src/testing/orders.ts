/** Orders and adjustments for tests, and how the API shows them. */
import { at } from './mask-volatile.ts'
import type { OperatorWorld } from './operators.ts'
import type { World } from './world.ts'

export const disc = {
  item_id: 1,
  item_vendor_code: 'BN-280-V',
  item_barcode: '4006381333931',
  item_title: 'Brake disc front 280 mm vented',
  brand: { brand_id: 1, brand_name: 'Bremsen Nord' },
}
export const berlin = { stock_id: 1, stock_name: 'Berlin' }
export const hamburg = { stock_id: 2, stock_name: 'Hamburg' }

export const standardContract = ({ me }: World) => ({
  contract_id: me.contract_id,
  contract_name: 'Standard',
  contract_default: true,
  contract_service: false,
  contract_limit: 0,
})

/** A cart with 3 brake discs. */
export async function filledCart({ shop }: World): Promise<{ cart_id: number; cart_item_id: number }> {
  const cart_id = await shop.createCart('Monday')
  return { cart_id, cart_item_id: await shop.add(cart_id, { item_id: 1, quantity: 3 }) }
}

export async function order(world: World): Promise<{ order_id: number; order_item_id: number }> {
  const { cart_id } = await filledCart(world)
  const order_id = await world.shop.order(cart_id)
  const [line] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return { order_id, order_item_id: line.order_item_id as number }
}

export async function orderInState(world: World, state: string): Promise<{ order_id: number; order_item_id: number }> {
  const placed = await order(world)
  await world.service.sql(
    `with moved as (
       update orders set order_state_id = $2, history_count = 2 where order_id = $1 returning client_id, order_id
     ), freed as (
       update stock_levels set on_hand = on_hand - 3, reserved = reserved - 3
       where stock_id = 1 and item_id = 1 and $2 = 'shipped'
     )
     insert into order_history (client_id, order_id, entry, "group", state_id)
     select client_id, order_id, 2, 'Change of status', $2 from moved`,
    [placed.order_id, state],
  )
  return placed
}

export async function adjustment(world: World): Promise<{ order_id: number; adjustment_id: number }> {
  const { order_id, order_item_id } = await order(world)
  const made = await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 2 })
  return { order_id, adjustment_id: made.adjustment_id as number }
}

/** An order of a cart that was marked as virtual. */
export async function virtualOrder(
  { shop, me, operators }: OperatorWorld,
  line: { item_id: number; quantity: number; stock_id?: number },
): Promise<number> {
  const cart_id = await shop.createCart()
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual: true })
  await shop.add(cart_id, line)
  return shop.order(cart_id)
}

export async function availableDiscs({ service }: World): Promise<number> {
  const [level] = await service.sql(
    'select on_hand - reserved as available from stock_levels where stock_id = 1 and item_id = 1',
  )
  return Number(level?.['available'])
}

export const historyEntry = (group: string, value: string, state_id: string, text = '') => ({
  date: at,
  group,
  value,
  state_id,
  text,
})
export const historyCreated = historyEntry('Change of status', 'New', 'new')

export async function orderView(world: World, order_id: number) {
  const [row] = await world.service.sql('select order_number from orders where order_id = $1', [order_id])
  return {
    order_id,
    order_number: Number(row?.['order_number']),
    order_contact_id: world.me.contact_id,
    order_create_datetime: at,
    order_update_datetime: at,
    order_state_id: 'new',
    order_total: 30,
    order_rate: 1,
    order_tax: 5,
    order_shipping: 0,
    order_discount: 0,
    order_shipping_datetime: null as string | null,
    order_archive_datetime: null,
    order_history: [historyCreated],
    order_stock: berlin,
    order_contract: standardContract(world),
    order_advertising: null,
    virtual: false,
  }
}

export const adjustmentView = (order_id: number, adjustment_id: unknown) => ({
  adjustment_id,
  adjustment_order_id: order_id,
  adjustment_date_create: at,
  adjustment_status: 'WAIT',
  adjustment_canceled_message: null,
  adjustment_items: [
    {
      sku_id: 1,
      product_id: 11,
      product_name: 'Brake disc 280',
      sku_name: disc.item_title,
      sku: 'BN-280-V',
      difference: 0,
    },
  ],
})
