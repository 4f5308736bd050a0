/** Explains every statement of the service in a loaded database and checks the work that it does. */
import assert from 'node:assert/strict'
import { Client, DatabaseError, escapeLiteral } from 'pg'
import '../../../apps/service/src/commands/api.ts'
import '../../../apps/service/src/commands/worker.ts'
import { sessionOptions } from 'pg-statements/session-settings.ts'
import { statements } from 'pg-statements/statement.ts'
import { withPlans } from 'pg-statements/testing-plans.ts'
import { WrongUse } from '../workload.ts'
import { casesFor, exceptions } from './cases.ts'
import type { CaseValue, ExplainCase } from './explain-case.ts'
import { growing, workOf, type Catalogue, type Explained, type Work } from './plan.ts'
import { takeSample } from './sample.ts'
import { usualValues, valuesOf } from './values.ts'

export interface ExplainReport extends Work {
  readonly statement: string
  readonly variant: string
  readonly rowsTouched: number
  readonly bound?: number
}

/** A case that can be executed. */
interface ReadyCase extends Omit<ExplainCase, 'values'> {
  readonly statement: string
  readonly variant: string
  readonly text: string
  readonly values: readonly CaseValue[]
}

export async function explainAll(url: string): Promise<ExplainReport[]> {
  return inSession(url, async (session, cases) => {
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
  return inSession(url, async (session, all) => {
    const cases = all.filter(({ statement }) => statement === name)
    if (cases.length === 0) throw new WrongUse(`There is no case of a statement '${name}'.`)
    let text = ''
    for (const one of cases) {
      const { rows, nested } = await run(session, one, 'text')
      const plan = rows.map(({ 'QUERY PLAN': line }) => line).join('\n')
      const inner = nested.map((executed) => `-- executed by it\n${executed}`)
      text += `${[`-- ${one.statement}: ${one.variant}`, plan, ...inner].join('\n')}\n\n`
    }
    return text
  })
}

const timeoutMs = 10_000 // Twice the statement timeout of the service.

/** A session with the settings of the service's connections, and the cases for its database. */
async function inSession<T>(url: string, use: (session: Client, cases: ReadyCase[]) => Promise<T>): Promise<T> {
  const options = sessionOptions({ timeZone: 'UTC', statementTimeoutMs: 0 })
  const session = new Client({ connectionString: url, options })
  await session.connect()
  try {
    const sample = await takeSample(session)
    const usual = usualValues(sample)
    const cases = casesFor(sample).map(([name, one]) => {
      const [, statement = '', variant = ''] = /^([^,]+)(?:, (.*))?$/.exec(name) ?? []
      const found = statements.get(statement)
      assert(found, `'${name}' is a case of no statement.`)
      return { ...one, statement, variant, text: found.text, values: valuesOf(found, one, usual) }
    })
    return await use(session, cases)
  } finally {
    await session.end()
  }
}

function refuseUncovered(cases: readonly ReadyCase[]): void {
  const covered = new Set([...cases.map(({ statement }) => statement), ...Object.keys(exceptions)])
  const uncovered = [...statements.keys()].filter((name) => !covered.has(name))
  assert.deepEqual(uncovered, [], 'Statements without a case in proof/bench/explain:')
  const gone = Object.keys(exceptions).filter((name) => !statements.has(name))
  assert.deepEqual(gone, [], 'Exceptions without a statement:')
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
async function explain(session: Client, one: ReadyCase): Promise<Explained | undefined> {
  const runs: Explained[] = []
  try {
    for (let n = 0; n < 4; n++) {
      const { rows, nested } = await run(session, one, 'json')
      const [[explained] = []] = rows.map((row) => row['QUERY PLAN'] as Omit<Explained, 'nested'>[])
      assert(explained)
      runs.push({ ...explained, nested: nested.map((inner) => (JSON.parse(inner) as Pick<Explained, 'Plan'>).Plan) })
    }
  } catch (error) {
    if (error instanceof DatabaseError && error.code === '57014') return undefined
    throw error
  }
  return runs.slice(1).reduce((best, next) => (next['Execution Time'] < best['Execution Time'] ? next : best))
}

/** Explains a case, and what its functions and triggers execute. A row is a line of text, or the whole plan as JSON. */
async function run(
  session: Client,
  { text, values, prepare }: ReadyCase,
  format: 'json' | 'text',
): Promise<{ rows: { 'QUERY PLAN': unknown }[]; nested: string[] }> {
  const literals = values.map(literal).join(', ')
  await session.query('begin')
  try {
    if (prepare !== undefined) await session.query(prepare)
    await session.query(`set local statement_timeout = ${timeoutMs}`)
    await session.query(`prepare explained as ${text}`)
    const execute = `execute explained${literals === '' ? '' : `(${literals})`}`
    const { result, plans } = await withPlans(session, format, () =>
      session.query<{ 'QUERY PLAN': unknown }>(`explain (analyze, buffers, format ${format}) ${execute}`),
    )
    return { rows: result.rows, nested: plans.filter((plan) => !plan.includes('prepare explained as')) }
  } finally {
    await session.query('rollback; deallocate all')
  }
}

function literal(value: CaseValue): string {
  if (value === null) return 'null'
  return escapeLiteral(
    typeof value === 'object' ? `{${value.map((element) => JSON.stringify(element)).join(',')}}` : String(value),
  )
}

function reportOf(one: ReadyCase, explained: Explained, catalogue: Catalogue): ExplainReport {
  const { statement, variant, bound, atLeast = 1, writes = '' } = one
  const work = workOf(explained, catalogue)
  const tables = writes.split(' ').filter(Boolean)
  const idle = tables.filter((table) => (work.written[table] ?? 0) === 0).map((table) => `wrote nothing to ${table}`)
  const empty = work.returned < atLeast ? [`returned ${work.returned} rows, not ${atLeast}`] : []
  const rowsTouched = Object.values(work.touched).reduce((sum, rows) => sum + rows, 0)
  const faults = [...new Set([...work.faults, ...idle, ...empty])]
  return { statement, variant, rowsTouched, ...(bound !== undefined && { bound }), ...work, faults }
}

function timedOut({ statement, variant }: ReadyCase): ExplainReport {
  const nothing = { rowsTouched: 0, touched: {}, buffers: 0, triggerMs: 0, returned: 0, written: {} }
  return { statement, variant, ...nothing, ms: timeoutMs, faults: [`timed out after ${timeoutMs / 1000} s`] }
}

export function reportTable(reports: readonly ExplainReport[]): string {
  const widths = [22, 34, 8, 6, 8, 9, 7]
  const line = (...cells: readonly (string | number)[]): string =>
    cells.map((cell, n) => String(cell)[n < 2 ? 'padEnd' : 'padStart'](widths[n] ?? 0)).join(' ')
  const lines = reports.map(({ statement, variant, rowsTouched, returned, buffers, ms, triggerMs, faults }) =>
    line(
      statement,
      variant,
      rowsTouched,
      returned,
      buffers,
      ms.toFixed(2),
      triggerMs.toFixed(2),
      ` ${faults.join('; ') || 'ok'}`,
    ),
  )
  return `${[line('statement', 'variant', 'touched', 'rows', 'buffers', 'ms', 'keys ms', ' verdict'), ...lines].join('\n')}\n`
}
