/** What must not compile. `npm run check:types` fails when one of these lines does. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ConflictError,
  createClient,
  ExpiredError,
  RefusedError,
  type CartGroup,
  type DealerErrorDetails,
  type Order,
  type PartsClient,
} from '@parts-ordering/client'
import { RefusedError as OperatorRefusedError, type PartsOperatorClient } from '@parts-ordering/client/operator'

const calls = (client: PartsClient, operator: PartsOperatorClient): unknown[] => [
  () => client.createCart({ name: 'Spring' }),
  // @ts-expect-error A field that is missing.
  () => client.createCart({}),
  // @ts-expect-error A field that does not exist.
  () => client.createCart({ name: 'Spring', colour: 'red' }),
  // @ts-expect-error A field of another type.
  () => client.addCartItem({ cart_id: 1, item_id: 'one', stock_id: 1, quantity: 1 }),
  // @ts-expect-error No parameters where some are needed.
  () => client.readOrder(),
  // @ts-expect-error A word that is not in the list.
  () => client.listOrders({ state: 'lost' }),
  // @ts-expect-error A filter that does not exist.
  () => client.listOrders({ colour: 'red' }),
  // @ts-expect-error An operation of the operators.
  () => client.moveOrder({ order_id: 1, state_id: 'processing' }),
  // @ts-expect-error A body without its required field.
  () => operator.moveOrder({ order_id: 1 }),
  // @ts-expect-error A field that the order does not have.
  async () => (await client.readOrder({ order_id: 1 })).order_colour,
  // @ts-expect-error The group as it was shown, not only its key.
  () => client.orders.placeAsShown('77-…', {}),
  async () => client.orders.placeAsShown(await shown(client), { address_id: 21, recipient: 'Jonas Weber' }),
  // @ts-expect-error Neither an address nor the id of a saved one.
  async () => client.orders.placeAsShown(await shown(client), { recipient: 'Jonas Weber' }),
  // @ts-expect-error A part of an address.
  () => client.placeOrder({ cart_group_key: '77-…', zip: '10115', city: 'Berlin' }),
  // @ts-expect-error The key is missing.
  () => createClient({ url: 'http://127.0.0.1' }),
  async (): Promise<Order> => client.readOrder({ order_id: 1, include: ['items', 'address'] }),
  async () => (await client.readOrder({ order_id: 1, include: ['items', 'address'] })).items.length,
  async () => (await client.orders.list({ include: ['items'] })).data.map(({ items }) => items.length),
  async () => (await client.listCartItems({ cart_id: 1, include: 'totals' })).map(({ totals }) => totals.total),
  async () => (await client.listItems({ articles: ['AV-10001'], include: 'net' })).data.map(({ net }) => net.price),
  // @ts-expect-error What was not asked for may be absent.
  async () => (await client.readOrder({ order_id: 1, include: ['address'] })).items.length,
  // @ts-expect-error Words that only the running program knows.
  async (include: 'items'[]) => (await client.readOrder({ order_id: 1, include })).items.length,
  // A status that this version does not know.
  async () => (await client.readAdjustment({ order_id: 1, adjustment_id: 1 })).adjustment_status === 'HALTED',
]

const shown = async (client: PartsClient): Promise<CartGroup> => (await client.listCartItems({ cart_id: 1 }))[0]!

function advice(error: unknown): string {
  if (error instanceof ExpiredError) {
    const { code, details } = error
    code satisfies 'events_expired'
    return `Continue with ${details.first_event_number - 1}.`
  }
  if (!(error instanceof RefusedError)) return 'Not from the service.'
  switch (error.code) {
    case 'out_of_stock':
      return `Only ${error.details.available} are left.`
    case 'cart_full':
      // @ts-expect-error Details of another code.
      return `At most ${error.details.available}.`
    // @ts-expect-error A code that does not exist.
    case 'out_of_milk':
      return 'Buy some.'
    default:
      return error.message
  }
}

/** All codes of a class: without one of them, `never` is not reached and this does not compile. */
function isAboutTheKey(error: RefusedError): boolean {
  type Rest = Exclude<keyof DealerErrorDetails, 'unauthorized' | 'scope_missing'>
  switch (error.code) {
    case 'unauthorized':
    case 'scope_missing':
      return true
    default:
      error.code satisfies Rest
      // @ts-expect-error Not every code has been handled.
      error satisfies never
      return false
  }
}

test('errors narrow by class and by code', () => {
  const body = (code: string, details: Record<string, unknown>) => ({
    errors: [{ code, message: 'No.', details }],
    request_id: 'x',
  })
  const outOfStock = new ConflictError(409, body('out_of_stock', { available: 3 }))
  assert.equal(advice(outOfStock), 'Only 3 are left.')
  assert.equal(advice(new ExpiredError(410, body('events_expired', { first_event_number: 8 }))), 'Continue with 7.')
  assert.equal(advice(new RefusedError(400, body('field_missing', {}))), 'No.')
  assert.equal(advice(new Error('Broken')), 'Not from the service.')
  assert.equal(isAboutTheKey(outOfStock), false)
  assert(outOfStock instanceof OperatorRefusedError)
  assert.equal(typeof calls, 'function') // Never called: it is only compiled.
})
