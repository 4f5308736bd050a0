/**
 * Hostile and malformed requests over raw connections: broken HTTP, paths, headers, forms, JSON, CSV and NDJSON, pipelined.
 * No answer may be a 5xx other than overload, the process must live and its memory stay flat, and another client must be
 * served throughout. Runs for 15 seconds, in `npm run test:long` for a minute, or until TEST_HOSTILE_COUNT requests are
 * sent. A failure prints the seed and the request: HOSTILE_SEED=… node --test apps/service/campaigns/hostile.campaign.ts sends
 * the same ones.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { hostileRequests, type HostileRequest } from './hostile-requests.ts'
import { seededRandom } from './seeded-random.ts'
import { addClient, addFixtures, shopper } from '../src/testing/fixtures.ts'
import { makeOperators } from '../src/testing/operators.ts'
import { percentile } from '../src/testing/percentile.ts'
import { eventually, mainFile } from '../src/testing/process.ts'
import { long } from '../src/testing/racing.ts'
import { startService, type TestService } from '../src/testing/service.ts'

const count = Number(process.env['TEST_HOSTILE_COUNT'] ?? Infinity)
const durationMs = count < Infinity ? Infinity : long ? 60_000 : 15_000
const seed = Number(process.env['HOSTILE_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const connections = 96 // Most of the time most of them wait for what a broken request leaves open.
const batchMax = 12 // Fewer than may wait on a connection, so that each is answered.
const silenceMs = 300 // After a broken request the server may wait for the rest of it.
const overloadCodes = /"code":"(overloaded|busy)"/

let service: TestService // Its database and fixtures; the process under test uses the same database.
let child: ChildProcess
let port: number
let otherKey: string
let next: () => HostileRequest
let errors = ''

before(async () => {
  service = await startService()
  await addFixtures(service)
  const clients = [await addClient(service), await addClient(service), await addClient(service)]
  otherKey = (await addClient(service)).key
  const shop = shopper(service, clients[0] as (typeof clients)[0])
  const [cart_id, ordered] = [await shop.createCart(), await shop.createCart()]
  await shop.add(ordered, { item_id: 1, quantity: 5 })
  const order_id = await shop.order(ordered)
  const operators = await makeOperators(service)
  const clientKeys = clients.map(({ key }) => key)
  next = hostileRequests(seededRandom(seed), { clientKeys, operatorKey: operators.keys.cataloguer, cart_id, order_id })
  port = await freePort()
  child = spawn(process.execPath, [mainFile, 'api'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: service.databaseUrl,
      PORT: String(port),
      METRICS_PORT: '0',
      LOG_LEVEL: 'error',
      RATE_LIMIT: 'off', // Hostile requests must get past it.
      FAILED_KEYS_PER_MINUTE: 'off',
      SHED_AFTER_MS: 'off', // On a busy machine the other client would be refused too.
    },
  })
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (errors = `${errors}${text}`.slice(-20_000)))
  await eventually(async () => (await statusOf('/healthz').catch(() => 0)) === 200)
})
after(async () => {
  child.kill('SIGKILL')
  await service.close()
})

test('hostile requests: no 5xx but overload, flat memory, and others are served throughout', { timeout: 7_200_000 }, async () => {
  process.stdout.write(`HOSTILE_SEED=${seed}\n`)
  const started = performance.now()
  const statuses = new Map<string, number>()
  const memory: number[] = []
  let sent = 0
  const stopped = new AbortController()
  const isDone = (): boolean => sent >= count || performance.now() - started > durationMs

  const attack = async (): Promise<void> => {
    while (!isDone()) {
      const batch = makeBatch()
      sent += batch.length
      for (const status of await send(batch)) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  const watch = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      memory.push(residentMb())
      await sleep(500)
    }
  }
  const otherTimes: number[] = []
  const order = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      const asked = performance.now()
      assert.equal(await statusOf('/api/v1/carts/', otherKey), 200)
      otherTimes.push(performance.now() - asked)
      await sleep(20)
    }
  }
  const others = Promise.all([watch(), order()])
  await Promise.race([Promise.all(Array.from({ length: connections }, attack)), others])
  stopped.abort()
  await others

  const quarter = Math.floor(memory.length / 4)
  const [early, late] = [percentile(memory.slice(quarter, 2 * quarter), 0.5), percentile(memory.slice(-quarter), 0.5)]
  const seconds = (performance.now() - started) / 1000
  process.stdout.write(
    `${sent} hostile requests in ${seconds.toFixed(0)} s; answers ${JSON.stringify(Object.fromEntries(statuses))}; ` +
      `memory ${early} MB, later ${late} MB; another client: ${otherTimes.length} requests, median ${percentile(otherTimes, 0.5).toFixed(1)} ms, ` +
      `p99 ${percentile(otherTimes, 0.99).toFixed(1)} ms\n`,
  )
  assert.equal(child.exitCode, null, errors)
  assert(late < early * 1.25 + 20, `The memory grew from ${early} to ${late} MB.`)
  assert(otherTimes.length > seconds, 'The other client was hardly served.')
  for (const status of ['200', '400', '401', '404', '405', '409', '415'])
    assert((statuses.get(status) ?? 0) > 10, `Only ${statuses.get(status) ?? 0} times ${status}.`)
  await service.checkInvariants()
}) // prettier-ignore

/** Requests for one connection. A broken one is the last. */
function makeBatch(): HostileRequest[] {
  const batch: HostileRequest[] = []
  do batch.push(next())
  while (batch.at(-1)?.isWhole === true && batch.length < batchMax)
  return batch
}

/** Sends them all at once; returns the statuses of the answers when all are there, or the server closes or stays silent. */
async function send(batch: readonly HostileRequest[]): Promise<string[]> {
  const socket = net.connect(port, '127.0.0.1')
  const expected = batch.every(({ isWhole }) => isWhole) ? batch.length : Infinity
  let text = ''
  const ended = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').setTimeout(expected === Infinity ? silenceMs : 30_000, resolve)
    socket.on('data', (chunk: string) => {
      text += chunk
      if (statusesIn(text).length >= expected) resolve()
    })
    socket.on('error', () => resolve()).on('close', () => resolve())
  })
  socket.write(Buffer.concat(batch.map(({ bytes }) => bytes)))
  await ended
  socket.destroy()
  const statuses = statusesIn(text)
  const failed = statuses.findIndex((status) => status.startsWith('5'))
  if (failed !== -1 && !(statuses[failed] === '503' && overloadCodes.test(text))) {
    const shown = batch.map(({ kind, bytes }) => `${kind}: ${JSON.stringify(bytes.toString('latin1').slice(0, 2_000))}`)
    assert.fail(`HOSTILE_SEED=${seed}: ${statuses.join(' ')}\n${shown.join('\n')}\n${errors}`)
  }
  return statuses
}

const statusesIn = (text: string): string[] =>
  Array.from(text.matchAll(/HTTP\/1\.1 (\d{3}) [A-Z]/g), ([, status = '']) => status).filter(
    (status) => status !== '100',
  )

async function statusOf(path: string, key?: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
    headers: key === undefined ? {} : { authorization: key },
  })
  await answer.arrayBuffer()
  return answer.status
}

function residentMb(): number {
  const [, kB] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kB) / 1024)
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: found } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return found
}
