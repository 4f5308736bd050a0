/** Explains every statement of the service in a loaded database and checks the work that it does. */
import assert from 'node:assert/strict'
import { Client, DatabaseError, escapeLiteral } from 'pg'
import '../../../apps/service/src/commands/api.ts'
import '../../../apps/service/src/commands/worker.ts'
import { sessionOptions } from 'pg-statements/session-settings.ts'
import { statements } from 'pg-statements/statement.ts'
import { withPlans } from 'pg-statements/testing-plans.ts'
import { casesFor, exceptions } from './cases.ts'
import type { CaseValue, ExplainCase } from './explain-case.ts'
import { growing, workOf, type Catalogue, type Explained, type Work } from './plan.ts'
import { takeSample } from './sample.ts'
import { WrongUse } from '../subcommand.ts'

export interface ExplainReport extends Work {
  readonly statement: string
  readonly variant: string
  readonly rowsTouched: number
  readonly bound?: number
}

export async function explainAll(url: string): Promise<ExplainReport[]> {
  return inSession(url, async (session) => {
    const cases = casesFor(await takeSample(session))
    refuseUncovered(cases)
    const catalogue = await readCatalogue(session)
    const reports: ExplainReport[] = []
    for (const one of cases) {
      const explained = await explain(session, one)
      reports.push(explained === undefined ? timedOut(one) : reportOf(one, explained, catalogue))
    }
    return reports
  })
}

/** The plans of all cases of one statement. */
export async function showPlans(url: string, name: string): Promise<string> {
  return inSession(url, async (session) => {
    const cases = casesFor(await takeSample(session)).filter(({ statement }) => statement === name)
    if (cases.length === 0) throw new WrongUse(`There is no case of a statement '${name}'.`)
    let text = ''
    for (const one of cases) {
      const { rows, nested } = await run(session, one, 'text')
      const plan = rows.flatMap(({ 'QUERY PLAN': line }) => (typeof line === 'string' ? [line] : [])).join('\n')
      const inner = nested.map((executed) => `-- executed by it\n${executed}`)
      text += `${[`-- ${one.statement}: ${one.variant}`, plan, ...inner].join('\n')}\n\n`
    }
    return text
  })
}

const timeoutMs = 10_000 // Twice the statement timeout of the service.

/** A session with the settings of the service's connections. */
async function inSession<T>(connectionString: string, use: (session: Client) => Promise<T>): Promise<T> {
  const options = sessionOptions({ timeZone: 'UTC', statementTimeoutMs: 0 })
  const session = new Client({ connectionString, options })
  await session.connect()
  try {
    return await use(session)
  } finally {
    await session.end()
  }
}

/** Every statement needs a case. */
function refuseUncovered(cases: readonly ExplainCase[]): void {
  const covered = new Set([...cases.map(({ statement }) => statement), ...Object.keys(exceptions)])
  assert.deepEqual(
    [...statements.keys()].filter((name) => !covered.has(name)),
    [],
    'Statements without a case in proof/bench/explain:',
  )
  assert.deepEqual(
    [...covered].filter((name) => !statements.has(name)),
    [],
    'Cases without a statement:',
  )
}

async function readCatalogue(session: Client): Promise<Catalogue> {
  const { rows: indexes } = await session.query<{ name: string; table: string; columns: string[] }>(
    `select i.indexrelid::regclass::text as name, i.indrelid::regclass::text as table,
       array(
         select pg_get_indexdef(i.indexrelid, place, true) from generate_series(1, i.indnkeyatts) place order by place
       ) as columns
     from pg_index i join pg_class t on t.oid = i.indrelid where t.relnamespace = 'public'::regnamespace`,
  )
  const { rows: tables } = await session.query<{ name: string; pages: number }>(
    `select relname as name, relpages as pages from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r'`,
  )
  return {
    indexes: new Map(indexes.filter(({ table }) => growing.has(table)).map(({ name, columns }) => [name, columns])),
    pages: new Map(tables.map(({ name, pages }) => [name, pages])),
  }
}

/** The first run fills the caches, the fastest of the others counts. Every run is rolled back. */
async function explain(session: Client, one: ExplainCase): Promise<Explained | undefined> {
  const runs: Explained[] = []
  for (let n = 0; n < 4; n++) {
    try {
      runs.push(await runOnce(session, one))
    } catch (error) {
      if (error instanceof DatabaseError && error.code === '57014') return undefined
      throw error
    }
  }
  return runs.slice(1).reduce((best, next) => (next['Execution Time'] < best['Execution Time'] ? next : best))
}

async function runOnce(session: Client, one: ExplainCase): Promise<Explained> {
  const { rows, nested } = await run(session, one, 'json')
  const [row] = rows
  assert(typeof row?.['QUERY PLAN'] === 'object')
  const [explained] = row['QUERY PLAN']
  assert(explained)
  return { ...explained, nested: nested.map((inner) => (JSON.parse(inner) as Pick<Explained, 'Plan'>).Plan) }
}

interface PlanRow {
  /** A line of text, or the whole plan as JSON. */
  readonly 'QUERY PLAN': string | readonly Omit<Explained, 'nested'>[]
}

/** Explains a case, and what its functions and triggers execute. */
async function run(
  session: Client,
  one: ExplainCase,
  format: 'json' | 'text',
): Promise<{ rows: PlanRow[]; nested: string[] }> {
  const statement = statements.get(one.statement)
  assert(statement)
  const values = statement.order.map((name) => literal(one.values[name])).join(', ')
  await session.query('begin')
  try {
    if (one.prepare !== undefined) await session.query(one.prepare)
    await session.query(`set local statement_timeout = ${timeoutMs}`)
    await session.query(`prepare explained as ${statement.text}`)
    const execute = `execute explained${values === '' ? '' : `(${values})`}`
    const { result, plans } = await withPlans(session, format, () =>
      session.query<PlanRow>(`explain (analyze, buffers, format ${format}) ${execute}`),
    )
    return { rows: result.rows, nested: plans.filter((plan) => !plan.includes('prepare explained as')) }
  } finally {
    await session.query('rollback; deallocate all')
  }
}

function literal(value: CaseValue | undefined): string {
  assert(value !== undefined, 'A parameter has no value.')
  if (value === null) return 'null'
  return escapeLiteral(
    typeof value === 'object' ? `{${value.map((element) => JSON.stringify(element)).join(',')}}` : String(value),
  )
}

function reportOf(
  { statement, variant, bound, atLeast = 1, writes = [] }: ExplainCase,
  explained: Explained,
  catalogue: Catalogue,
): ExplainReport {
  const work = workOf(explained, catalogue)
  const idle = writes.filter((table) => (work.written[table] ?? 0) === 0).map((table) => `wrote nothing to ${table}`)
  const empty = work.returned < atLeast ? [`returned ${work.returned} rows, not ${atLeast}`] : []
  const rowsTouched = Object.values(work.touched).reduce((sum, rows) => sum + rows, 0)
  return {
    statement,
    variant,
    rowsTouched,
    ...(bound !== undefined && { bound }),
    ...work,
    faults: [...new Set([...work.faults, ...idle, ...empty])],
  }
}

function timedOut({ statement, variant }: ExplainCase): ExplainReport {
  const nothing = { rowsTouched: 0, touched: {}, buffers: 0, triggerMs: 0, returned: 0, written: {} }
  return { statement, variant, ...nothing, ms: timeoutMs, faults: [`timed out after ${timeoutMs / 1000} s`] }
}

export function reportTable(reports: readonly ExplainReport[]): string {
  const lines = reports.map(({ statement, variant, rowsTouched, returned, buffers, ms, triggerMs, faults }) =>
    [
      statement.padEnd(22), variant.padEnd(34), String(rowsTouched).padStart(8), String(returned).padStart(6), String(buffers).padStart(8),
      ms.toFixed(2).padStart(9), triggerMs.toFixed(2).padStart(7), ` ${faults.join('; ') || 'ok'}`,
    ].join(' '),
  ) // prettier-ignore
  return `${'statement'.padEnd(22)} ${'variant'.padEnd(34)}  touched   rows  buffers        ms  keys ms  verdict\n${lines.join('\n')}\n`
}
