/** Orders and adjustments for tests, and how the API shows them. */
import { noRemarks, shownAddress } from './fixtures.ts'
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

/** An order of these lines, and the ids of its lines. */
export async function orderOfLines(
  { service, shop }: World,
  lines: readonly { item_id: number; quantity: number; contract_id?: number }[],
): Promise<{ order_id: number; lineOf: (item_id: number) => number }> {
  const cart_id = await shop.createCart()
  for (const line of lines) await shop.add(cart_id, line)
  const order_id = await shop.order(cart_id)
  const rows = await service.sql('select item_id, order_item_id from order_items where order_id = $1', [order_id])
  return {
    order_id,
    lineOf: (item_id) => Number(rows.find((row) => Number(row['item_id']) === item_id)?.['order_item_id']),
  }
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

/** One of the three discs of an order in `fulfilling` is shipped. */
export async function partlyShippedOrder(world: World): Promise<number> {
  const { order_id } = await orderInState(world, 'fulfilling')
  await shipPart(world, order_id, 1)
  return order_id
}

/** This number of the discs of an order has left, as after a shipment. */
export async function shipPart({ service }: World, order_id: number, quantity: number): Promise<void> {
  await service.sql(
    `with o as (
       update orders set order_shipped_datetime = now() where order_id = $1 returning client_id, order_id, history_count
     ), i as (
       update order_items set shipped_quantity = $2 where order_id = $1 returning client_id, order_id, order_item_id
     ), freed as (
       update stock_levels set on_hand = on_hand - $2, reserved = reserved - $2 where stock_id = 1 and item_id = 1
     ), p as (
       insert into shipments (client_id, order_id, entry, shipped_by)
       select client_id, order_id, history_count, 'test' from o
       returning client_id, order_id, shipment_id
     )
     insert into shipment_lines (client_id, order_id, shipment_id, order_item_id, quantity)
     select p.client_id, p.order_id, p.shipment_id, i.order_item_id, $2 from p, i`,
    [order_id, quantity],
  )
}

/** Of three brake discs two are shipped, and the return of one is requested. */
export async function requestedReturn(
  world: World,
): Promise<{ order_id: number; order_item_id: number; return_request_id: number }> {
  const { order_id, order_item_id } = await orderInState(world, 'fulfilling')
  await shipPart(world, order_id, 2)
  const { return_request_id } = await requestReturn(world, order_id, [{ order_item_id, quantity: 1 }])
  return { order_id, order_item_id, return_request_id }
}

export const requestReturn = (
  { shop }: World,
  order_id: number,
  lines: readonly { order_item_id: number; quantity: number }[],
): Promise<{ return_request_id: number }> =>
  shop.ok('PUT', `/api/v1/orders/${order_id}/return-requests/`, {
    lines: JSON.stringify(lines),
    reason: 'Does not fit.',
  })

export const requestedReturnView = ({
  order_id,
  order_item_id,
  return_request_id,
}: Awaited<ReturnType<typeof requestedReturn>>) => ({
  return_request_id,
  order_id,
  request_datetime: at,
  request_status: 'WAIT',
  reason: 'Does not fit.',
  lines: [{ order_item_id, quantity: 1 }],
  instruction: null as string | null,
  canceled_message: null as string | null,
  decided_by: null as string | null,
  decided_at: null as string | null,
  return_id: null as number | null,
})

/** A request for two of three brake discs. */
export async function adjustment(
  world: World,
): Promise<{ order_id: number; order_item_id: number; adjustment_id: number }> {
  const { order_id, order_item_id } = await order(world)
  const made = await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 2 })
  return { order_id, order_item_id, adjustment_id: made.adjustment_id as number }
}

type Decide = (world: OperatorWorld, of: Awaited<ReturnType<typeof adjustment>>) => Promise<unknown>

/** Ways to decide an open adjustment other than withdrawing it, and who does it. */
export const decisions: Readonly<Record<string, { by: 'client' | 'distributor'; decide: Decide }>> = {
  accepting: {
    by: 'distributor',
    decide: ({ operators }, { adjustment_id }) =>
      operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`),
  },
  rejecting: {
    by: 'distributor',
    decide: ({ operators }, { adjustment_id }) =>
      operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' }),
  },
  superseding: {
    by: 'client',
    decide: ({ shop }, { order_id, order_item_id }) =>
      shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, { quantity: 1 }),
  },
  'requesting a cancellation': {
    by: 'client',
    decide: ({ shop }, { order_id }) => shop.ok('DELETE', `/api/v1/orders/${order_id}/`),
  },
  'moving the order on': {
    by: 'distributor',
    decide: ({ operators }, { order_id }) =>
      operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'Sold out.' }),
  },
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

/** What events and operators see besides. `goods` says how many of the three discs are shipped and open. */
export async function detailsView({ service }: World, order_id: number, goods = { shipped: 0, open: 3 }) {
  const [line] = await service.sql('select order_item_id from order_items where order_id = $1', [order_id])
  return {
    address: shownAddress,
    items: [
      {
        order_item_id: Number(line?.['order_item_id']),
        order_item_quantity: 3,
        order_item_price: 10,
        order_item: disc,
        order_item_shipped: goods.shipped,
        order_item_open: goods.open,
      },
    ],
    terms: { currency_code: 'EUR', tax_mode: 'included', tax_percent: 20, discount_percent: 0 },
    shipments: [] as unknown[],
    ...noRemarks,
  }
}

/** An order in full, as events carry it. */
export async function fullOrderView(world: World, order_id: number, goods?: { shipped: number; open: number }) {
  return { ...(await orderView(world, order_id)), ...(await detailsView(world, order_id, goods)) }
}

/** What `adjustment` requests. */
export const requestView = (order_item_id: number, decided_by: string | null = null) => ({
  order_item_id,
  requested_quantity: 2,
  quantity_before: 3,
  reason: null,
  decided_by,
  decided_at: decided_by === null ? null : at,
})

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
