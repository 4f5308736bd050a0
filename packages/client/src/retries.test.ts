/** Retries, through a proxy that loses requests and answers, before the real service. */
import assert from 'node:assert/strict'
import { after, before, test, type TestContext } from 'node:test'
import {
  ConnectionError,
  createClient,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnavailableError,
  UnexpectedAnswerError,
  type ClientOptions,
  type PartsClient,
} from '@parts-ordering/client'
import { createOperatorClient } from '@parts-ordering/client/operator'
import {
  addClient,
  addFixtures,
  address,
  shopper,
  type TestClient,
} from '../../../apps/service/src/testing/fixtures.ts'
import { makeOperators } from '../../../apps/service/src/testing/operators.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'
import { openUnreliableProxy, type Fate } from '../testing/unreliable-proxy.ts'

let service: TestService
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
})
after(() => service.close())

/** A client whose first requests meet these fates, one after another; later ones pass. */
async function meeting(t: TestContext, fates: Fate[], options: Partial<ClientOptions> = {}): Promise<PartsClient> {
  const left = [...fates]
  const proxy = await openUnreliableProxy(service.port, () => left.shift() ?? 'pass', { delayMs: () => 60_000 })
  t.after(() => proxy.close())
  return createClient({ url: proxy.url, key: me.key, ...options })
}

const everyFailure: readonly Fate[] = ['cut before', 'cut after', 'cut during', '429', '502', '503']

for (const fate of everyFailure) {
  test(`a creation that meets '${fate}' is carried out once`, async (t) => {
    const client = await meeting(t, [fate, fate])
    const { cart_id } = await client.createCart({ name: fate })
    const names = (await client.listCarts()).filter(({ cart_name }) => cart_name === fate)
    assert.deepEqual(
      names.map((cart) => cart.cart_id),
      [cart_id],
    )
    const adding = await meeting(t, [fate, 'pass', fate])
    await adding.addCartItem({ cart_id, item_id: 1, stock_id: 1, quantity: 2 })
    await adding.addCartItems({ cart_id, rows: [{ item_id: 1, stock_id: 1, quantity: 3 }] })
    const [group] = await client.listCartItems({ cart_id })
    assert.deepEqual(
      group?.cart_items.map(({ quantity }) => quantity),
      [5],
    )
  })

  test(`a deletion that meets '${fate}' succeeds`, async (t) => {
    const cart_id = await shopper(service, me).createCart('Short-lived')
    const client = await meeting(t, [fate])
    assert.deepEqual(await client.deleteCart({ cart_id }), { removed_cart_id: cart_id })
    await assert.rejects(client.deleteCart({ cart_id }), NotFoundError)
  })

  test(`an order that meets '${fate}' is placed once`, async (t) => {
    const cart_id = await shopper(service, me).createCart('Once')
    await shopper(service, me).add(cart_id, { item_id: 1, quantity: 1 })
    const client = await meeting(t, ['pass', fate])
    const [group] = await client.listCartItems({ cart_id })
    assert(group)
    const placed = await client.orders.placeAsShown(group, address, { reference: `met ${fate}` })
    assert(placed.placed)
    const found = await Array.fromAsync(client.orders.list({ reference: `met ${fate}` }))
    assert.deepEqual(
      found.map(({ order_id }) => order_id),
      [placed.created_order_id],
    )
  })
}

test("a key of the caller's own makes a repetition by another program safe", async () => {
  const client = createClient({ url: `http://127.0.0.1:${service.port}`, key: me.key })
  const options = { idempotencyKey: 'stored-before-sending' }
  const first = await client.createCart({ name: 'Mine' }, options)
  const restarted = createClient({ url: `http://127.0.0.1:${service.port}`, key: me.key })
  assert.deepEqual(await restarted.createCart({ name: 'Mine' }, options), first)
})

test('after all repetitions the last error is thrown, and each repetition is reported', async (t) => {
  const seen: [number, string][] = []
  const onRetry: ClientOptions['onRetry'] = ({ attempt, waitMs, error }) => {
    assert(waitMs >= 0 && waitMs < 200 * 2 ** attempt)
    seen.push([attempt, error.name])
  }
  const options = { retries: 1, onRetry }
  await assert.rejects((await meeting(t, ['cut before', 'cut before'], options)).listCarts(), ConnectionError)
  await assert.rejects((await meeting(t, ['503', '503'], options)).listCarts(), UnavailableError)
  await assert.rejects((await meeting(t, ['429', '429'], options)).listCarts(), RateLimitedError)
  await assert.rejects((await meeting(t, ['502', '502'], options)).listCarts(), (error) => {
    assert(error instanceof UnexpectedAnswerError)
    assert.deepEqual([error.status, error.body], [502, '<h1>Bad gateway</h1>'])
    return true
  })
  assert.deepEqual(seen, [
    [1, 'ConnectionError'],
    [1, 'UnavailableError'],
    [1, 'RateLimitedError'],
    [1, 'UnexpectedAnswerError'],
  ])
})

test('an attempt that takes longer than timeoutMs is repeated, and then throws TimeoutError', async (t) => {
  const client = await meeting(t, ['delay', 'delay', 'delay'], { timeoutMs: 50, retries: 2 })
  await assert.rejects(client.listCarts(), (error) => {
    assert(error instanceof TimeoutError)
    assert(error instanceof ConnectionError)
    assert.match(error.message, /^No answer within 50 ms: GET http/)
    return true
  })
  const patient = await meeting(t, ['delay'], { timeoutMs: 50, retries: 100 })
  assert.deepEqual(await patient.listOrderStates(), await patient.listOrderStates())
})

test('an AbortSignal ends a call while it is sent, and while it waits for a repetition', async (t) => {
  const sending = AbortSignal.timeout(20)
  const slow = await meeting(t, ['delay'])
  await assert.rejects(slow.listCarts({}, { signal: sending }), (error) => error === sending.reason)
  const stop = new AbortController()
  const waiting = await meeting(t, ['503', '503'], { onRetry: () => stop.abort(new Error('enough')) })
  await assert.rejects(waiting.listCarts({}, { signal: stop.signal }), /enough/)
  await assert.rejects(waiting.listCarts({}, { signal: AbortSignal.abort(new Error('never')) }), /never/)
})

test('an operator adds a note exactly once: the client repeats it with its key, after refusals and after a lost answer', async (t) => {
  const { keys } = await makeOperators(service)
  const cart_id = await shopper(service, me).createCart('Noted')
  await shopper(service, me).add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shopper(service, me).order(cart_id)
  const fates: Fate[] = ['429', '503', 'pass', 'cut after']
  const proxy = await openUnreliableProxy(service.port, () => fates.shift() ?? 'pass')
  t.after(() => proxy.close())
  const operator = createOperatorClient({ url: proxy.url, key: keys.admin })
  await operator.addNote({ order_id, text: 'First', internal: true })
  await operator.addNote({ order_id, text: 'Second', internal: true })
  const { notes } = await operator.readClientOrder({ order_id })
  assert.deepEqual(notes?.map(({ note_text }) => note_text).toSorted(), ['First', 'Second'])
})

test('with `once`, a POST without a key is not repeated after a lost answer; with a key, and after a refusal, it is', async (t) => {
  const { keys } = await makeOperators(service)
  const cart_id = await shopper(service, me).createCart('Looked at')
  await shopper(service, me).add(cart_id, { item_id: 1, quantity: 1 })
  const order_id = await shopper(service, me).order(cart_id)
  const fates: Fate[] = ['503', 'cut after']
  const proxy = await openUnreliableProxy(service.port, () => fates.shift() ?? 'pass')
  t.after(() => proxy.close())
  const operator = createOperatorClient({ url: proxy.url, key: keys.admin, once: true })
  await assert.rejects(operator.moveOrder({ order_id, state_id: 'processing' }), ConnectionError)
  assert.deepEqual(proxy.met, { '503': 1, 'cut after': 1 })
  assert.equal((await operator.readClientOrder({ order_id })).order_state_id, 'processing')
  fates.push('cut after', 'cut after')
  await operator.addNote({ order_id, text: 'Once', internal: true })
  const rows = [{ stock_id: 1, item_id: 1, on_hand: 500 }]
  fates.push('cut after')
  assert.equal((await operator.importStockLevels({ rows })).rows, 1)
  assert.equal((await operator.readClientOrder({ order_id })).notes?.length, 1)
})

test('the rate limit is honoured: a client at its limit waits instead of failing', async (t) => {
  const limited = await startService({ settings: { RATE_LIMIT: 'on' } })
  t.after(() => limited.close())
  await addFixtures(limited)
  const { key, key_id } = await addClient(limited)
  await limited.sql('update api_keys set rate_per_second = 20, rate_burst = 20 where key_id = $1', [key_id])
  const retried: string[] = []
  const client = createClient({
    url: `http://127.0.0.1:${limited.port}`,
    key,
    onRetry: ({ error }) => retried.push(error.name),
  })
  for (let n = 0; n < 50; n++) await client.listOrderStates()
  assert.deepEqual(retried, []) // One request at a time never exceeds it, since RateLimit says when to pause.
  await Promise.all(Array.from({ length: 60 }, () => client.listOrderStates()))
})
