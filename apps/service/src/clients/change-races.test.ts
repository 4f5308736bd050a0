/** Operators change the same client at once while it orders. Each request is answered, and the outcome is serialisable. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { collisions } from '../testing/metrics.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { assertAll, rounds } from '../testing/racing.ts'
import { startService, type Answer, type TestService } from '../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

const atOnce = 4

let service: TestService
let operators: Operators
let clients: TestClient[]

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  clients = await Promise.all(Array.from({ length: atOnce }, () => addClient(service)))
  // One price list and no limits, so that the client can order under any contract.
  await service.sql('update contracts set contract_limit = 0, price_list_id = 1')
})
after(() => service.close())

/** Runs the rounds concurrently, one client per runner, and counts the outcomes. */
async function race(count: number, round: (me: TestClient) => Promise<string>): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {}
  let begun = 0
  const runner = async (me: TestClient): Promise<void> => {
    while (begun++ < count) {
      const outcome = await round(me)
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
    }
  }
  await Promise.all(clients.map(runner))
  await service.checkInvariants()
  return outcomes
}

const change = (method: string, path: string, json: object): Promise<Answer> =>
  service.request(method, `/operator/v1/clients/${path}`, { key: operators.keys.admin, json })

function assertDone(answers: Answer[]): void {
  for (const { status, text } of answers) assert.equal(status, 200, text)
}

const defaultsOf = async ({ client_id }: TestClient): Promise<number[]> => {
  const rows = await service.sql('select contract_id from contracts where client_id = $1 and contract_default', [
    client_id,
  ])
  return rows.map(({ contract_id }) => Number(contract_id))
}

/** A cart with one group under the current default contract. */
async function filledCart(me: TestClient): Promise<{ cart_id: number; cart_group_key: string }> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  return { cart_id, cart_group_key: await shop.groupKey(cart_id) }
}

test('two operators make different contracts the default while the client orders: one default remains, and no deadlock occurs', async () => {
  const before_ = await collisions()
  const outcomes = await race(rounds(500), async (me) => {
    const [limited, special] = [me.limited_contract_id, me.special_contract_id]
    const carts = [await filledCart(me), await filledCart(me)]
    const moves = [limited, special].map(
      (contract_id) => () => change('PATCH', `${me.client_id}/contracts/${contract_id}/`, { contract_default: true }),
    )
    const orders = carts.map(
      ({ cart_group_key }) =>
        () =>
          service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } }),
    )
    const [one, other, first, second] = [...moves, ...orders]
    assert(one && other && first && second)
    const queue = Math.random() < 0.5 ? [one, first, other, second] : [first, other, second, one]
    assertDone(await Promise.all(queue.map((send) => send())))
    const defaults = await defaultsOf(me)
    assert.equal(defaults.length, 1)
    for (const { cart_id } of carts) await shopper(service, me).ok('DELETE', `/api/v1/carts/${cart_id}/`)
    return defaults[0] === limited ? 'limited' : defaults[0] === special ? 'special' : 'neither'
  })
  assertAll(outcomes, 'limited', 'special')
  assert.equal(await collisions(), before_)
})

test('two new contracts and an old one become the default at once: one default remains, and no contract is lost', async () => {
  const before_ = await collisions()
  const outcomes = await race(100, async (me) => {
    const terms = { price_list_id: 1, contract_default: true }
    const answers = await Promise.all([
      change('POST', `${me.client_id}/contracts/`, { contract_name: 'A', ...terms }),
      change('PATCH', `${me.client_id}/contracts/${me.contract_id}/`, { contract_default: true }),
      change('POST', `${me.client_id}/contracts/`, { contract_name: 'B', ...terms }),
    ])
    assertDone(answers)
    const contracts = answers.map(({ body }) => Number(body.data.contract_id))
    const defaults = await defaultsOf(me)
    assert.equal(defaults.length, 1)
    return ['A', 'old', 'B'][contracts.indexOf(defaults[0] ?? 0)] ?? 'neither'
  })
  assert(!('neither' in outcomes) && Object.keys(outcomes).length > 1, JSON.stringify(outcomes))
  assert.equal(await collisions(), before_)
})

test("two operators replace a client's stocks at once: the client gets the stocks of one request, never a mixture", async () => {
  const outcomes = await race(200, async (me) => {
    await Promise.all([[1], [2, 3]].map((stock_ids) => change('PATCH', `${me.client_id}/`, { stock_ids }))).then(
      assertDone,
    )
    const rows = await service.sql('select stock_id from client_stocks where client_id = $1 order by stock_id', [
      me.client_id,
    ])
    return rows.map(({ stock_id }) => String(stock_id)).join(', ')
  })
  assert.deepEqual(Object.keys(outcomes).toSorted(), ['1', '2, 3'], JSON.stringify(outcomes))
})

test('when a limit is lowered while the client orders, the order comes first or is refused: nothing is accepted beyond the limit', async () => {
  const outcomes = await race(100, async (me) => {
    const { contract_id } = (
      await change('POST', `${me.client_id}/contracts/`, { contract_name: 'Tight', price_list_id: 1 })
    ).body.data
    await change('PATCH', `${me.client_id}/`, { stock_ids: [1] })
    const shop = shopper(service, me)
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id: 2, quantity: 4, contract_id }) // 10.00 in all.
    const cart_group_key = await shop.groupKey(cart_id)
    const order = () => service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...address } })
    const lower = () => change('PATCH', `${me.client_id}/contracts/${contract_id}/`, { contract_limit: 9.99 })
    const inOrder = Math.random() < 0.5
    const answers = await Promise.all(inOrder ? [order(), lower()] : [lower(), order()])
    await shop.ok('DELETE', `/api/v1/carts/${cart_id}/`)
    const [ordered, lowered] = inOrder ? answers : answers.toReversed()
    return [ordered, lowered].map((answer) => answer?.body.errors?.[0]?.code ?? 'done').join(', ')
  })
  assert.deepEqual(
    Object.keys(outcomes).toSorted(),
    ['contract_limit_exceeded, done', 'done, done'],
    JSON.stringify(outcomes),
  )
})
