/** Fills a database with generated orders, clients and items. */
import assert from 'node:assert/strict'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { invariantsSql } from '../../../apps/service/src/invariants/check-invariants.ts'
import { listTables, refuseFilled } from './databases.ts'
import type { LoadProgress } from './load-progress.ts'
import { openSessions } from './sessions.ts'
import type { Sizes } from './sizes.ts'
import { stepsFor } from './steps.ts'
import { dropForLoading } from './constraints.ts'

/** Loads into an empty database. The same sizes always give the same data, except for timestamps. */
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
      await sessions.each(step.tasks, step.oneByOne === true, async (task, session) => show.add(await task(session)))
      show.end()
    }
    await sessions.first.query('drop schema bench_load cascade')
    const show = progress.begin('invariants', 1)
    assert.equal((await sessions.first.query(invariantsSql.text)).rowCount, 0, 'The loaded data violates an invariant.')
    show.add(1)
    show.end()
  } finally {
    await sessions.close()
  }
}
