/**
 * What it costs when many clients wait for their events, and how soon an event reaches whoever waits for it:
 * `node bench/waiting/waiting.ts [--readers N] [--events N]`.
 */
import { readFileSync } from 'node:fs'
import http from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { benchKey } from '../load/bench-keys.ts'
import { databaseUrl } from '../load/databases.ts'
import { sizesOf } from '../load/sizes.ts'
import { loadIfAbsent } from '../run/prepare.ts'
import { introduce, startServiceProcess } from '../run/service-process.ts'

const { values } = parseArgs({
  options: { readers: { type: 'string', default: '1000' }, events: { type: 'string', default: '500' } },
})
const readers = Number(values.readers)
const events = Number(values.events)
const quietMs = 5_000
const waitSeconds = 20

const sizes = sizesOf(readers * 20, readers, 10_000)
const url = databaseUrl(`bench_waiting_${readers}`)
await loadIfAbsent(url, sizes)
const session = new pg.Client({ connectionString: url })
await session.connect()
const service = await startServiceProcess(url)
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity })
const ids = Array.from({ length: readers }, (_, n) => n + 1)
await introduce(service.address, ids)

const after = new Map<number, number>()
for (const row of (
  await session.query<{ client_id: string; event_number: string }>('select client_id, event_number from clients')
).rows)
  after.set(Number(row.client_id), Number(row.event_number))

const answered = new Map<number, () => void>()
const stop = new AbortController()

function ask(client_id: number): Promise<{ event_number: number }[]> {
  const { promise, resolve, reject } = Promise.withResolvers<{ event_number: number }[]>()
  const path = `${service.address}/api/v1/events/?after=${after.get(client_id) ?? 0}&wait=${waitSeconds}`
  const request = http.get(path, { agent, headers: { authorization: benchKey(client_id) } }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => {
      if (response.statusCode === 200) resolve((JSON.parse(text) as { data: { event_number: number }[] }).data)
      else reject(new Error(text))
    })
  })
  request.on('error', reject)
  return promise
}

async function follow(client_id: number): Promise<void> {
  while (!stop.signal.aborted) {
    const last = (await ask(client_id)).at(-1)
    if (last === undefined) continue
    after.set(client_id, last.event_number)
    answered.get(client_id)?.()
  }
}

/** An event as any statement writes it; returns how long after its commit its reader has it. */
async function latencyMs(client_id: number): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<void>()
  answered.set(client_id, resolve)
  await session.query(
    `with numbered as (
       update clients set event_number = event_number + 1, event_transaction = greatest(event_transaction, pg_current_xact_id())
       where client_id = $1 returning client_id, event_number, event_transaction)
     insert into events (transaction_id, client_id, event_number, event_type, data, actor, request_id)
     select event_transaction, client_id, event_number, 'client.changed', '{}', 'bench', 'bench' from numbered`,
    [client_id],
  )
  const committed = performance.now()
  await promise
  return performance.now() - committed
}

const memoryMb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8'))?.[1]) / 1024
const cpuMs = (): number => {
  const fields = readFileSync(`/proc/${service.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
const commits = async (): Promise<number> => {
  await session.query('select pg_stat_clear_snapshot()')
  const { rows } = await session.query<{ commits: string }>(
    'select xact_commit as commits from pg_stat_database where datname = current_database()',
  )
  return Number(rows[0]?.commits)
}

async function quiet(): Promise<{ statements: number; cpu: number }> {
  const [before, cpu] = [await commits(), cpuMs()]
  await sleep(quietMs)
  return {
    statements: ((await commits()) - before - 3) / (quietMs / 1000), // Three are our own.
    cpu: (cpuMs() - cpu) / (quietMs / 1000),
  }
}

const print = (name: string, value: string): void => void process.stdout.write(`${name.padEnd(46)}${value}\n`)
await sleep(2_000)
const idle = await quiet()
const memoryBefore = memoryMb()
// They come one after the other, and ask again 20 seconds later, as people's programs do that were not all started at once.
const following = ids.map(async (client_id, n) => {
  await sleep((waitSeconds * 1000 * n) / readers)
  await follow(client_id)
})
await sleep(waitSeconds * 1000 + 1_000)
const waiting = await quiet()
const memory = memoryMb()
const { rows } = await session.query<{ connections: string }>(
  `select count(*) as connections from pg_stat_activity where datname = current_database() and application_name = 'parts'`,
)
const times: number[] = []
for (let n = 0; n < events; n++) {
  times.push(await latencyMs(1 + ((n * 7919) % readers)))
  await sleep(Math.random() * 30)
}
const at = (share: number): string =>
  (times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0).toFixed(1)
print('nobody waits, statements a second', idle.statements.toFixed(1))
print(`${readers} wait, statements a second`, waiting.statements.toFixed(1))
print('their connections to PostgreSQL', String(rows[0]?.connections))
print('memory before and while they wait', `${memoryBefore.toFixed(0)} and ${memory.toFixed(0)} MB`)
print(
  "the service's CPU before and while they wait",
  `${idle.cpu.toFixed(0)} and ${waiting.cpu.toFixed(0)} ms a second`,
)
print(`commit to answer, ${events} events`, `p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, at most ${at(0.9999)} ms`)

stop.abort()
const gone = Promise.allSettled(following)
await service.stop()
agent.destroy()
await gone
await session.end()
