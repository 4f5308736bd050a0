/** Several processes on one port, as PROCESSES asks for. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startService, type TestService } from '../testing/service.ts'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'

interface LogLine {
  readonly msg: string
  readonly pid: number
  readonly address: string
  readonly metrics: { readonly port: number }
}

let service: TestService
let me: TestClient
let main: ChildProcess
const log: LogLine[] = []

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  main = spawn(process.execPath, [fileURLToPath(new URL('../main.ts', import.meta.url)), 'api'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      METRICS_PORT: '0',
      RATE_LIMIT: 'off',
      SHED_AFTER_MS: 'off',
      PROCESSES: '2',
    },
  })
  main.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    for (const line of chunk.split('\n')) if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
  })
  await eventually(() => lines('ready').length === 2)
})
after(async () => {
  main.kill('SIGKILL')
  await service.close()
})

const lines = (msg: string): LogLine[] => log.filter((line) => line.msg === msg)

/** Each request on a connection of its own, so that the processes take turns. */
async function ask(times: number): Promise<number[]> {
  const address = lines('ready')[0]?.address ?? ''
  const statuses: number[] = []
  for (let i = 0; i < times; i++) {
    const answer = await fetch(`${address}/api/v1/carts/`, { headers: { authorization: me.key, connection: 'close' } })
    await answer.arrayBuffer()
    statuses.push(answer.status)
  }
  return statuses
}

async function counted(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${lines('starting')[0]?.metrics.port}/metrics`)).text()
  const [, count] =
    /^parts_http_request_duration_seconds_count\{.*route="\/api\/v1\/carts\/".*\} (\d+)$/m.exec(text) ?? []
  return Number(count)
}

test('both processes answer on the same address, and the metrics are those of both together', async () => {
  assert.equal(new Set(lines('ready').map(({ address }) => address)).size, 1)
  assert.deepEqual(new Set(await ask(40)), new Set([200]))
  const answeredBy = new Set(lines('answered').map(({ pid }) => pid))
  assert.deepEqual(answeredBy, new Set(lines('ready').map(({ pid }) => pid)))
  assert.equal(await counted(), 40)
})

test('a process that dies is replaced, while the other one answers', async () => {
  const victim = lines('ready')[0]?.pid ?? 0
  process.kill(victim, 'SIGKILL')
  await eventually(() => lines('a process has died and is replaced').length === 1)
  assert.deepEqual(new Set(await ask(10)), new Set([200]))
  await eventually(() => lines('ready').length === 3)
  assert.deepEqual(new Set(await ask(10)), new Set([200]))
})

test('SIGTERM ends all of them, with 0', async () => {
  const ended = once(main, 'exit')
  main.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  assert.equal(lines('stopped').length, 3) // Two workers and the main process.
})

async function eventually(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(20)
}
