/** Several processes on one port (PROCESSES). */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { eventually, mainFile } from '../testing/process.ts'
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
  main = spawn(process.execPath, [mainFile, 'api'], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: service.databaseUrl,
      PORT: '0',
      METRICS_PORT: '0',
      RATE_LIMIT: 'off',
      SHED_AFTER_MS: 'off',
      PROCESSES: '2',
      SHUTDOWN_DELAY_MS: '0',
    },
  })
  let rest = ''
  main.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const complete = (rest + chunk).split('\n')
    rest = complete.pop() ?? ''
    for (const line of complete) log.push(JSON.parse(line) as LogLine)
  })
  await eventually(async () => lines('ready').length === 2)
})
after(async () => {
  main.kill('SIGKILL')
  await service.close()
})

const lines = (msg: string): LogLine[] => log.filter((line) => line.msg === msg)

/** Sends each request on a new connection, so that the processes take turns. */
async function request(times: number): Promise<number[]> {
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

test('both processes serve the same address, and the metrics add up both', async () => {
  assert.equal(new Set(lines('ready').map(({ address }) => address)).size, 1)
  assert.deepEqual(new Set(await request(40)), new Set([200]))
  await eventually(async () => lines('answered').length === 40)
  const answeredBy = new Set(lines('answered').map(({ pid }) => pid))
  assert.deepEqual(answeredBy, new Set(lines('ready').map(({ pid }) => pid)))
  assert.equal(await counted(), 40)
})

test('a process that dies is replaced, while the other one serves requests', async () => {
  const victim = lines('ready')[0]?.pid ?? 0
  process.kill(victim, 'SIGKILL')
  await eventually(async () => lines('a process died and is being replaced').length === 1)
  assert.deepEqual(new Set(await request(10)), new Set([200]))
  await eventually(async () => lines('ready').length === 3)
  assert.deepEqual(new Set(await request(10)), new Set([200]))
})

test('on SIGTERM all processes stop, and the main process exits with 0', async () => {
  const ended = once(main, 'exit')
  main.kill('SIGTERM')
  assert.deepEqual(await ended, [0, null])
  await eventually(async () => lines('stopped').length === 3) // Two workers and the main process.
})
