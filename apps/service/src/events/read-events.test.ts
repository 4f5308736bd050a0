import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { clientEventTypes } from './event-types.ts'
import { scopes } from '../identity/actor.ts'
import { storedAdjustmentFields } from '../orders/adjustment.ts'
import {
  newOrderFields,
  storedContractFields,
  storedOrderFields,
  storedStockFields,
  unshownOrderFields,
} from '../orders/order-fields.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Event {
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
  readonly data: Record<string, unknown>
}

const read = (me: TestClient, query: string): Promise<Event[]> =>
  shopper(service, me).ok('GET', `/api/v1/events/?${query}`)

const numbers = (events: readonly Event[]): number[] => events.map(({ event_number }) => event_number)

async function place(me: TestClient, line: { contract_id?: number } = {}): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 3, ...line })
  return shop.order(cart_id)
}

test("sixteen clients change their orders at once: each waiting reader sees every number once, in order, and only its client's events", async () => {
  const clients = await Promise.all(Array.from({ length: 16 }, () => addClient(service)))
  const lastNumbers = new Map<number, number>() // Set when all changes are done.
  const follow = async (me: TestClient, limit: number): Promise<Event[]> => {
    const seen: Event[] = []
    while (seen.length < (lastNumbers.get(me.client_id) ?? Infinity))
      seen.push(...(await read(me, `after=${seen.at(-1)?.event_number ?? 0}&limit=${limit}&wait=1`)))
    return seen
  }
  const followers = clients.map(async (me) => ({ me, logs: await Promise.all([follow(me, 1), follow(me, 500)]) }))
  await Promise.all(
    clients.flatMap((me) =>
      // Three programs of the client and an operator at the same time.
      Array.from({ length: 3 }, async () => {
        const shop = shopper(service, me)
        for (let n = 0; n < 4; n++) {
          const order_id = await place(me)
          const [{ order_item_id }] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
          const { adjustment_id } = await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${order_item_id}/`, {
            quantity: 2,
          })
          await Promise.all([
            operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/accept/`).catch(() => undefined),
            shop.ok('DELETE', `/api/v1/orders/${order_id}/`),
          ])
        }
      }),
    ),
  )
  for (const { client_id, event_number } of await service.sql('select client_id, event_number from clients'))
    lastNumbers.set(Number(client_id), Number(event_number))
  for (const { me, logs } of await Promise.all(followers)) {
    const rows = await service.sql(
      'select event_type, order_id::int from events where client_id = $1 order by event_number',
      [me.client_id],
    )
    assert(rows.length > 40)
    const own = rows.map(({ event_type, order_id }, i) => ({ event_number: i + 1, event_type, order_id }))
    for (const log of logs)
      assert.deepEqual(
        log.map(({ event_number, event_type, order_id }) => ({ event_number, event_type, order_id })),
        own,
      )
  }
  await service.checkInvariants()
})

test('of orders that race for the last tenth of a limit, exactly one records contract.limit_low', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const contract_id = me.limited_contract_id // Each order comes to 31.35, of 1000.
  const keys = await Promise.all(
    Array.from({ length: 31 }, async () => {
      const cart_id = await shop.createCart()
      await shop.add(cart_id, { item_id: 1, quantity: 3, contract_id })
      return shop.groupKey(cart_id)
    }),
  )
  await Promise.all(keys.map((cart_group_key) => shop.ok('PUT', '/api/v1/orders/', { cart_group_key, ...address })))
  const events = await read(me, 'after=1&limit=500')
  assert.deepEqual(
    numbers(events),
    Array.from({ length: 32 }, (_, i) => i + 2),
  )
  const low = events.filter(({ event_type }) => event_type === 'contract.limit_low')
  assert.deepEqual(
    low.map((event) => event.data['contract_used']),
    [909.15],
  )
  await service.checkInvariants()
})

test("of the distributor's changes a client reads the fields that concern it, but not who made them or the distributor's own ids", async () => {
  const me = await addClient(service)
  const client = `/operator/v1/clients/${me.client_id}`
  const terms = { contract_name: 'Extra', price_list_id: 2, discount_percent: 7.5, contract_limit: 500 }
  const { contract_id } = await operators.ok('POST', `${client}/contracts/`, terms)
  await operators.ok('PATCH', `${client}/contracts/${contract_id}/`, { price_list_id: 1, contract_name: 'Extra 2' })
  await operators.ok('PATCH', `${client}/contracts/${contract_id}/`, { discount_percent: 10, tax_percent: 7 })
  await operators.ok('PATCH', `${client}/`, { client_name: 'Weber & Lang' })
  const answer = await service.request('GET', '/api/v1/events/', { key: me.key })
  assert.deepEqual(
    (answer.body.data as Event[]).map(({ event_type, order_id, data }) => ({ event_type, order_id, data })),
    [
      {
        event_type: 'key.issued',
        order_id: null,
        data: {
          key_id: me.key_id,
          contact_id: me.contact_id,
          scopes: [...scopes],
        },
      },
      {
        event_type: 'contract.created',
        order_id: null,
        data: {
          contract_id,
          contract_name: 'Extra',
          contract_default: false,
          contract_service: false,
          contract_limit: 500,
        },
      },
      { event_type: 'contract.changed', order_id: null, data: { contract_id, contract_name: 'Extra 2' } },
      {
        event_type: 'contract.changed',
        order_id: null,
        data: { contract_id, discount_percent: 10, tax_percent: 7 },
      },
      { event_type: 'client.changed', order_id: null, data: { client_name: 'Weber & Lang' } },
    ],
  )
  assert.doesNotMatch(answer.text, /Test admin|operator|price_list|request_id/)
})

test('an event stores exactly what the lists of fields say may change later', async () => {
  const me = await addClient(service)
  const shop = shopper(service, me)
  const order_id = await place(me)
  const [line] = await shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  await shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity: 2 })
  await shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  const events = await service.sql(
    `select event_type, array(select jsonb_object_keys(data) order by 1) as keys from events
     where order_id = $1 order by event_number`,
    [order_id],
  )
  const ofOrder = { ...storedOrderFields, ...unshownOrderFields, ...storedStockFields, ...storedContractFields }
  const { order_update_datetime: _, history_count: _one, ...ofNewOrder } = ofOrder
  const isNew = (name: string): boolean => !Object.hasOwn(newOrderFields, name)
  const sorted = (names: string[]): string[] => names.toSorted()
  assert.deepEqual(events, [
    { event_type: 'order.created', keys: sorted([...Object.keys(ofNewOrder).filter(isNew), 'exposure']) },
    { event_type: 'adjustment.created', keys: sorted(Object.keys(storedAdjustmentFields)) },
    { event_type: 'order.state_changed', keys: sorted(Object.keys(ofOrder)) },
    { event_type: 'adjustment.decided', keys: sorted(Object.keys(storedAdjustmentFields)) },
  ])
})

test('the catalogue has exactly the event types that statements write', () => {
  const src = join(import.meta.dirname, '..')
  const statements = globSync('**/*.sql', { cwd: src, exclude: ['events/event-joins.part.sql'] }) // That one reads them.
  const written = statements.flatMap((file) =>
    [...readFileSync(join(src, file), 'utf8').matchAll(/['{,]((?:return_)?[a-z]+\.[a-z_]+)(?=[',}])/g)].map(
      ([, type = '']) => type,
    ),
  )
  assert.deepEqual([...new Set(written)].toSorted(), Object.keys(clientEventTypes).toSorted())
})
