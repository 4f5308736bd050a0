/** CATALOGUE_CHANGES_KEPT_DAYS: old entries of the catalogue's log are deleted, the oldest first. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openDatabase } from '../open-database.ts'
import { databaseDigest } from '../testing/database-digest.ts'
import { startService, type TestService } from '../testing/service.ts'
import { deleteCatalogueChanges } from './delete-catalogue-changes.ts'

let service: TestService

before(async () => {
  service = await startService()
  await service.sql(
    `insert into catalogue_changes (changed_at, changed, data, actor, request_id)
     select now() - make_interval(days => t.days, mins => t.mins), 'item', '{}', 'test', 'test'
     from (select 100, 0 from generate_series(1, 4500)
       union all select 90, 0 union all select 89, 1439 union all select 0, 0) t (days, mins)`,
  )
})
after(() => service.close())

const run = (kept_days: number | null, db = service.db): Promise<number[]> =>
  Array.fromAsync(deleteCatalogueChanges(db, { kept_days }))

test('nothing is deleted unless a number of days is set, and never what is younger than 90 days', async () => {
  const stored = await databaseDigest(service)
  assert.deepEqual(await run(null), [])
  await assert.rejects(run(89), { code: '22023' })
  assert.deepEqual(await databaseDigest(service), stored)
})

test('two workers delete 4,501 old entries, at most 1,000 at a time, and leave the younger ones', async () => {
  const settings = { url: service.databaseUrl, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 60_000 }
  const workers = [openDatabase(settings), openDatabase(settings)]
  const batches = (await Promise.all(workers.map((db) => run(90, db)))).flat()
  await Promise.all(workers.map((db) => db.close()))
  assert(batches.every((size) => size <= 1_000))
  assert.equal(
    batches.reduce((sum, size) => sum + size),
    4_501,
  )
  const left = await service.sql(`select changed_at > now() - interval '90 days' as younger from catalogue_changes`)
  assert.deepEqual(left, [{ younger: true }, { younger: true }])
})
