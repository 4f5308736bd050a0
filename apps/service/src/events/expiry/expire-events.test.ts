/** Events expire by dropping the table in which they were set aside. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { expireEvents } from './expire-events.ts'
import { eventsAfter, lastEvents } from '../../testing/events.ts'
import { holdRows } from '../../testing/hold-rows.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../testing/fixtures.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

interface Event {
  readonly client_id: number
  readonly event_number: number
}

/** Runs the worker's job to its end; returns how many events it has hidden. */
const expire = async (): Promise<number> =>
  (await Array.fromAsync(expireEvents(service.db, { kept_days: 90 }))).reduce((sum, count) => sum + count, 0)

async function place(me: TestClient): Promise<number> {
  const shop = shopper(service, me)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return shop.order(cart_id)
}

const read = (me: TestClient, query: string): Promise<Event[]> =>
  shopper(service, me).ok('GET', `/api/v1/events/?${query}`)

const numbers = (events: readonly Event[]): number[] => events.map(({ event_number }) => event_number)

/** As if everything so far had happened 91 days ago. */
async function letTimePass(): Promise<void> {
  await service.sql(`update events set event_datetime = now() - interval '91 days'`)
  await service.sql(`update orders set order_create_datetime = now() - interval '91 days'`)
}

const stored = async (): Promise<unknown> =>
  (
    await service.sql(
      'select (select count(*)::int from only events) as new, (select count(*)::int from events_before) as before',
    )
  )[0]

test('reading expired events is refused with the first number still kept; the rest has no gap, and the feed goes on', async () => {
  const [me, other] = [await addClient(service), await addClient(service)]
  await place(me)
  await lastEvents(service, operators)
  const { next_cursor: early } = await operators.ok('GET', '/operator/v1/events/?limit=1')
  await letTimePass()
  const runs = await Promise.all([expire(), expire(), expire()])
  const [row] = await service.sql('select sum(first_event_number - 1)::int as expired from clients')
  assert.equal(
    runs.reduce((sum, count) => sum + count),
    row?.['expired'],
  )
  assert.deepEqual(await stored(), { new: 0, before: 0 })
  await service.checkInvariants()

  await place(me)
  await place(other)
  const answer = await service.request('GET', '/api/v1/events/?after=1', { key: me.key })
  assert.equal(answer.status, 410)
  assert.deepEqual(answer.body.errors[0]?.details, { after: 1, first_event_number: 3 })
  assert.deepEqual(numbers(await read(me, 'after=2')), [3])
  assert.deepEqual(numbers(await read(me, '')), [3])

  const { next_cursor } = await lastEvents(service, operators)
  await place(me)
  assert.deepEqual(numbers(await read(me, 'after=3')), [4])
  const fed = await eventsAfter<Event>(operators, next_cursor, 1)
  assert.deepEqual(
    fed.map(({ client_id, event_number }) => [client_id, event_number]),
    [[me.client_id, 4]],
  )
  await service.checkInvariants()

  const late = await service.request('GET', `/operator/v1/events/?wait=10&cursor=${early}`, {
    key: operators.keys.viewer,
  })
  assert.deepEqual([late.status, late.body.errors[0]?.code], [410, 'feed_expired'])
  const { events } = await operators.ok('GET', '/operator/v1/events/?limit=1')
  assert.deepEqual([events[0].client_id, events[0].event_number], [me.client_id, 3])
})

test('an event is kept for as long as a younger one that was set aside with it, and readers see no difference', async () => {
  const me = await addClient(service)
  await letTimePass()
  await expire()
  await place(me)
  await letTimePass()
  const young = await place(me)
  assert.equal(await expire(), 0)
  assert.deepEqual(await stored(), { new: 0, before: 2 })
  const after = await place(me)
  assert.deepEqual(await stored(), { new: 1, before: 2 })
  assert.deepEqual(numbers(await read(me, '')), [2, 3, 4])
  assert.deepEqual(numbers(await read(me, 'after=2&limit=1')), [3])
  await lastEvents(service, operators) // The first page has its event.
  const { next_cursor } = await operators.ok('GET', '/operator/v1/events/?limit=1')
  assert.deepEqual(numbers(await eventsAfter<Event>(operators, next_cursor, 2)), [3, 4])
  for (const order_id of [young, after])
    assert.equal((await operators.ok('GET', `/operator/v1/log/?order_id=${order_id}`)).length, 1)
  assert.equal(await expire(), 0) // Nothing is due.
  assert.deepEqual(await stored(), { new: 1, before: 2 })
  await service.checkInvariants()

  await service.sql(`update events_before set event_datetime = now() - interval '91 days'`)
  await service.sql(`update orders set order_create_datetime = now() - interval '91 days' where order_id < $1`, [after])
  assert.equal(await expire(), 2)
  assert.deepEqual(await stored(), { new: 0, before: 1 }) // Set aside with its table.
  assert.deepEqual(numbers(await read(me, '')), [4])
  await service.checkInvariants()
})

test('a client whose events have all expired can wait for its next one', async () => {
  const me = await addClient(service)
  await letTimePass()
  await expire()
  const started = performance.now()
  assert.deepEqual(await read(me, 'wait=1'), [])
  assert(performance.now() - started > 900)
  const waiting = read(me, 'after=1&wait=20')
  await place(me)
  assert.deepEqual(numbers(await waiting), [2])
  await service.checkInvariants()
})

test('if all events have expired, the feed starts with the next one, and its cursor is valid', async () => {
  await letTimePass()
  await expire()
  const { events, next_cursor } = await operators.ok('GET', '/operator/v1/events/')
  assert.deepEqual(events, [])
  const me = await addClient(service)
  const [next] = await eventsAfter<Event>(operators, next_cursor, 1)
  assert.deepEqual([next?.client_id, next?.event_number], [me.client_id, 1])
})

test('while a long transaction reads events, expired ones are hidden and orders do not wait; then they are dropped', async () => {
  const me = await addClient(service)
  await place(me)
  await letTimePass()
  const release = await holdRows(service.databaseUrl, 'select count(*) from events') // Such as pg_dump.
  try {
    await assert.rejects(expire(), /^Error: The tables of events are in use by process \d+\. Trying again later\.$/)
  } finally {
    await release()
  }
  await service.sql(`select turn_event_tables(90)`)
  const holding = await holdRows(service.databaseUrl, 'select count(*) from events')
  try {
    const tried = new AbortController()
    const trying = assert.rejects(expire(), /in use by process/).finally(() => tried.abort())
    const exclusive: unknown[] = [] // Orders, which insert into `events`, would wait behind such a lock.
    while (!tried.signal.aborted)
      exclusive.push(
        ...(await service.sql(
          `select mode from pg_locks where relation = 'events'::text::regclass and mode = 'AccessExclusiveLock'`,
        )),
      )
    await trying
    assert.deepEqual(exclusive, [])
    for (let n = 0; n < 3; n++) await place(me)
    const answer = await service.request('GET', '/api/v1/events/?after=0', { key: me.key })
    assert.deepEqual(answer.body.errors[0]?.details, { after: 0, first_event_number: 3 })
    assert.deepEqual(numbers(await read(me, '')), [3, 4, 5])
    assert.deepEqual(numbers(await eventsAfter<Event>(operators, undefined, 3)), [3, 4, 5])
    await service.checkInvariants()
  } finally {
    await holding()
  }
  assert.equal(await expire(), 0) // They were hidden before.
  assert.deepEqual(await stored(), { new: 0, before: 3 })
  assert.deepEqual(numbers(await read(me, '')), [3, 4, 5])
  await service.checkInvariants()
})

test('a run that was killed between two batches is continued by the next one', async () => {
  await Promise.all(Array.from({ length: 3 }, () => addClient(service)))
  await letTimePass()
  await service.sql('select turn_event_tables(90)')
  for await (const hidden of expireEvents(service.db, { kept_days: 90 })) {
    assert(hidden > 0)
    break
  }
  await service.checkInvariants()
  await expire()
  assert.deepEqual(await stored(), { new: 0, before: 0 })
  await service.checkInvariants()
})

test('while the database is copied to another server, the tables keep their names; then they are turned', async () => {
  await addClient(service)
  await letTimePass()
  await service.sql('create publication parts_move for all tables')
  assert.equal(await expire(), 0)
  assert.deepEqual(await stored(), { new: 1, before: 0 })
  await service.sql('drop publication parts_move')
  assert.equal(await expire(), 1)
  assert.deepEqual(await stored(), { new: 0, before: 0 })
})

test('the previous version of the service may run beside this one: it inserts, reads and deletes', async () => {
  const me = await addClient(service)
  await letTimePass()
  await place(me)
  assert.equal(await expire(), 0)
  await service.sql(
    `with numbered as (
       update clients set event_number = event_number + 1 where client_id = $1 returning client_id, event_number)
     insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
     select pg_current_xact_id(), client_id, event_number, 'client.changed', '{}', 'key 1', 'previous' from numbered`,
    [me.client_id],
  )
  assert.deepEqual(
    await service.sql('select event_number::int from events where client_id = $1 order by event_number', [
      me.client_id,
    ]),
    [{ event_number: 1 }, { event_number: 2 }, { event_number: 3 }],
  )
  await service.sql(
    `with oldest as (
       select client_id, event_number from events
       where event_datetime < now() - interval '90 days'
     ), kept as (
       update clients c set first_event_number = greatest(c.first_event_number, o.last + 1)
       from (select client_id, max(event_number) as last from oldest group by client_id) o
       where c.client_id = o.client_id
     )
     delete from events e using oldest o where e.client_id = o.client_id and e.event_number = o.event_number`,
  )
  assert.deepEqual(numbers(await read(me, '')), [2, 3])
  await service.checkInvariants()
})

test('both tables have the same columns, indexes and privileges, before and after they are turned', async () => {
  const shapeOf = async (table: string): Promise<unknown[]> =>
    (
      await service.sql(
        `select attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull || ' '
           || coalesce(pg_get_expr(d.adbin, d.adrelid), '') as part
         from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
         where a.attrelid = $1::text::regclass and a.attnum > 0
         union all
         select replace(replace(pg_get_indexdef(indexrelid), 'events_before', 'events'), '_before', '')
           || ' ' || indisprimary || ' ' || indisvalid
         from pg_index where indrelid = $1::text::regclass
         union all
         select pg_get_userbyid(relowner) || ' ' || coalesce(relacl::text, '') || ' ' || coalesce(reloptions::text, '')
         from pg_class where oid = $1::text::regclass
         order by part`,
        [table],
      )
    ).map(({ part }) => part)
  const shape = await shapeOf('events')
  assert(shape.length > 10)
  assert.deepEqual(await shapeOf('events_before'), shape)
  await service.sql('alter table only events set (autovacuum_analyze_threshold = 60)')
  const changed = await shapeOf('events')
  for (let n = 0; n < 2; n++) {
    await addClient(service)
    await letTimePass()
    await expire()
    assert.deepEqual(await shapeOf('events'), changed)
    assert.deepEqual(await shapeOf('events_before'), changed)
  }
})
