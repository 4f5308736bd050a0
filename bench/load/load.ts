/**
 * Fills a database with generated orders, clients and items, for measuring at size:
 * `node bench/load/load.ts --orders 1000000 --clients 10000 --items 1000000 [--database NAME_OR_URL] [--fresh]`.
 */
import assert from 'node:assert/strict'
import { parseArgs } from 'node:util'
import { migrate } from '../../service/src/migrate.ts'
import { invariantsSql } from '../../service/src/commands/invariants.ts'
import { createDatabase, databaseUrl, listTables, refuseFilled } from './databases.ts'
import { makeLoadProgress, type LoadProgress } from './load-progress.ts'
import { openSessions } from './sessions.ts'
import { sizesOf, type Sizes } from './sizes.ts'
import { stepsFor } from './steps.ts'
import { dropForLoading } from './constraints.ts'

/** Loads into an empty database. The same sizes give the same data, but for the clock. */
export async function load(url: string, sizes: Sizes, progress: LoadProgress): Promise<void> {
  await migrate(url, () => undefined)
  const sessions = await openSessions(url, sizes)
  try {
    const tables = await listTables(sessions.first)
    await refuseFilled(sessions.first, tables)
    await sessions.first.query('create schema bench_load')
    const dropped = await dropForLoading(sessions.first)
    const steps = stepsFor(sizes, dropped, tables)
    for (const [index, step] of steps.entries()) {
      const show = progress.begin(`${index + 1}/${steps.length} ${step.name}`, step.total)
      await sessions.each(step.tasks, step.inTurn === true, async (task, session) => show.add(await task(session)))
      show.end()
    }
    await sessions.first.query('drop schema bench_load cascade')
    const show = progress.begin('invariants', 1)
    assert.equal((await sessions.first.query(invariantsSql)).rowCount, 0, 'The loaded data violates an invariant.')
    show.add(1)
    show.end()
  } finally {
    await sessions.close()
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      orders: { type: 'string', default: '1000000' },
      clients: { type: 'string', default: '10000' },
      items: { type: 'string', default: '1000000' },
      database: { type: 'string' },
      fresh: { type: 'boolean', default: false },
    },
  })
  const sizes = sizesOf(Number(values.orders), Number(values.clients), Number(values.items))
  const url = databaseUrl(values.database)
  await createDatabase(url, values.fresh)
  const progress = makeLoadProgress(process.stdout)
  await load(url, sizes, progress)
  progress.done(`Loaded ${values.orders} orders into ${new URL(url).pathname.slice(1)}; all invariants hold.`)
}
