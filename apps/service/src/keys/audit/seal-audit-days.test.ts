import assert from 'node:assert/strict'
import { after, beforeEach, test } from 'node:test'
import { checkInvariants } from '../../invariants/check-invariants.ts'
import { addClient, addFixtures } from '../../testing/fixtures.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { sealAuditDays } from './seal-audit-days.ts'

let service: TestService

/** Two entries of each of three days, the last one today. */
beforeEach(async () => {
  await service?.close()
  service = await startService()
  await addFixtures(service)
  for (const daysAgo of [2, 1, 0]) {
    await addClient(service)
    await addClient(service)
    await service.sql(
      `update audit_entries set audit_datetime = audit_datetime - $1 * interval '1 day'
       where audit_id > (select max(audit_id) - 2 from audit_entries)`,
      [daysAgo],
    )
  }
})
after(() => service.close())

const seal = (kept_days: number | null = null) => Array.fromAsync(sealAuditDays(service.db, { kept_days }))
const seals = () =>
  service.sql(`select current_date - day as ago, first_id::int, last_id::int, entries::int,
    dropped_at is not null as dropped from audit_seals order by day`)
const violations = async (): Promise<string[]> =>
  (await checkInvariants(service.db)).map(({ violation }) => violation.replace(/\d{4}-\d\d-\d\d/g, 'DAY'))

test('each finished day is sealed once, also by two workers at once, and today is not', async () => {
  const runs = await Promise.all([seal(), seal(), seal()])
  assert.deepEqual(runs.flat(), [2, 2])
  assert.deepEqual(await seals(), [
    { ago: 2, first_id: 1, last_id: 2, entries: 2, dropped: false },
    { ago: 1, first_id: 3, last_id: 4, entries: 2, dropped: false },
  ])
  assert.deepEqual(await seal(), [])
  assert.deepEqual(await violations(), [])
})

test('the hash is the one that the documentation says', async () => {
  await seal()
  const [row] = await service.sql(`
    select s.hash = sha256(b.hash || convert_to(jsonb_build_array(s.day, 3, 4, 2)::text, 'UTF8')
      || (select string_agg(sha256(convert_to('[' || a.audit_id || ', "key_issued", '
        || extract(epoch from a.audit_datetime) || ', ' || a.client_id || ', ' || a.contact_id || ', ' || a.key_id
        || ', null, null, null, null, ' || a.new_value || ', "the tests", "test"]', 'UTF8')), '' order by a.audit_id)
        from audit_entries a where a.audit_id in (3, 4))) as same
    from audit_seals s
    join audit_seals b on b.hash = s.previous_hash`)
  assert.deepEqual(row, { same: true })
})

const changed = 'day DAY: entries 1 to 2 were changed, added or deleted'
const planted: Record<string, readonly [sql: string, ...violations: string[]]> = {
  'a changed entry': [`update audit_entries set actor = 'nobody' where audit_id = 1`, changed],
  'an entry whose time was changed': [
    `update audit_entries set audit_datetime = audit_datetime + interval '1 microsecond' where audit_id = 2`,
    changed,
  ],
  'a deleted entry': ['delete from audit_entries where audit_id = 2', changed],
  'an entry in place of another one': [
    `alter table audit_entries disable trigger all;
     delete from audit_entries where audit_id = 1;
     insert into audit_entries (audit_id, audit_action, actor, request_id) values (1, 'key_issued', 'x', 'x')`,
    changed,
  ],
  'an entry added to a sealed day': [
    `alter table audit_entries disable trigger all;
     insert into audit_entries (audit_id, audit_action, audit_datetime, actor, request_id)
     select 7, 'key_issued', now() - interval '1 day', 'x', 'x'`,
    '3 entries up to 7, after entry 4 of DAY',
    'the last entry is 7 of 6, and there are 2 seals of 2',
  ],
  'a deleted entry of a day that is not sealed yet': [
    'delete from audit_entries where audit_id = 5',
    '1 entries up to 6, after entry 4 of DAY',
  ],
  'a deleted last entry': [
    'delete from audit_entries where audit_id = 6',
    'the last entry is 5 of 6, and there are 2 seals of 2',
  ],
  'a deleted seal': [
    'delete from audit_seals where first_id = 1',
    'day DAY',
    'the last entry is 6 of 6, and there are 1 seals of 2',
  ],
  'a deleted last seal': [
    'delete from audit_seals where first_id = 3',
    'the last entry is 6 of 6, and there are 1 seals of 2',
  ],
  'a log without entries and seals': [
    'delete from audit_entries; delete from audit_seals',
    'the last entry is 0 of 6, and there are 0 seals of 2',
  ],
  'a day that is said to have expired': ['update audit_seals set dropped_at = now() where first_id = 3', 'day DAY'],
}

for (const [what, [sql, ...reported]] of Object.entries(planted)) {
  test(`the invariants report ${what}`, async () => {
    await seal()
    assert.deepEqual(await violations(), [])
    await service.sql(sql)
    assert.deepEqual(await violations(), reported)
  })
}

test('only whole sealed days that are old enough are dropped, their seals stay, and numbering continues', async () => {
  await service.sql(`update audit_entries set audit_datetime = audit_datetime - interval '89 days' where audit_id <= 4`) // Now 91 and 90 days ago.
  assert.deepEqual(await seal(), [2, 2])
  assert.deepEqual(await seal(90), [2])
  assert.deepEqual(await seal(90), [])
  assert.deepEqual(await seals(), [
    { ago: 91, first_id: 1, last_id: 2, entries: 2, dropped: true },
    { ago: 90, first_id: 3, last_id: 4, entries: 2, dropped: false },
  ])
  assert.deepEqual(await service.sql('select min(audit_id)::int from audit_entries'), [{ min: 3 }])
  assert.deepEqual(await violations(), [])
  await assert.rejects(service.sql('select drop_audit_day(89)'), { code: '22023' })
  await service.sql('delete from audit_entries where audit_id > 4')
  await addClient(service)
  assert.deepEqual(await service.sql('select max(audit_id)::int from audit_entries'), [{ max: 7 }])
})
