import { placingCases } from './routes.cases.ts'
import { leaveFive } from '../operator-shared.cases.ts'
import type { OperatorCases } from '../../testing/cases.ts'
import { savedAddress } from '../addresses/routes.cases.ts'
import { address, shownAddress } from '../../testing/fixtures.ts'
import { anyId } from '../../testing/mask-volatile.ts'
import { casesOnBehalf } from '../../testing/on-behalf-cases.ts'
import { withUsedKey, type OperatorRequest, type OperatorWorld } from '../../testing/operators.ts'
import { addPackedItem, packRules } from '../../testing/stock.ts'
import { unknownId } from '../../testing/world.ts'

const placing = placingCases['PUT /api/v1/orders/']
if (placing === undefined) throw new Error('Placing an order has cases.')
const fromCart = casesOnBehalf(placing, { path: (plain) => `${plain}from-cart/` })

const outOfStock = fromCart.refusals.out_of_stock
if (outOfStock === undefined) throw new Error('Placing an order has a case without stock.')

interface Phoned extends OperatorRequest {
  readonly json: object
}

/** An order of three brake discs on the phone, with other fields. */
const phoned = ({ me }: OperatorWorld, change: object = {}): Phoned => ({
  path: `/operator/v1/clients/${me.client_id}/orders/`,
  json: { stock_id: 1, lines: [{ article: 'bn 280 v', quantity: 3 }], ...address, ...change },
})

const refused =
  (change: (world: OperatorWorld) => object, details: (world: OperatorWorld) => Record<string, unknown>) =>
  async (world: OperatorWorld) => ({ ...phoned(world, change(world)), details: details(world) })

const discs = {
  item_vendor_code: 'BN-280-V',
  item_title: 'Brake disc front 280 mm vented',
  brand_name: 'Bremsen Nord',
}

/** Of three brake discs, as the client sees it: earlier cases have reserved some. */
const availabilityOf = async (shop: OperatorWorld['shop']): Promise<object[]> =>
  (await shop.ok('GET', '/api/v1/items/1/?include=promise&quantity=3')).availability.map(
    ({ promise: { earliest_shipping_date }, ...stock }: { promise: { earliest_shipping_date: string } }) => ({
      ...stock,
      earliest_shipping_date,
    }),
  )

export const orderOnBehalfCases: Record<string, OperatorCases> = {
  'GET /operator/v1/clients/{client_id}/addresses/': {
    success: async (world) => ({
      path: `/operator/v1/clients/${world.me.client_id}/addresses/`,
      data: [{ address_id: await savedAddress(world), address_name: 'Workshop North', ...shownAddress }],
    }),
    refusals: {},
  },
  'POST /operator/v1/clients/{client_id}/quote/': {
    success: async ({ me, shop }) => ({
      path: `/operator/v1/clients/${me.client_id}/quote/`,
      json: {
        stock_id: 1,
        contract_id: me.limited_contract_id,
        lines: [
          { article: 'bn 280 v', quantity: 1 },
          { article: 'BN-281', quantity: 1 },
          { item_id: 1, quantity: 2 },
        ],
      },
      data: {
        contract_id: me.limited_contract_id,
        currency_code: 'EUR',
        lines: [
          {
            places: [1, 3],
            item_id: 1,
            ...discs,
            quantity: 3,
            price: 10,
            net_price: 9.5,
            amount: 30,
            quantity_min: 1,
            quantity_multiple: 1,
            availability: await availabilityOf(shop),
            error: null,
            near: [],
          },
          {
            places: [2],
            item_id: null,
            item_vendor_code: null,
            item_title: null,
            brand_name: null,
            quantity: 1,
            price: null,
            net_price: null,
            amount: null,
            quantity_min: 1,
            quantity_multiple: 1,
            availability: [],
            error: {
              code: 'article_not_found',
              message: "No item has the article 'BN-281'.",
              details: { article: 'BN-281' },
            },
            near: [{ item_id: 1, ...discs }],
          },
        ],
        goods: 30,
        order_discount: 1.5,
        order_tax: 2.85,
        order_total: 31.35,
        contract_limit: 1000,
        limit_left_after: 968.65,
      },
    }),
    refusals: {
      client_not_found: async () => ({
        path: `/operator/v1/clients/${unknownId}/quote/`,
        json: { stock_id: 1, lines: [{ item_id: 1, quantity: 1 }] },
        details: { client_id: unknownId },
      }),
      contract_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${me.client_id}/quote/`,
        json: { stock_id: 1, contract_id: unknownId, lines: [{ item_id: 1, quantity: 1 }] },
        details: { contract_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/clients/{client_id}/orders/': {
    success: async (world) => ({
      ...phoned(world, {
        contract_id: world.me.limited_contract_id,
        contact_id: world.me.contact_id,
        lines: [
          { article: 'bn 280 v', quantity: 1 },
          { article: 'BN-280-V', brand: 'bremsen nord', quantity: 2 },
        ],
        reference: 'PO-1',
        expected_total: 31.35,
      }),
      data: {
        dry_run: false,
        created_order_id: anyId,
        order_number: anyId,
        client_id: world.me.client_id,
        order_contact_id: world.me.contact_id,
        stock_id: 1,
        contract_id: world.me.limited_contract_id,
        currency_code: 'EUR',
        lines: [
          {
            item_id: 1,
            item_vendor_code: 'BN-280-V',
            item_title: 'Brake disc front 280 mm vented',
            brand_name: 'Bremsen Nord',
            quantity: 3,
            price: 10,
            amount: 30,
          },
        ],
        goods: 30,
        order_discount: 1.5,
        order_tax: 2.85,
        order_shipping: 0,
        order_total: 31.35,
        limit_left_after: 968.65,
      },
    }),
    refusals: {
      country_code_unknown: refused(
        () => ({ country_code: 'XX' }),
        () => ({ country_code: 'XX' }),
      ),
      region_code_unknown: refused(
        () => ({ region_code: 'FR-75' }),
        () => ({ region_code: 'FR-75', country_code: 'DE' }),
      ),
      address_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${me.client_id}/orders/`,
        json: { stock_id: 1, lines: [{ item_id: 1, quantity: 3 }], address_id: unknownId },
        details: { address_id: unknownId },
      }),
      client_not_found: async (world) => ({
        ...phoned(world),
        path: `/operator/v1/clients/${unknownId}/orders/`,
        details: { client_id: unknownId },
      }),
      contact_not_found: refused(
        () => ({ contact_id: unknownId }),
        ({ me }) => ({ client_id: me.client_id, contact_id: unknownId }),
      ),
      contract_not_found: refused(
        () => ({ contract_id: unknownId }),
        () => ({ contract_id: unknownId }),
      ),
      stock_not_found: refused(
        () => ({ stock_id: unknownId }),
        () => ({ stock_id: unknownId }),
      ),
      client_blocked: async (world) => {
        const { service, me } = world
        await service.sql("update clients set block_reason = 'Unpaid.' where client_id = $1", [me.client_id])
        return { ...phoned(world), details: { block_reason: 'Unpaid.' } }
      },
      contract_blocked: async (world) => {
        const { service, me } = world
        await service.sql("update contracts set block_reason = 'Unpaid.' where contract_id = $1", [me.contract_id])
        return { ...phoned(world), details: { contract_id: me.contract_id, block_reason: 'Unpaid.' } }
      },
      stock_not_serving: refused(
        () => ({ stock_id: 3 }),
        () => ({ stock_id: 3 }),
      ),
      article_not_found: async (world) => ({
        ...phoned(world, {
          lines: [
            { article: 'BN-280-V', brand: 'Filterwerk', quantity: 1 },
            { item_id: unknownId, quantity: 1 },
          ],
        }),
        details: { article: 'BN-280-V', brand: 'Filterwerk' },
        more: [{ code: 'article_not_found', details: { item_id: unknownId } }],
      }),
      article_ambiguous: async (world) => {
        const article = `AMB-${world.me.client_id}`
        await world.service.sql(
          `insert into items (product_id, brand_id, item_vendor_code, item_barcode, item_title)
           select 11, brand_id, $1, '', 'Ambiguous' from brands where brand_id in (1, 2)`,
          [article],
        )
        return { ...phoned(world, { lines: [{ article, quantity: 1 }] }), details: { article } }
      },
      item_not_on_sale: refused(
        () => ({ lines: [{ item_id: 5, quantity: 1 }] }),
        () => ({ item_id: 5 }),
      ),
      item_not_priced: refused(
        () => ({ lines: [{ item_id: 6, quantity: 1 }] }),
        ({ me }) => ({ item_id: 6, contract_id: me.contract_id }),
      ),
      quantity_not_allowed: async (world) => {
        const item_id = await addPackedItem(world.service)
        const details = { item_id, quantity: 25, next_quantity: 30, ...packRules }
        return { ...phoned(world, { lines: [{ item_id, quantity: 25 }] }), details }
      },
      line_quantity_exceeded: refused(
        () => ({
          lines: [
            { item_id: 2, quantity: 1_000_000 },
            { article: 'FW-2', quantity: 1 },
          ],
        }),
        () => ({ item_id: 2, in_cart: 0, requested: 1_000_001, limit: 1_000_000 }),
      ),
      reference_used: async (world) => {
        const { service, operators, me } = world
        await service.sql('update clients set unique_references = true where client_id = $1', [me.client_id])
        const request = phoned(world, { reference: 'PO-1' })
        const { created_order_id } = await operators.ok('POST', request.path, request.json)
        return { ...request, details: { reference: 'PO-1', order_id: created_order_id } }
      },
      order_total_differs: refused(
        () => ({ expected_total: 30.01 }),
        () => ({ order_total: 30, expected_total: 30.01 }),
      ),
      out_of_stock: async (world) => {
        await leaveFive(world)
        const details = { item_id: 3, stock_id: 1, available: 5, requested: 6 }
        return { ...phoned(world, { lines: [{ item_id: 3, quantity: 6 }] }), details }
      },
      contract_limit_exceeded: refused(
        ({ me }) => ({ contract_id: me.limited_contract_id, lines: [{ item_id: 2, quantity: 400 }] }),
        ({ me }) => ({ contract_id: me.limited_contract_id, limit: 1000, used: 0, requested: 1045 }),
      ),
      order_total_too_large: refused(
        ({ me }) => ({ contract_id: me.special_contract_id, lines: [{ item_id: 2, quantity: 1_000_000 }] }),
        () => ({ total_max: 999_999_999_999.999 }),
      ),
      idempotency_key_used: async (world) => {
        const { path, json } = phoned(world)
        return withUsedKey(world, path, { first: json, second: { ...json, comment: 'Another order.' } })
      },
    },
  },
  'POST /operator/v1/clients/{client_id}/orders/from-cart/': {
    success: fromCart.success,
    refusals: {
      ...fromCart.refusals,
      out_of_stock: async (world) => {
        await leaveFive(world)
        return outOfStock(world)
      },
      contact_not_found: async (world) => {
        const { data: _, ...request } = await fromCart.success({ ...world, role: 'admin' })
        const details = { client_id: world.me.client_id, contact_id: unknownId }
        return { ...request, json: { ...request.json, contact_id: unknownId }, details }
      },
    },
  },
}
