/** The cases of the routes that add many rows. */
import type { CaseRequest, RouteCases } from '../../testing/cases.ts'
import { anyId } from '../../testing/mask-volatile.ts'
import { availableDiscs, disc, filledCart, order } from '../../testing/orders.ts'
import { unknownId, type World } from '../../testing/world.ts'
import { refusalError } from '../../vocabulary/refusals.ts'

export const cartRowCases: Record<string, RouteCases> = {
  'PUT /api/v1/carts/{cart_id}/items/bulk/': {
    success: async (world) => {
      const { cart_id, cart_item_id } = await filledCart(world)
      return {
        path: `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`,
        json: { rows: [{ article: 'bn280v', quantity: 2 }] },
        data: {
          rows_added: 1,
          rows_refused: 0,
          ignored_columns: [],
          rows: [await addedDisc(world, { quantity: 2, cart_item_id, cart_quantity: 5 })],
        },
      }
    },
    refusals: {
      cart_not_found: async () => ({ ...bulk(unknownId), details: { cart_id: unknownId } }),
      rows_refused: async (world) => {
        const { path } = bulk(await world.shop.createCart())
        const { message } = refusalError('item_not_found', { item_id: unknownId })
        const details = { item_id: unknownId }
        const errors = [{ code: 'item_not_found', message, field: 'item_id', details }]
        const { contract_id } = world.me
        return {
          path: `${path}&mode=all`,
          json: [{ item_id: unknownId, quantity: 1 }],
          details: {
            rows_added: 0,
            rows_refused: 1,
            rows: [{ row: 1, outcome: 'refused', quantity: 1, stock_id: 1, contract_id, errors }],
          },
        }
      },
      too_many_rows: async (world) => ({
        ...bulk(await world.shop.createCart()),
        json: Array.from({ length: 1001 }, () => ({ item_id: 1, quantity: 1 })),
        details: { rows_max: 1000 },
      }),
      idempotency_key_used: async (world) => {
        const request = { ...bulk(await world.shop.createCart()), headers: { 'idempotency-key': 'discs' } }
        await world.service.request('PUT', request.path, { key: world.me.key, ...request })
        return { ...request, json: [{ item_id: 2, quantity: 1 }], details: { idempotency_key: 'discs' } }
      },
    },
    foreign: async (other) => [[bulk(await other.shop.createCart()), bulk(unknownId)]],
  },
  'PUT /api/v1/carts/{cart_id}/items/from-order/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/api/v1/carts/${await world.shop.createCart()}/items/from-order/`,
        form: { order_id },
        data: {
          rows_added: 1,
          rows_refused: 0,
          rows: [
            {
              ...(await addedDisc(world, { quantity: 3, cart_item_id: anyId, cart_quantity: 3 })),
              ordered_price: 10,
              changes: [],
            },
          ],
        },
      }
    },
    refusals: {
      cart_not_found: async (world) => ({
        ...fromOrder(unknownId, (await order(world)).order_id),
        details: { cart_id: unknownId },
      }),
      order_not_found: async ({ shop }) => ({
        ...fromOrder(await shop.createCart(), unknownId),
        details: { order_id: unknownId },
      }),
      idempotency_key_used: async (world) => {
        const [first, second] = [await order(world), await order(world)]
        const cart_id = await world.shop.createCart()
        const headers = { 'idempotency-key': 'again' }
        const request = { ...fromOrder(cart_id, first.order_id), headers }
        await world.service.request('PUT', request.path, { key: world.me.key, ...request })
        return { ...fromOrder(cart_id, second.order_id), headers, details: { idempotency_key: 'again' } }
      },
    },
    foreign: async (other, own) => {
      const [theirs, mine] = [await order(other), await order(own)]
      return [
        [fromOrder(await other.shop.createCart(), mine.order_id), fromOrder(unknownId, mine.order_id)],
        [fromOrder(await own.shop.createCart(), theirs.order_id), fromOrder(await own.shop.createCart(), unknownId)],
      ]
    },
  },
}

const bulk = (cart_id: number): CaseRequest => ({
  path: `/api/v1/carts/${cart_id}/items/bulk/?stock_id=1`,
  json: [{ item_id: 1, quantity: 1 }],
})

const fromOrder = (cart_id: number, order_id: number): CaseRequest => ({
  path: `/api/v1/carts/${cart_id}/items/from-order/`,
  form: { order_id },
})

/** A row of brake discs that was added. */
const addedDisc = async (
  world: World,
  { quantity, cart_item_id, cart_quantity }: { quantity: number; cart_item_id: unknown; cart_quantity: number },
) => ({
  row: 1,
  outcome: 'added',
  quantity,
  item: disc,
  stock_id: 1,
  contract_id: world.me.contract_id,
  price: 10,
  available: await availableDiscs(world),
  short: false,
  back_order: false,
  cart_item_id,
  cart_quantity,
})
