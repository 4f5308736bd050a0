/** What two years of operation do to the tables, in minutes: sizes, bloat, and the cost of operations. */
import { Client, escapeIdentifier } from 'pg'
import { seededRandom } from '../../../apps/service/campaigns/seeded-random.ts'
import { invariantsSql } from '../../../apps/service/src/invariants/check-invariants.ts'
import { openDatabase } from '../../../apps/service/src/open-database.ts'
import type { Database } from 'pg-statements/database.ts'
import { createDatabase, dropDatabase, listTables } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { makeLoadProgress, noLoadProgress } from '../load/load-progress.ts'
import { sizesOf, type Sizes } from '../load/sizes.ts'
import { compareDatabases } from '../run/growth.ts'
import { median } from '../run/median.ts'
import { resetAutovacuumSettings, vacuumAsAutovacuum } from './autovacuum.ts'
import { installClock, moveClock, reportStatistics, setClock } from './clock.ts'
import { costLine, costTitle, monthLine, tablesText } from './report.ts'
import { readIndexSizes, readTableSizes, readUpdates, type IndexSize, type TableSizes } from './table-sizes.ts'
import type { MonthSample, OperationCost, Years } from './years-result.ts'
import { keptDays, runJobs, simulateDay, type Trade } from './trade.ts'

export interface YearsSettings {
  readonly days: number
  readonly ordersPerDay: number
  /** Without the autovacuum settings of the tables. */
  readonly plain: boolean
  readonly only: readonly string[]
  readonly rounds: number
  readonly seconds: number
  /** Of the generated data. */
  readonly clients?: number
  readonly items?: number
}

const loadedDays = 730 // The loader spreads its orders over two years.
const monthDays = 30

export async function simulateYears(
  url: string,
  settings: YearsSettings,
  show: (text: string) => void,
): Promise<Years> {
  const { days, ordersPerDay, plain, clients = 100, items = 10_000 } = settings
  const sizes = sizesOf(ordersPerDay * loadedDays, clients, items)
  const [first, rebuilt] = [beside(url, 'first'), beside(url, 'rebuilt')]
  for (const copy of [first, rebuilt]) await dropDatabase(copy)
  await prepare(url, sizes, plain)
  await copyDatabase(url, first, 0)
  const started = performance.now()
  const lived = await live(url, sizes, settings, show)
  const seconds = Math.round((performance.now() - started) / 1000)
  show(`${days} days took ${seconds} s.\n`)
  await copyDatabase(url, rebuilt, days)
  const rebuiltSizes = await withSession(rebuilt, async (session) => {
    await rebuild(session)
    return { tables: await readTableSizes(session), indexes: await readIndexSizes(session) }
  })
  const result = {
    days,
    orders_per_day: ordersPerDay,
    plain,
    seconds,
    done: lived.done,
    months: lived.months,
    tables: { ...lived.tables, rebuilt: rebuiltSizes.tables },
    indexes: { aged: lived.indexes, rebuilt: rebuiltSizes.indexes },
    updates: lived.updates,
    vacuums: lived.vacuums,
  }
  show(tablesText(result))
  return { ...result, costs: await compareCosts({ first, aged: url, rebuilt }, settings, show) }
}

/** Loaded, brought up to date by the worker's jobs, and without any bloat. */
async function prepare(url: string, sizes: Sizes, plain: boolean): Promise<void> {
  await createDatabase(url, true)
  await load(url, sizes, process.stderr.isTTY ? makeLoadProgress(process.stderr) : noLoadProgress)
  await withSession(url, async (session) => {
    if (plain) await resetAutovacuumSettings(session)
    await installClock(session)
    await setClock(session, 0)
    await expireLoadedEvents(session)
    await withDatabase(url, (db) => runJobs({ db, done: {} }))
    await rebuild(session)
  })
}

/**
 * The loader's two sessions write their transactions in any order, and the worker expires events in the order of
 * transactions. So what is expired is deleted here, and the rest counts as written by one transaction.
 */
async function expireLoadedEvents(session: Client): Promise<void> {
  await session.query(`
    update clients c set first_event_number = k.first
    from (
      select client_id, min(event_number) as first from events
      where event_datetime > now() - interval '${keptDays} days' group by client_id
    ) k
    where k.client_id = c.client_id`)
  await session.query(`
    delete from events e using clients c where c.client_id = e.client_id and e.event_number < c.first_event_number`)
  await session.query('update events set transaction_id = (select min(transaction_id) from events)')
}

interface Lived extends Pick<Years, 'done' | 'months' | 'updates' | 'vacuums'> {
  readonly tables: Omit<Years['tables'], 'rebuilt'>
  readonly indexes: readonly IndexSize[]
}

/** Simulates the days. */
async function live(
  url: string,
  sizes: Sizes,
  { days, ordersPerDay }: YearsSettings,
  show: (text: string) => void,
): Promise<Lived> {
  return withSession(url, (session) =>
    withDatabase(url, async (db) => {
      await session.query('select pg_stat_reset()')
      const count = new Map<string, number>()
      const trade: Trade = { db, session, sizes, ordersPerDay, random: seededRandom(1), done: {} }
      const firstSizes = await readTableSizes(session)
      let halfSizes = firstSizes
      const months = [sampleOf(0, firstSizes)]
      for (let day = 1; day <= days; day++) {
        await moveClock(session, db, day)
        await simulateDay(trade)
        await reportStatistics(db, day)
        await vacuumAsAutovacuum(session, { count })
        const isHalf = day === Math.ceil(days / 2)
        if (!isHalf && day % monthDays !== 0 && day !== days) continue
        const now = await readTableSizes(session)
        if (isHalf) halfSizes = now
        const sample = sampleOf(day, now)
        months.push(sample)
        show(monthLine(sample, now, trade.done))
      }
      const { rowCount } = await session.query(invariantsSql.text)
      if (rowCount !== 0) throw new Error('The simulated days have violated an invariant.')
      return {
        done: trade.done,
        months,
        tables: { first: firstSizes, half: halfSizes, aged: await readTableSizes(session) },
        indexes: await readIndexSizes(session),
        updates: await readUpdates(session),
        vacuums: Object.fromEntries(count),
      }
    }),
  )
}

const sampleOf = (day: number, sizes: TableSizes): MonthSample => ({
  day,
  bytes: Object.fromEntries(Object.entries(sizes).map(([name, { heap, indexes }]) => [name, heap + indexes])),
})

/** Vacuum full writes tables and indexes again; the second vacuum writes the visibility map, which it leaves out. */
async function rebuild(session: Client): Promise<void> {
  for (const table of await listTables(session)) {
    await session.query(`vacuum full ${table}`)
    await session.query(`vacuum (analyze) ${table}`)
  }
}

async function compareCosts(
  databases: Readonly<Record<'first' | 'aged' | 'rebuilt', string>>,
  settings: YearsSettings,
  show: (text: string) => void,
): Promise<OperationCost[]> {
  if (settings.only.length > 0) show(costTitle)
  return compareDatabases(new Map(Object.entries(databases)), settings, (operation, costs) => {
    const of = (name: keyof typeof databases): readonly number[] => costs.get(name) ?? []
    const agedTo = (other: readonly number[]): number =>
      Number(median(of('aged').map((cost, round) => cost / (other[round] ?? 1))).toFixed(2))
    const cost = {
      operation,
      first_us: median(of('first')),
      aged_us: median(of('aged')),
      rebuilt_us: median(of('rebuilt')),
      aged_to_first: agedTo(of('first')),
      aged_to_rebuilt: agedTo(of('rebuilt')),
    }
    show(costLine(cost))
    return cost
  })
}

/** The URL of a copy. */
export function beside(url: string, suffix: 'first' | 'rebuilt'): string {
  const copy = new URL(url)
  copy.pathname += `_${suffix}`
  return copy.href
}

/** Nothing may be connected to the original. */
async function copyDatabase(from: string, to: string, days: number): Promise<void> {
  const nameOf = (url: string): string => escapeIdentifier(decodeURIComponent(new URL(url).pathname.slice(1)))
  const server = new URL(from)
  server.pathname = '/postgres'
  await withSession(server.href, async (session) => {
    await session.query(`create database ${nameOf(to)} template ${nameOf(from)}`)
  })
  await withSession(to, (session) => setClock(session, days))
}

async function withSession<R>(connectionString: string, act: (session: Client) => Promise<R>): Promise<R> {
  const session = new Client({ connectionString, options: '-c maintenance_work_mem=256MB -c synchronous_commit=off' })
  await session.connect()
  try {
    return await act(session)
  } finally {
    await session.end()
  }
}

/** One connection, so that its clock can be moved. Commits need not reach the disk: nothing here depends on it. */
async function withDatabase<R>(url: string, act: (db: Database) => Promise<R>): Promise<R> {
  const sessionSettings = ['synchronous_commit=off']
  const db = openDatabase({ url, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 60_000, sessionSettings })
  try {
    return await act(db)
  } finally {
    await db.close()
  }
}
