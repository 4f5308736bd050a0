/**
 * Many distributors on this machine: how long creating takes, what they cost idle and with some at work, and what one
 * notices of another that floods, imports or holds a lock. `node deploy/fleet/measure-many.ts [50]`, in about ten minutes.
 * Processes run without systemd here, so its limits of CPU and memory are not in place.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { percentile } from '../../apps/service/src/testing/percentile.ts'
import { address, type TestClient } from '../../apps/service/src/testing/fixtures.ts'
import { cpuMs, ownMemoryMb } from '../../proof/bench/process-usage.ts'
import { fill } from '../../proof/faults/installation.ts'
import { currentVersion } from '../../proof/faults/versions.ts'
import { createDistributor } from './create.ts'
import { readDistributor } from './directory.ts'
import { portOf } from './process.ts'
import { openTestFleet } from './testing-fleet.ts'

const count = Number(process.argv[2] ?? 50)
const activeCount = Math.min(5, count - 1)
const settleMs = 20_000
const watchMs = Number(process.env['WATCH_MS'] ?? 60_000)
const turnMs = Number(process.env['TURN_MS'] ?? 10_000)
const turns = 5
const pauseMs = 30 // Between two requests of a dealer.
const floodConnections = 200
const importedRows = 1_000_000

const fleet = await openTestFleet({ RATE_LIMIT: 'on', SHED_AFTER_MS: '100,200,400' })
const { a: cluster } = fleet.clusters
const urlOf = (name: string): string => cluster.url.replace(/\/postgres$/, `/${name}`)
const addressOf = (name: string): string => `http://127.0.0.1:${portOf(fleet, readDistributor(fleet, name), 'a')}`
let imports = 0
const names = Array.from({ length: count }, (_, n) => `d${n}`)
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const figures = (values: readonly number[], digits = 0): string =>
  `p50 ${percentile(values, 0.5).toFixed(digits)}, p95 ${percentile(values, 0.95).toFixed(digits)}, p99 ${percentile(values, 0.99).toFixed(digits)}`

try {
  await create()
  const dealers = await addDealers()
  await sleep(settleMs)
  await watch('idle')
  const over = { is: false }
  const working = dealers.slice(0, activeCount).map((dealer) => order(dealer, over))
  await sleep(settleMs)
  await watch(`${activeCount} active`)
  over.is = true
  const placed = await Promise.all(working)
  say(`orders in all: ${placed.reduce((sum, n) => sum + n, 0)}`)
  await compareNeighbours(dealers)
} finally {
  await fleet.close()
}

async function create(): Promise<void> {
  const seconds: number[] = []
  for (const name of names) {
    const begun = performance.now()
    await createDistributor(fleet, { name, host: `${name}.example`, server: 'a' })
    seconds.push((performance.now() - begun) / 1_000)
  }
  say(`created ${count}, seconds each: ${figures(seconds, 2)}`)
}

interface Dealer {
  readonly name: string
  readonly client: TestClient
  readonly operatorKey: string
}

async function addDealers(): Promise<Dealer[]> {
  const dealers: Dealer[] = []
  for (const name of names.slice(0, activeCount + 1)) {
    const sql = async <R extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<R[]> => {
      const client = new pg.Client({ connectionString: urlOf(name), options: '-c TimeZone=UTC' })
      await client.connect()
      try {
        return (await client.query<R>(text, values)).rows
      } finally {
        await client.end()
      }
    }
    const { clients, operatorKey } = await fill(await currentVersion(), urlOf(name), sql, 1)
    dealers.push({ name, client: clients[0] ?? assert.fail(), operatorKey })
  }
  return dealers
}

/** What all processes and the server took during a while. */
async function watch(what: string): Promise<void> {
  const pids = names.map((name) => Number(readFileSync(join(fleet.config.servers['a']?.settings ?? '', `${name}.pid`), 'utf8'))) // prettier-ignore
  const cpu = (): number => pids.reduce((sum, pid) => sum + cpuMs(pid), 0)
  const [statementsBefore, cpuBefore] = [await statements(), cpu()]
  await sleep(watchMs)
  const perSecond = ((await statements()) - statementsBefore) / (watchMs / 1_000)
  const cores = (cpu() - cpuBefore) / watchMs
  const { rows } = await cluster.query(`select pid from pg_stat_activity where datname ~ '^d[0-9]+$'`)
  const sessions = (rows as { pid: number }[]).map(({ pid }) => ownMemoryMb(pid))
  const memory = pids.map((pid) => ownMemoryMb(pid))
  const sum = (values: readonly number[]): number => Math.round(values.reduce((all, one) => all + one, 0))
  say(
    `${what}: processes ${sum(memory)} MB (${figures(memory)} each), ${sessions.length} connections with ${sum(sessions)} MB, ${perSecond.toFixed(1)} statements/s, processes ${cores.toFixed(2)} cores`,
  )
}

/** Each statement of the service is a transaction of its own. */
async function statements(): Promise<number> {
  const sql = `select sum(xact_commit + xact_rollback)::float8 as n from pg_stat_database where datname ~ '^d[0-9]+$'`
  return Number((await cluster.query(sql)).rows[0].n)
}

type Sent = Promise<{ status: number; data: any }> // oxlint-disable-line typescript/no-explicit-any

async function send({ name, client }: Dealer, method: string, path: string, form?: Record<string, string>): Sent {
  const answer = await fetch(addressOf(name) + path, {
    method,
    headers: { authorization: client.key },
    ...(form && { body: new URLSearchParams(form) }),
  })
  return { status: answer.status, data: ((await answer.json()) as { data: unknown }).data }
}

/** A dealer that fills a cart, looks at it and orders it. Returns how many orders were placed. */
async function order(dealer: Dealer, over: { readonly is: boolean }, ms: number[] = []): Promise<number> {
  const timed = async (...request: Parameters<typeof send>): Sent => {
    const begun = performance.now()
    const answer = await send(...request)
    ms.push(performance.now() - begun)
    await sleep(pauseMs)
    return answer
  }
  const { cart_id } = (await send(dealer, 'PUT', '/api/v1/carts/', { name: `Cart ${performance.now()}` })).data
  let placed = 0
  while (!over.is) {
    await timed(dealer, 'PUT', `/api/v1/carts/${cart_id}/items/`, { item_id: '2', stock_id: '1', quantity: '1' })
    const { data } = await timed(dealer, 'GET', `/api/v1/carts/${cart_id}/items/`)
    const cart_group_key = data?.[0]?.cart_group_key ?? ''
    placed += Number((await timed(dealer, 'PUT', '/api/v1/orders/', { ...address, cart_group_key })).status === 200)
  }
  return placed
}

/** The last dealer, in turns alone and beside another distributor that does something hard. */
async function compareNeighbours(dealers: readonly Dealer[]): Promise<void> {
  const [other, me] = [dealers[0] ?? assert.fail(), dealers.at(-1) ?? assert.fail()]
  const disturbances: Record<string, () => Promise<() => Promise<void>>> = {
    'a control': async () => async () => undefined,
    'a flood': () => flood(other),
    'an import': () => importRows(other),
    'a lock': () => holdLock(other),
  }
  for (const [what, begin] of Object.entries(disturbances)) {
    const [alone, beside]: [number[][], number[][]] = [[], []]
    for (let turn = 0; turn < turns; turn++) {
      alone.push(await oneTurn(me))
      const end = await begin()
      beside.push(await oneTurn(me))
      await end()
    }
    const median = (all: readonly number[][], part: number): string =>
      percentile(all.map((ms) => percentile(ms, part)), 0.5).toFixed(1) // prettier-ignore
    say(
      `beside ${what}: p50 ${median(alone, 0.5)} -> ${median(beside, 0.5)} ms, p99 ${median(alone, 0.99)} -> ${median(beside, 0.99)} ms`,
    )
  }
}

async function oneTurn(me: Dealer): Promise<number[]> {
  const [ms, over]: [number[], { is: boolean }] = [[], { is: false }]
  setTimeout(() => (over.is = true), turnMs)
  await order(me, over, ms)
  return ms
}

async function flood({ name, client }: Dealer): Promise<() => Promise<void>> {
  const counts = new Int32Array(new SharedArrayBuffer(4 * 600))
  const workerData = { address: addressOf(name), connections: floodConnections, method: 'GET', path: '/api/v1/orders/', headers: { authorization: client.key }, counts } // prettier-ignore
  const worker = new Worker(new URL('../../apps/service/campaigns/attacks/flooder.ts', import.meta.url), { workerData })
  return async () => void (await worker.terminate())
}

/** New items each time. It goes on in the background; the turn begins with it. */
async function importRows({ name, operatorKey }: Dealer): Promise<() => Promise<void>> {
  const first = 1_000_000 + importedRows * imports++
  const rows = ReadableStream.from(
    (function* () {
      for (let n = first; n < first + importedRows; n++)
        yield new TextEncoder().encode(`{"item_id":${n},"item_vendor_code":"M-${n}","item_barcode":"","item_title":"Part ${n}","brand_name":"Bulk","product_id":${n}}\n`) // prettier-ignore
    })(),
  )
  const over = new AbortController()
  const done = fetch(`${addressOf(name)}/operator/v1/imports/items/?mode=rows`, {
    method: 'POST',
    headers: { authorization: operatorKey, 'content-type': 'application/x-ndjson' },
    body: rows,
    duplex: 'half',
    signal: over.signal,
  }).catch(() => undefined)
  return async () => {
    over.abort()
    await done
  }
}

/** Its own orders wait for the lock, as many as it sends. */
async function holdLock(dealer: Dealer): Promise<() => Promise<void>> {
  const holder = new pg.Client({ connectionString: urlOf(dealer.name) })
  await holder.connect()
  await holder.query('begin')
  await holder.query('lock table orders, cart_groups')
  const over = { is: false }
  const waiting = Array.from({ length: 20 }, async () => {
    while (!over.is) await send(dealer, 'GET', '/api/v1/orders/').catch(() => undefined)
  })
  return async () => {
    over.is = true
    await holder.end()
    await Promise.all(waiting)
  }
}
