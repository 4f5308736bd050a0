import {
  entryByOperator,
  entryCreated,
  fulfilled,
  historyMoved,
  leaveFive,
  moveTo,
  operatorView,
  orderOf,
} from '../operator-shared.cases.ts'
import type { OperatorCases } from '../../testing/cases.ts'
import { anyId, at } from '../../testing/mask-volatile.ts'
import { withUsedKey, type OperatorWorld } from '../../testing/operators.ts'
import { availableDiscs, disc, order, requestedReturn, shipPart } from '../../testing/orders.ts'
import { day, unknownId, type World } from '../../testing/world.ts'

const note = { text: 'Call before loading.', internal: true }

async function orderWithFullHistory(world: OperatorWorld): Promise<number> {
  const { order_id } = await order(world)
  await world.service.sql(
    `with full_order as (update orders set history_count = 200 where order_id = $1 returning client_id, order_id)
     insert into order_history (client_id, order_id, entry, "group", state_id)
     select client_id, order_id, n, 'Note', 'new' from full_order, generate_series(2, 200) n`,
    [order_id],
  )
  return order_id
}

const reason = 'One is damaged.'

/** The path of the only line of an order, and the line. */
async function lineOf({ service }: World, order_id: number): Promise<{ path: string; order_item_id: number }> {
  const [row] = await service.sql('select order_item_id from order_items where order_id = $1', [order_id])
  const order_item_id = Number(row?.['order_item_id'])
  return { path: `/operator/v1/orders/${order_id}/items/${order_item_id}/`, order_item_id }
}

const linesOf = (order_id: number): string => `/operator/v1/orders/${order_id}/items/`

async function lineChange(world: OperatorWorld, order_id: number) {
  const { order_number } = await operatorView(world, order_id)
  return {
    dry_run: false,
    order_id,
    order_number,
    state_before: 'new',
    state_after: 'new',
    total_before: 30,
    tax_before: 5,
    discount_before: 0,
    discount_after: 0,
    stock_id: 1,
    contract_id: world.me.contract_id,
    limit_left_after: null,
    closed_adjustment_id: null,
  }
}

/** Under the contract with a limit of 1,000: 10 discs at 10.00, less 5%, plus 10% tax, are 104.50. */
const limitedOrder = (world: OperatorWorld): Promise<number> =>
  orderOf(world, { item_id: 1, quantity: 10, contract_id: world.me.limited_contract_id })

const totalMax = { total_max: 999_999_999_999.999 }
const makePlenty = ({ service }: World) =>
  service.sql('update stock_levels set on_hand = on_hand + 2000000 where stock_id = 1 and item_id = 2')

const lineCases: Record<string, OperatorCases> = {
  'PATCH /operator/v1/orders/{order_id}/items/{order_item_id}/': {
    success: async (world) => {
      const { order_id, order_item_id } = await order(world)
      return {
        path: (await lineOf(world, order_id)).path,
        json: { quantity: 2, reason },
        data: {
          ...(await lineChange(world, order_id)),
          order_item_id,
          item_id: 1,
          item_vendor_code: disc.item_vendor_code,
          item_title: disc.item_title,
          order_item_price: 10,
          quantity_before: 3,
          quantity_after: 2,
          total_after: 20,
          tax_after: 3.33,
          available_after: (await availableDiscs(world)) + 1,
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/items/1/`,
        json: { quantity: 2, reason },
        details: { order_id: unknownId },
      }),
      order_item_not_found: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/items/${unknownId}/`,
          json: { quantity: 2, reason },
          details: { order_id, order_item_id: unknownId },
        }
      },
      quantity_unchanged: async (world) => {
        const { path, order_item_id } = await lineOf(world, (await order(world)).order_id)
        return { path, json: { quantity: 3, reason }, details: { order_item_id, quantity: 3 } }
      },
      order_lines_fixed: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: (await lineOf(world, order_id)).path,
          json: { quantity: 4, reason },
          details: { order_id, order_state_id: 'fulfilling', possible: ['new', 'processing'] },
        }
      },
      quantity_below_shipped: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        await shipPart(world, order_id, 2)
        const { path, order_item_id } = await lineOf(world, order_id)
        return { path, json: { quantity: 1, reason }, details: { order_item_id, quantity: 1, shipped: 2 } }
      },
      expected_differs: async (world) => {
        const { path } = await lineOf(world, (await order(world)).order_id)
        await world.operators.ok('PATCH', path, { quantity: 2, reason, expected: 3 })
        return {
          path,
          json: { quantity: 1, reason, expected: 3 },
          details: { figure: 'quantity', expected: 3, present: 2 },
        }
      },
      order_held: async (world) => {
        const { order_id } = await order(world)
        const { path } = await lineOf(world, order_id)
        await world.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, { reason: 'Payment is overdue.' })
        return { path, json: { quantity: 0, reason }, details: { order_id, hold_reason: 'Payment is overdue.' } }
      },
      out_of_stock: async (world) => {
        const { path } = await lineOf(world, (await order(world)).order_id)
        return {
          path,
          json: { quantity: 500_003, reason, dry_run: true },
          details: { item_id: 1, stock_id: 1, available: await availableDiscs(world), requested: 500_000 },
        }
      },
      contract_limit_exceeded: async (world) => ({
        path: (await lineOf(world, await limitedOrder(world))).path,
        json: { quantity: 100, reason },
        details: { contract_id: world.me.limited_contract_id, limit: 1000, used: 104.5, requested: 940.5 },
      }),
      order_total_too_large: async (world) => {
        const contract_id = world.me.special_contract_id
        const { path } = await lineOf(world, await orderOf(world, { item_id: 2, quantity: 1, contract_id }))
        await makePlenty(world)
        return { path, json: { quantity: 1_000_000, reason }, details: totalMax }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/items/': {
    success: async (world) => {
      const { order_id } = await order(world)
      const [level] = await world.service.sql(
        'select on_hand - reserved as free from stock_levels where stock_id = 1 and item_id = 2',
      )
      return {
        path: linesOf(order_id),
        json: { article: 'fw 2', quantity: 2, reason },
        data: {
          ...(await lineChange(world, order_id)),
          order_item_id: anyId,
          item_id: 2,
          item_vendor_code: 'FW-2',
          item_title: 'Oil filter F2',
          order_item_price: 2.5,
          quantity_before: 0,
          quantity_after: 2,
          total_after: 35,
          tax_after: 5.83,
          available_after: Number(level?.['free']) - 2,
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const { order_id } = await order(world)
        const line = { item_id: 2, quantity: 2, reason }
        return withUsedKey(world, linesOf(order_id), { first: line, second: { ...line, quantity: 3 } })
      },
      order_not_found: async () => ({
        path: linesOf(unknownId),
        json: { item_id: 2, quantity: 2, reason },
        details: { order_id: unknownId },
      }),
      order_lines_fixed: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: linesOf(order_id),
          json: { item_id: 2, quantity: 2, reason },
          details: { order_id, order_state_id: 'fulfilling', possible: ['new', 'processing'] },
        }
      },
      article_not_found: async (world) => ({
        path: linesOf((await order(world)).order_id),
        json: { item_id: 2, article: 'BN-280-V', quantity: 2, reason },
        details: { item_id: 2, article: 'BN-280-V' },
      }),
      article_ambiguous: async (world) => {
        const article = `AM${world.me.client_id}`
        await world.service.sql(
          `insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title)
           select 11, 1, code, '', 'Twin' from unnest($1::text[]) code`,
          [[`A-M${world.me.client_id}`, `AM-${world.me.client_id}`]],
        )
        return {
          path: linesOf((await order(world)).order_id),
          json: { article, quantity: 2, reason },
          details: { article },
        }
      },
      item_in_order: async (world) => {
        const { order_id, order_item_id } = await order(world)
        return {
          path: linesOf(order_id),
          json: { item_id: 1, quantity: 2, reason },
          details: { order_id, item_id: 1, order_item_id },
        }
      },
      expected_differs: async (world) => ({
        path: linesOf((await order(world)).order_id),
        json: { item_id: 2, quantity: 2, reason, expected: 30 },
        details: { figure: 'order_total', expected: 30, present: 35 }, // Two filters at 2.50.
      }),
      item_not_on_sale: async (world) => ({
        path: linesOf((await order(world)).order_id),
        json: { item_id: 5, quantity: 2, reason },
        details: { item_id: 5 },
      }),
      order_currency_differs: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql('update contracts set price_list_id = 3 where contract_id = $1', [world.me.contract_id])
        return {
          path: linesOf(order_id),
          json: { item_id: 2, quantity: 2, reason },
          details: { order_id, currency_code: 'EUR', contract_currency_code: 'KWD' },
        }
      },
      item_not_priced: async (world) => ({
        path: linesOf((await order(world)).order_id),
        json: { item_id: 6, quantity: 2, reason },
        details: { item_id: 6, contract_id: world.me.contract_id },
      }),
      order_full: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql(
          `insert into order_items (client_id, order_id, item_id, product_id, product_name, brand_id, brand_name,
             item_vendor_code, item_barcode, item_title, order_item_quantity, order_item_price, order_create_datetime)
           select client_id, order_id, item_id, product_id, product_name, brand_id, brand_name, item_vendor_code,
             item_barcode, item_title, 0, order_item_price, order_create_datetime
           from order_items, generate_series(2, 1000) where order_id = $1`,
          [order_id],
        )
        return {
          path: linesOf(order_id),
          json: { item_id: 2, quantity: 2, reason },
          details: { order_id, limit: 1000 },
        }
      },
      out_of_stock: async (world) => {
        await leaveFive(world)
        return {
          path: linesOf((await order(world)).order_id),
          json: { item_id: 3, quantity: 6, reason },
          details: { item_id: 3, stock_id: 1, available: 5, requested: 6 },
        }
      },
      // 100.00 and 2,500.00 of goods, less 5%, plus 10% tax, are 2,717.00.
      contract_limit_exceeded: async (world) => ({
        path: linesOf(await limitedOrder(world)),
        json: { item_id: 2, quantity: 1000, reason },
        details: { contract_id: world.me.limited_contract_id, limit: 1000, used: 104.5, requested: 2612.5 },
      }),
      order_total_too_large: async (world) => {
        const contract_id = world.me.special_contract_id
        await makePlenty(world)
        return {
          path: linesOf(await orderOf(world, { item_id: 1, quantity: 1, contract_id })),
          json: { item_id: 2, quantity: 1_000_000, reason },
          details: totalMax,
        }
      },
    },
  },
}

const mistake = { reason: 'Cancelled by mistake.' }

/** A cancelled order of three brake discs, or of another line. */
async function cancelled(
  world: OperatorWorld,
  line: Parameters<typeof orderOf>[1] = { item_id: 1, quantity: 3 },
): Promise<{ order_id: number; path: string }> {
  const order_id = await orderOf(world, line)
  await world.operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id: 'canceled', text: 'Sold out.' })
  return { order_id, path: `/operator/v1/orders/${order_id}/undo-cancellation/` }
}

const undoCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/undo-cancellation/': {
    success: async (world) => {
      const { order_id, path } = await cancelled(world)
      return {
        path,
        json: mistake,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [
            entryByOperator('Change of status', 'New', 'new', 'Cancelled by mistake.'),
            entryByOperator('Change of status', 'Cancelled', 'canceled', 'Sold out.'),
            entryCreated,
          ],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/undo-cancellation/`,
        json: mistake,
        details: { order_id: unknownId },
      }),
      order_total_too_large: async (world) => {
        await makePlenty(world)
        const line = { item_id: 2, quantity: 600_000, contract_id: world.me.special_contract_id }
        const { path } = await cancelled(world, line)
        await orderOf(world, line)
        return { path, json: mistake, details: totalMax }
      },
      cancellation_not_undoable: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/undo-cancellation/`,
          json: mistake,
          details: { order_id, order_state_id: 'new', cancelled_at: null, why: 'not_cancelled' },
        }
      },
      out_of_stock: async (world) => {
        const requested = await availableDiscs(world)
        const { path } = await cancelled(world, { item_id: 1, quantity: requested })
        await orderOf(world, { item_id: 1, quantity: 1 })
        return { path, json: mistake, details: { item_id: 1, stock_id: 1, available: requested - 1, requested } }
      },
      contract_limit_exceeded: async (world) => {
        const contract_id = world.me.limited_contract_id
        // 60 discs at 10.00, less 5%, plus 10% tax, are 627.00.
        const { path } = await cancelled(world, { item_id: 1, quantity: 60, contract_id })
        await orderOf(world, { item_id: 1, quantity: 60, contract_id })
        return { path, json: mistake, details: { contract_id, limit: 1000, used: 627, requested: 627 } }
      },
    },
  },
}

const rescheduleCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/reschedule/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/reschedule/`,
        json: { shipping_date: day(7) },
        data: {
          ...(await operatorView(world, order_id)),
          order_shipping_datetime: `${day(7)} 00:00:00`,
          order_history: [entryByOperator('Change of shipping date', 'New', 'new', day(7)), entryCreated],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/reschedule/`,
        json: { shipping_date: day(7) },
        details: { order_id: unknownId },
      }),
      order_not_reschedulable: async (world) => {
        const { order_id } = await order(world)
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/reschedule/`,
          json: { shipping_date: day(7) },
          details: { order_id, order_state_id: 'fulfilling' },
        }
      },
      shipping_date_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/reschedule/`,
          json: { shipping_date: day(3651) },
          details: { shipping_date: day(3651), earliest_date: day(0), latest_date: day(3650) },
        }
      },
      order_history_full: async (world) => {
        const order_id = await orderWithFullHistory(world)
        return {
          path: `/operator/v1/orders/${order_id}/reschedule/`,
          json: { shipping_date: day(7) },
          details: { order_id, limit: 200 },
        }
      },
    },
  },
}

/** Three brake discs, of which two are shipped. */
async function partlyShipped(world: OperatorWorld): Promise<{ order_id: number; order_item_id: number; path: string }> {
  const { order_id, order_item_id } = await fulfilled(world)
  await world.operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, {
    lines: [{ order_item_id, quantity: 2 }],
  })
  return { order_id, order_item_id, path: `/operator/v1/orders/${order_id}/returns/` }
}

const unfit = { reason: 'Does not fit.', restock: true }

const returnCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/returns/': {
    success: async (world) => {
      const { order_id, order_item_id, path } = await partlyShipped(world)
      const lines = [{ order_item_id, quantity: 1 }]
      const { shipments, order_history } = await world.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
      return {
        path,
        json: { lines, ...unfit },
        data: {
          ...(await operatorView(world, order_id, { shipped: 2, open: 1 })),
          order_state_id: 'fulfilling',
          order_shipping_datetime: at,
          order_history: [
            entryByOperator('Return', 'Being assembled', 'fulfilling', 'Does not fit.'),
            entryByOperator('Shipment', 'Being assembled', 'fulfilling', order_history[0].text),
            ...historyMoved,
          ],
          shipments: [{ ...shipments[0], shipment_datetime: at }],
          returns: [{ return_id: anyId, return_datetime: at, reason: 'Does not fit.', restocked: true, lines }],
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const { order_item_id, path } = await partlyShipped(world)
        const goods = { lines: [{ order_item_id, quantity: 1 }], ...unfit }
        return withUsedKey(world, path, { first: goods, second: { ...goods, reason: 'Broken.' } })
      },
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/returns/`,
        json: { lines: [{ order_item_id: 1, quantity: 1 }], ...unfit },
        details: { order_id: unknownId },
      }),
      order_item_not_found: async (world) => {
        const { order_id, path } = await partlyShipped(world)
        return {
          path,
          json: { lines: [{ order_item_id: unknownId, quantity: 1 }], ...unfit },
          details: { order_id, order_item_id: unknownId },
        }
      },
      return_request_not_found: async (world) => {
        const { order_id, order_item_id, path } = await partlyShipped(world)
        return {
          path,
          json: { lines: [{ order_item_id, quantity: 1 }], ...unfit, return_request_id: unknownId },
          details: { order_id, return_request_id: unknownId },
        }
      },
      return_request_not_accepted: async (world) => {
        const { order_id, order_item_id, return_request_id } = await requestedReturn(world)
        return {
          path: `/operator/v1/orders/${order_id}/returns/`,
          json: { lines: [{ order_item_id, quantity: 1 }], ...unfit, return_request_id },
          details: { return_request_id, request_status: 'WAIT' },
        }
      },
      quantity_not_returnable: async (world) => {
        const { order_item_id, path } = await partlyShipped(world)
        return {
          path,
          json: { lines: [{ order_item_id, quantity: 3 }], ...unfit },
          details: { order_item_id, returnable: 2, requested: 3 },
        }
      },
      expected_differs: async (world) => {
        const { order_item_id, path } = await partlyShipped(world)
        const json = { lines: [{ order_item_id, quantity: 1 }], ...unfit, expected: 2 }
        await world.operators.ok('POST', path, json)
        return { path, json, details: { figure: 'returnable', expected: 2, present: 1 } }
      },
    },
  },
}

export const correctionCases: Record<string, OperatorCases> = {
  'POST /operator/v1/orders/{order_id}/notes/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/notes/`,
        json: { ...note, internal: false },
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [entryByOperator('Note', 'New', 'new', 'Call before loading.'), entryCreated],
        },
      }
    },
    refusals: {
      idempotency_key_used: async (world) => {
        const { order_id } = await order(world)
        const path = `/operator/v1/orders/${order_id}/notes/`
        return withUsedKey(world, path, { first: note, second: { ...note, text: 'Call again.' } })
      },
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/notes/`,
        json: note,
        details: { order_id: unknownId },
      }),
      order_notes_full: async (world) => {
        const { order_id } = await order(world)
        await world.service.sql(
          `insert into order_notes (client_id, order_id, note_author, note_text, request_id)
           select $1, $2, 'test', 'n', 'test' from generate_series(1, 100)`,
          [world.me.client_id, order_id],
        )
        return { path: `/operator/v1/orders/${order_id}/notes/`, json: note, details: { order_id, limit: 100 } }
      },
      order_history_full: async (world) => {
        const order_id = await orderWithFullHistory(world)
        return {
          path: `/operator/v1/orders/${order_id}/notes/`,
          json: { ...note, internal: false },
          details: { order_id, limit: 200 },
        }
      },
    },
  },
  ...lineCases,
  ...undoCases,
  ...rescheduleCases,
  ...returnCases,
}
