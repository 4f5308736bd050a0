/** How long operators wait for a page of each list, search and count, and what the export of all orders takes. */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { percentile } from '../../../apps/service/src/testing/percentile.ts'
import { exportOrders, type Exported } from '../finding/export.ts'
import { findingRequests, type FindingRequest, type OpenapiPaths } from '../finding/requests.ts'
import { sampleFinding } from '../finding/sample.ts'
import { inSession } from '../load/databases.ts'
import { operatorKey } from '../load/operator-key.ts'
import { cpuMs } from '../process-usage.ts'
import { databaseOptions, prepareDatabase } from '../run/prepare.ts'
import { startServiceProcess } from '../run/service-process.ts'
import { flag, integer, names, workload, WrongUse } from '../workload.ts'

export default workload({
  options: {
    ...databaseOptions,
    requests: integer(200, 'requests of each list and filter', 100_000),
    rate: integer(20, 'requests a second', 1_000),
    only: names('only these operations'),
    export: flag('read the CSV of all orders instead'),
  },
  notes: [
    'Requests each list of the operator API alone, with each of its filters, its second page, and a page of 500 rows. They are derived from the OpenAPI document of the service. Requests start at a fixed rate, whether or not earlier ones are answered; times count from the planned start. With fewer than 100 requests, p99 is the largest.',
    'The export prints rows, bytes, seconds and the memory of the service, and fails if an order is missing.',
    'Adds an operator key and the dry run of an import to the database.',
  ],
  examples: [
    'finding --size 1000000 --requests 200',
    'finding --only listClientOrders,readCounts --json',
    'finding --export',
  ],
  run: async ({ size, database, export: withExport, ...options }, { show }) => {
    const url = await prepareDatabase({ size, database })
    const results = await measureFinding(url, { ...options, withExport, show })
    return { results, printed: withExport ? results.exported : results.found }
  },
})

interface FindingOptions {
  readonly requests: number
  readonly rate: number
  /** Names of operations; all by default. */
  readonly only?: readonly string[] | undefined
  readonly withExport?: boolean
  readonly show: (text: string) => void
}

/** Of a list with a filter. */
interface Found {
  readonly operation: string
  readonly variant: string
  /** Requests that were refused with 503. */
  readonly refused: number
  /** Of the median response. */
  readonly rows: number
  readonly kilobytes: number
  readonly p50_ms: number
  readonly p95_ms: number
  readonly p99_ms: number
  readonly max_ms: number
  /** CPU time per request. */
  readonly service_cpu_ms: number
  readonly postgres_cpu_ms: number
}

interface Answer {
  /** 200, or 503 under more load than the machine can bear. */
  readonly status: number
  readonly rows: number
  readonly bytes: number
  readonly next_cursor: string | null
}

type Get = (path: string) => Promise<Answer>

export async function measureFinding(
  url: string,
  { requests, rate, only, withExport = false, show }: FindingOptions,
): Promise<{ found: Found[]; exported: Exported | null }> {
  const key = await operatorKey(url)
  const service = await startServiceProcess(url)
  const measureAll = async (session: Client): Promise<{ found: Found[]; exported: Exported | null }> => {
    const get: Get = (path) => read(service.address + path, key)
    const { pathValues, values } = await sampleFinding(session, await importChanges(service.address, key, session))
    const all = findingRequests(await documentOf(service.address), pathValues, values)
    const chosen = all.filter(({ operation }) => only?.includes(operation) ?? true)
    if (chosen.length === 0) throw new WrongUse(`There is no such list: ${only?.join(', ')}.`)
    if (withExport) return { found: [], exported: await exportOrders(service, key, session, show) }
    const found: Found[] = []
    show(header)
    for (const request of chosen) {
      const before = await cpuOf(session, service.pid)
      const timed = await measure(get, request, requests, rate)
      const after = await cpuOf(session, service.pid)
      const perRequest = (ms: number): number => Number((ms / (requests + warmUpsOf(requests))).toFixed(1))
      const service_cpu_ms = perRequest(after.service - before.service)
      const one = { ...timed, service_cpu_ms, postgres_cpu_ms: perRequest(after.postgres - before.postgres) }
      found.push(one)
      show(lineOf(one))
    }
    return { found, exported: null }
  }
  try {
    return await inSession(url, measureAll)
  } finally {
    await service.stop()
  }
}

async function cpuOf(session: Client, pid: number): Promise<{ service: number; postgres: number }> {
  const { rows } = await session.query<{ pid: number }>(
    `select pid from pg_stat_activity where datname = current_database() and application_name like 'parts%'`,
  )
  return { service: cpuMs(pid), postgres: rows.reduce((sum, backend) => sum + cpuMs(backend.pid), 0) }
}

/** Requests start at their time whether or not earlier ones are answered, and count from that time (open-loop). */
async function measure(
  get: Get,
  request: FindingRequest,
  count: number,
  rate: number,
): Promise<Omit<Found, 'service_cpu_ms' | 'postgres_cpu_ms'>> {
  const paths = request.next === true ? await nextPages(get, request.paths) : request.paths
  const pathOf = (n: number): string => paths[n % paths.length] ?? ''
  for (let n = 0; n < warmUpsOf(count); n++) await get(pathOf(n))
  const start = performance.now()
  const measured = Array.from({ length: count }, async (_, n) => {
    const due = start + (n * 1000) / rate
    await sleep(Math.max(0, due - performance.now()))
    const answer = await get(pathOf(n))
    return { ...answer, ms: performance.now() - due }
  })
  const answers = await Promise.all(measured)
  const ms = (part: number): number => Number(percentile(answers.map((one) => one.ms), part).toFixed(1)) // prettier-ignore
  return {
    operation: request.operation,
    variant: request.variant,
    refused: answers.filter(({ status }) => status !== 200).length,
    rows: percentile(answers.map(({ rows }) => rows), 0.5), // prettier-ignore
    kilobytes: Math.round(percentile(answers.map(({ bytes }) => bytes), 0.5) / 1024), // prettier-ignore
    p50_ms: ms(0.5),
    p95_ms: ms(0.95),
    p99_ms: ms(0.99),
    max_ms: ms(1),
  }
}

/** They plan the statement. */
const warmUpsOf = (count: number): number => Math.min(5, count)

const nextPagesMax = 10

/** The second pages of these lists; the first page where there is no second one. */
const nextPages = (get: Get, paths: readonly string[]): Promise<string[]> =>
  Promise.all(
    paths.slice(0, nextPagesMax).map(async (path) => {
      const { next_cursor } = await get(path)
      return next_cursor === null ? path : `${path}?cursor=${encodeURIComponent(next_cursor)}`
    }),
  )

export async function read(url: string, key: string): Promise<Answer> {
  // By default fetch accepts compressed responses, and compressing them would be measured too.
  const response = await fetch(url, { headers: { authorization: key, 'accept-encoding': 'identity' } })
  const text = await response.text()
  const { status } = response
  if (status === 200) return answerOf(text)
  if (status === 503) return { status, rows: 0, bytes: 0, next_cursor: null }
  throw new Error(`${url}: ${status} ${text}`)
}

/** The rows of a list are `data`, those of the feed `data.events`; counts have one. */
function answerOf(text: string): Answer {
  const { data, paging } = JSON.parse(text) as {
    data: object[] | { events?: object[]; next_cursor?: string }
    paging?: { next_cursor: string | null }
  }
  const list = Array.isArray(data) ? data : (data.events ?? [data])
  const next_cursor = paging?.next_cursor ?? (Array.isArray(data) ? null : (data.next_cursor ?? null))
  return { status: 200, rows: list.length, bytes: Buffer.byteLength(text), next_cursor }
}

async function documentOf(address: string): Promise<OpenapiPaths> {
  return (await (await fetch(`${address}/operator/openapi.json`)).json()) as OpenapiPaths
}

/** A dry run of an import, for the lists of its changes and errors. It changes no price. Returns its number. */
async function importChanges(address: string, key: string, session: Client): Promise<number> {
  const { rows } = await session.query<{ price_list_id: number; item_id: number }>(
    'select price_list_id::float8, item_id::float8 from prices order by price_list_id, item_id limit 1000',
  )
  const lines = rows.map(({ price_list_id, item_id }, n) => `${price_list_id},${item_id},${n % 5 === 0 ? 'x' : '0.01'}`)
  const response = await fetch(`${address}/operator/v1/imports/prices/?dry_run=true&mode=rows`, {
    method: 'POST',
    headers: { authorization: key, 'content-type': 'text/csv' },
    body: `price_list_id,item_id,price\n${lines.join('\n')}\n`,
  })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  const { data } = JSON.parse(text) as { data: { import_id: number; rows_refused: number; rows_changed: number } }
  assert.deepEqual([data.rows_refused, data.rows_changed], [rows.length / 5, (rows.length / 5) * 4], text)
  return data.import_id
}

const table = (first: string, second: string, figures: readonly (string | number)[]): string =>
  `${first.padEnd(28)}${second.padEnd(40)}${figures.map((figure) => String(figure).padStart(8)).join('')}\n`
const titles = ['503', 'rows', 'KB', 'p50 ms', 'p95 ms', 'p99 ms', 'max ms', 'node ms', 'PG ms']
const header = table('operation', 'filter', titles)

function lineOf({ operation, variant, refused, rows, kilobytes, ...times }: Found): string {
  const { p50_ms, p95_ms, p99_ms, max_ms, service_cpu_ms, postgres_cpu_ms } = times
  const ms = [p50_ms, p95_ms, p99_ms, max_ms, service_cpu_ms, postgres_cpu_ms].map((time) => time.toFixed(1))
  return table(operation, variant, [refused, rows, kilobytes, ...ms])
}
