/** Fills a database with generated orders, clients and items. */
import assert from 'node:assert/strict'
import { invariantsSql } from '../../../apps/service/src/invariants/check-invariants.ts'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { dropForLoading } from './constraints.ts'
import { listTables, refuseFilled } from './databases.ts'
import { openSessions } from './sessions.ts'
import type { Sizes } from './sizes.ts'
import { stepsFor } from './steps.ts'

type Show = (line: string) => void

/** Loads into an empty database. The same sizes always give the same data, except for timestamps. */
export async function load(url: string, sizes: Sizes, show: Show = () => undefined): Promise<void> {
  await migrate(url, () => undefined)
  const sessions = await openSessions(url, sizes)
  try {
    const tables = await listTables(sessions.first)
    await refuseFilled(sessions.first, tables)
    await sessions.first.query('create schema bench_load')
    const steps = stepsFor(sizes, await dropForLoading(sessions.first), tables)
    for (const [index, step] of steps.entries()) {
      const add = makeProgress(`${index + 1}/${steps.length} ${step.name}`, step.total, show)
      await sessions.each(step.tasks, step.oneByOne === true, async (task, session) => add(await task(session)))
    }
    await sessions.first.query('drop schema bench_load cascade')
    await sessions.first.query('truncate changed_goods') // Nobody has a copy of the catalogue yet.
    const { rowCount } = await sessions.first.query(invariantsSql.text)
    assert.equal(rowCount, 0, 'The loaded data violates an invariant.')
  } finally {
    await sessions.close()
  }
}

const showEveryMs = 10_000

/** Shows what a step has done every ten seconds and at its end. */
function makeProgress(step: string, total: number, show: Show): (rows: number) => void {
  const begun = performance.now()
  let shown = begun
  let rows = 0
  return (more) => {
    rows += more
    const now = performance.now()
    if (rows < total && now - shown < showEveryMs) return
    shown = now
    const seconds = (now - begun) / 1000
    const left = Math.ceil((seconds * (total - rows)) / rows)
    const perSecond = Math.round(rows / seconds).toLocaleString('en')
    const share = rows < total ? `${Math.floor((rows / total) * 100)} %, ${left} s left` : `${seconds.toFixed(1)} s`
    show(`${step}: ${rows.toLocaleString('en')}, ${perSecond}/s, ${share}\n`)
  }
}
