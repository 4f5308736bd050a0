import type { CaseRequest, RefusalCase, RouteCases } from '../../testing/cases.ts'
import { address } from '../../testing/fixtures.ts'
import { anyId } from '../../testing/mask-volatile.ts'
import { filledCart } from '../../testing/orders.ts'
import { addPackedItem, packRules } from '../../testing/stock.ts'
import { unknownId, type World } from '../../testing/world.ts'

/** A request that orders a cart after `then` has changed something. */
const ordering =
  (
    line: { item_id: number; quantity: number; stock_id?: number } & { contract?: 'limited' | 'special' },
    then: (world: World, cart: { cart_id: number; key: string }) => Promise<Record<string, unknown>>,
    change: Record<string, string> = {},
  ) =>
  async (world: World): Promise<RefusalCase> => {
    const { contract, ...cartLine } = line
    const contract_id =
      contract === 'limited'
        ? world.me.limited_contract_id
        : contract === 'special'
          ? world.me.special_contract_id
          : undefined
    const cart_id = await world.shop.createCart()
    await world.shop.add(cart_id, { ...cartLine, ...(contract_id === undefined ? {} : { contract_id }) })
    const key = await world.shop.groupKey(cart_id)
    const details = await then(world, { cart_id, key })
    return { path: '/api/v1/orders/', form: { cart_group_key: key, ...address, ...change }, details }
  }

export const placingCases: Record<string, RouteCases> = {
  'PUT /api/v1/orders/': {
    success: async ({ shop }) => {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 3 })
      return {
        path: '/api/v1/orders/',
        form: { cart_group_key: await shop.groupKey(cart_id), ...address, room: '3' },
        data: { created_order_id: anyId },
      }
    },
    refusals: {
      country_code_unknown: ordering({ item_id: 1, quantity: 1 }, async () => ({ country_code: 'XX' }), {
        country_code: 'XX',
      }),
      region_code_unknown: ordering(
        { item_id: 1, quantity: 1 },
        async () => ({ region_code: 'FR-75', country_code: 'DE' }),
        {
          region_code: 'FR-75',
        },
      ),
      cart_group_not_found: ordering({ item_id: 1, quantity: 1 }, async ({ shop }, { cart_id, key }) => {
        await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
        return { cart_group_key: key }
      }),
      cart_group_changed: ordering({ item_id: 1, quantity: 1 }, async ({ shop }, { cart_id }) => {
        await shop.add(cart_id, { item_id: 1, quantity: 1 })
        return {
          cart_group_key: await shop.groupKey(cart_id),
          changed: ['lines'],
          cart_items: [{ item_id: 1, quantity: 2, price: 10 }],
        }
      }),
      cart_group_already_ordered: ordering(
        { item_id: 1, quantity: 1 },
        async ({ shop }, { key }) => ({
          order_id: (await shop.ok('PUT', '/api/v1/orders/', { cart_group_key: key, ...address })).created_order_id,
        }),
        { city: 'Potsdam' },
      ),
      address_not_found: async ({ shop }) => {
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id: 1, quantity: 1 })
        const form = { cart_group_key: await shop.groupKey(cart_id), address_id: unknownId }
        return { path: '/api/v1/orders/', form, details: { address_id: unknownId } }
      },
      reference_used: ordering(
        { item_id: 1, quantity: 1 },
        async ({ service, shop, me }) => {
          await service.sql('update clients set unique_references = true where client_id = $1', [me.client_id])
          const cart_id = await shop.createCart()
          await shop.add(cart_id, { item_id: 1, quantity: 1 })
          const form = { cart_group_key: await shop.groupKey(cart_id), ...address, reference: 'PO-1' }
          return { reference: 'PO-1', order_id: (await shop.ok('PUT', '/api/v1/orders/', form)).created_order_id }
        },
        { reference: 'PO-1' },
      ),
      item_not_on_sale: ordering({ item_id: 4, quantity: 1 }, async ({ service }) => {
        await service.sql('update items set on_sale = false where item_id = 4')
        return { item_id: 4 }
      }),
      item_not_priced: ordering({ item_id: 6, quantity: 1, contract: 'special' }, async ({ service, me }) => {
        await service.sql('delete from prices where price_list_id = 2 and item_id = 6')
        return { item_id: 6, contract_id: me.special_contract_id }
      }),
      quantity_not_allowed: async ({ service, shop }) => {
        const item_id = await addPackedItem(service, { quantity_min: 1, quantity_multiple: 1 })
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id, quantity: 20 })
        const cart_group_key = await shop.groupKey(cart_id)
        await service.sql('update items set quantity_min = 25, quantity_multiple = 10 where item_id = $1', [item_id])
        return {
          path: '/api/v1/orders/',
          form: { cart_group_key, ...address },
          details: { item_id, quantity: 20, next_quantity: 30, ...packRules, quantity_min: 25 },
        }
      },
      stock_not_serving: ordering({ item_id: 1, quantity: 1, stock_id: 2 }, async ({ service, me }) => {
        await service.sql('delete from client_stocks where client_id = $1 and stock_id = 2', [me.client_id])
        return { stock_id: 2 }
      }),
      client_blocked: ordering({ item_id: 1, quantity: 1 }, async ({ service, me }) => {
        await service.sql("update clients set block_reason = 'Unpaid.' where client_id = $1", [me.client_id])
        return { block_reason: 'Unpaid.' }
      }),
      contract_blocked: ordering({ item_id: 1, quantity: 1 }, async ({ service, me }) => {
        await service.sql("update contracts set block_reason = 'Unpaid.' where contract_id = $1", [me.contract_id])
        return { contract_id: me.contract_id, block_reason: 'Unpaid.' }
      }),
      out_of_stock: ordering({ item_id: 3, quantity: 6 }, async () => ({
        item_id: 3,
        stock_id: 1,
        available: 5,
        requested: 6,
      })),
      contract_limit_exceeded: ordering({ item_id: 2, quantity: 400, contract: 'limited' }, async ({ me }) => ({
        contract_id: me.limited_contract_id,
        limit: 1000,
        used: 0,
        requested: 1045,
      })),
      order_total_too_large: ordering({ item_id: 2, quantity: 1_000_000, contract: 'special' }, async () => ({
        total_max: 999_999_999_999.999,
      })),
    },
    foreign: async (other) => {
      const { cart_id } = await filledCart(other)
      const key = await other.shop.groupKey(cart_id)
      const withKey = (cart_group_key: string): CaseRequest => ({
        path: '/api/v1/orders/',
        form: { cart_group_key, ...address },
      })
      return [[withKey(key), withKey(key.replace(/^\d+/, String(unknownId)))]]
    },
  },
}
