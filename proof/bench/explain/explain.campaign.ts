import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { invariantsSql } from '../../../apps/service/src/invariants/check-invariants.ts'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { readDefinitions, type Definition } from '../load/constraints.ts'
import { createDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { sizesOf } from '../load/sizes.ts'
import { compare } from './compare.ts'
import { explainAll, type ExplainReport } from './explain.ts'
import { growing, judgedFromPages } from './plan.ts'

// Ten times the clients and orders and five times the items, with the same amount per client. The smaller catalogue
// already has more items with the common word than one page scans. Client-owned tables of the smaller database have only
// a few pages, which the planner rightly scans; they are not judged there. In the larger database every growing table is
// judged, as the first test checks.
const small = { url: databaseUrl(`bench_test_${process.pid}_a`), sizes: sizesOf(2_000, 100, 5_000) }
const large = { url: databaseUrl(`bench_test_${process.pid}_b`), sizes: sizesOf(20_000, 1_000, 25_000) }
const empty = databaseUrl(`bench_test_${process.pid}_c`)

before(async () => {
  for (const { url, sizes } of [small, large]) {
    await createDatabase(url, true)
    await load(url, sizes)
  }
})

after(async () => {
  for (const url of [small.url, large.url, empty]) await dropDatabase(url)
})

test('loaded data satisfies every invariant, and every growing table is large enough to be judged', async () => {
  assert.deepEqual(await query(large.url, invariantsSql.text), [])
  const tables = await query<{ name: string; pages: number }>(
    large.url,
    `select relname as name, relpages as pages from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  const pages = new Map(tables.map((table) => [table.name, table.pages]))
  assert.deepEqual(
    [...growing].filter((table) => (pages.get(table) ?? 0) < judgedFromPages),
    [],
  )
})

test('loading restores all constraints and indexes as created by the migrations', async () => {
  await createDatabase(empty, true)
  await migrate(empty, () => undefined)
  assert.deepEqual(await definitions(large.url), await definitions(empty))
})

test('a second load into the same database is refused', async () => {
  await assert.rejects(load(small.url, small.sizes), /is not empty/)
})

test('every statement reads growing tables by an index only, and touches no more rows in larger tables', async () => {
  const [few, many] = [await explainAll(small.url), await explainAll(large.url)]
  assert.deepEqual(faulty(few), [])
  assert.deepEqual(faulty(many), [])
  assert.deepEqual(compare(few, many), [])
})

const faulty = (reports: readonly ExplainReport[]): string[] =>
  reports
    .filter(({ faults }) => faults.length > 0)
    .map(({ statement, variant, faults }) => `${statement}, ${variant}: ${faults.join('; ')}`)

async function query<T extends object>(connectionString: string, text: string): Promise<T[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

async function definitions(connectionString: string): Promise<Definition[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return await readDefinitions(client)
  } finally {
    await client.end()
  }
}
