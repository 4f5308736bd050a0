/** Entries are numbered in the order of their commits: who reads on from the last number misses none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { rounds } from '../../testing/racing.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { makeWorld } from '../../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const readAfter = async (position: number): Promise<number[]> =>
  (await operators.ok('GET', `/operator/v1/audit/?after=${position}&limit=500`)).map(
    ({ audit_id }: { audit_id: number }) => audit_id,
  )

test('while a transaction with an entry is open, no later entry can be read', async () => {
  const slow = new pg.Client({ connectionString: service.databaseUrl })
  await slow.connect()
  try {
    const last = (await readAfter(0)).at(-1) ?? 0
    await slow.query('begin')
    await slow.query(`insert into audit_entries (audit_action, actor, request_id) values ('key_issued', 'slow', '')`)
    const json = { view_name: 'Behind', filters: 'held=true' }
    const behind = operators.ok('POST', '/operator/v1/views/', json)
    const waiting = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    await eventually(async () => (await service.sql(waiting)).length > 0)
    assert.deepEqual(await readAfter(last), [])
    await slow.query('commit')
    await behind
    assert.deepEqual(await readAfter(last), [last + 1, last + 2])
  } finally {
    await slow.end()
  }
})

test('a reader that goes on from its last entry gets every entry once, in order, while carts are changed', async () => {
  const worlds = await Promise.all(Array.from({ length: 4 }, () => makeWorld(service)))
  const start = (await readAfter(0)).at(-1) ?? 0
  let writing = true
  const read = (async () => {
    const seen: number[] = []
    for (let last = false; !last;) {
      last = !writing
      seen.push(...(await readAfter(seen.at(-1) ?? start)))
    }
    return seen
  })()
  const each = rounds(40)
  await Promise.all(
    worlds.flatMap(({ me }) =>
      ['rename', 'lines'].map(async (kind) => {
        const carts = `/operator/v1/clients/${me.client_id}/carts/`
        const { cart_id } = await operators.ok('POST', carts, { name: 'Of the race' })
        for (let n = 0; n < each; n++)
          if (kind === 'rename') await operators.ok('POST', `${carts}${cart_id}/rename/`, { name: `Name ${n}` })
          else await operators.ok('POST', `${carts}${cart_id}/items/`, { item_id: 1, stock_id: 1, quantity: 1 })
      }),
    ),
  )
  writing = false
  const seen = await read
  assert.equal(seen.length, 4 * 2 * (1 + each))
  assert.deepEqual(
    seen,
    seen.map((_, n) => start + 1 + n),
  )
  await service.checkInvariants()
})

test('operators who change one cart at the same time never deadlock on the audit log', async () => {
  const { me, shop } = await makeWorld(service)
  const cart_id = await shop.createCart()
  const cart = `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`
  const deadlocks = async (): Promise<unknown> => {
    await service.sql('select pg_stat_clear_snapshot()')
    return (await service.sql('select deadlocks from pg_stat_database where datname = current_database()'))[0]
  }
  const before = await deadlocks()
  await Promise.all(
    Array.from({ length: rounds(40) }, async (_, n) => {
      await operators.ok('POST', `${cart}rename/`, { name: `Name ${n}` })
      const { cart_item_id } = await operators.ok('POST', `${cart}items/`, { item_id: 1 + (n % 2), stock_id: 1, quantity: 1 }) // prettier-ignore
      await operators.ok('PATCH', `${cart}items/${cart_item_id}/`, { quantity: 2 + n })
    }),
  )
  await new Promise((resolve) => setTimeout(resolve, 1_500)) // PostgreSQL publishes statistics once a second.
  assert.deepEqual(await deadlocks(), before)
})
