/**
 * The instructions that PostgreSQL executes for an operation, counted by valgrind in a server of its own. The count is
 * the same whatever else the machine does, so a difference of one percent can be seen, which times cannot show.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCluster, type Cluster } from 'pg-statements/testing-cluster.ts'
import { createDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { sizesOf } from '../load/sizes.ts'
import { workers, type Operation } from '../run/operation.ts'
import { chosenOperations, operations } from '../run/operations.ts'
import { runTransactions } from '../run/pgbench.ts'
import { openBench } from '../run/prepare.ts'
import { runProgram } from '../run/program.ts'
import { names, workload } from '../workload.ts'

const sizes = sizesOf(10_000, 1_000, 50_000) // Enough for the plans of a million orders.

/** A session's first operations plan the statement and fill caches. They are subtracted. */
const warming = 20
const counted = 40

export default workload({
  options: { only: names('count only these operations (default: all)') },
  notes: [
    'Counted by valgrind in a server of its own, which is loaded first. The figures do not depend on what else the machine does; they depend on the version of PostgreSQL and say nothing about waiting.',
    'Needs valgrind and the programs of PostgreSQL under /usr/lib/postgresql. Takes half a minute per operation.',
  ],
  examples: ['instructions --only place-order-5,add-line'],
  run: async ({ only }, { show }) => {
    const chosen = chosenOperations(only, operations)
    await runProgram('valgrind', ['--version']) // Before a minute is spent on loading.
    const cluster = await createCluster({ autovacuum: 'off', shared_buffers: '256MB' })
    const url = new URL('/instructions', cluster.url).href
    try {
      await createDatabase(url, false)
      await load(url, sizes)
      const results = []
      for (const operation of chosen) {
        const instructions = await countOperation(cluster, url, operation)
        results.push({ operation: operation.name, instructions })
        show(`${operation.name.padEnd(20)}${instructions.toLocaleString('en').padStart(12)}\n`)
      }
      return { results }
    } finally {
      await cluster.drop()
    }
  },
})

/** The material is made at full speed; only what is counted runs under valgrind. */
async function countOperation(cluster: Cluster, url: string, operation: Operation): Promise<number> {
  const bench = await openBench(url)
  const material = await operation.supply?.make(bench, 2 * (warming + counted) * workers)
  await bench.session.query('vacuum analyze')
  await bench.session.end() //
  await cluster.stop()
  await cluster.start(['valgrind', '--tool=callgrind', `--callgrind-out-file=${join(cluster.folder, counts)}%p`])
  const run = async (transactions: number, done: number): Promise<number> => {
    const before = await endedSessions(cluster, 0)
    await runTransactions(bench, operation, material, { transactions, done })
    const ended = await endedSessions(cluster, before.length + 2) // pgbench's first session only looks at the server.
    return Math.max(...ended.slice(-2))
  }
  const first = await run(warming, 0)
  const second = await run(warming + counted, warming)
  rmSync(bench.folder, { recursive: true })
  await cluster.stop()
  for (const file of countFiles(cluster)) rmSync(file)
  await cluster.start()
  return Math.round((second - first) / counted)
}

/** Waits until at least this number of sessions have written their counts, and no more follow. */
async function endedSessions(cluster: Cluster, atLeast: number): Promise<number[]> {
  for (;;) {
    const ended = countsOf(cluster)
    await sleep(1_000)
    if (ended.length >= atLeast && ended.length === countsOf(cluster).length) return ended
  }
}

/** The instructions of each ended session, by process id. Those of the server before the session began are included. */
const countsOf = (cluster: Cluster): number[] =>
  countFiles(cluster)
    .flatMap((file) => /^totals: (\d+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? [])
    .map(Number)

const counts = 'counts.' // Followed by the process id.

const countFiles = ({ folder }: Cluster): string[] =>
  readdirSync(folder)
    .filter((name) => name.startsWith(counts))
    .toSorted((one, other) => Number(one.slice(counts.length)) - Number(other.slice(counts.length)))
    .map((name) => join(folder, name))
