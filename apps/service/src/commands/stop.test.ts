/** Stopping: SIGTERM reaches the process, load balancers notice first, and no request is lost. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'
import { eventually, startProcess, type LogLine } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

let service: TestService
let me: TestClient
let settings: Record<string, string>

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  settings = {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    SHED_AFTER_MS: 'off',
    SHUTDOWN_DELAY_MS: '0',
  }
})
after(() => service.close())

for (const script of ['start', 'worker']) {
  test(`SIGTERM to npm run ${script} stops the process behind it, and npm waits for its end`, async () => {
    const npm = spawn('npm', ['run', '--silent', script], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...settings },
    })
    const log: LogLine[] = []
    npm.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      for (const line of chunk.split('\n')) if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
    })
    const said = (msg: string): LogLine | undefined => log.find((line) => line.msg === msg)
    await eventually(async () => said('ready') !== undefined)
    const ended = once(npm, 'exit')
    npm.kill('SIGTERM')
    await ended
    await eventually(async () => said('stopped') !== undefined)
    const pid = Number(said('ready')?.['pid'])
    assert.notEqual(pid, npm.pid)
    await eventually(async () => !isRunning(pid))
  })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

for (const processes of ['1', '2']) {
  test(`with PROCESSES=${processes}, /readyz is 503 from SIGTERM on while requests are still answered and close their connections`, async () => {
    const delayMs = 2_000
    const { child, address, log } = await startProcess('api', {
      ...settings,
      PROCESSES: processes,
      SHUTDOWN_DELAY_MS: String(delayMs),
    })
    const said = (msg: string): number => log.filter((line) => line.msg === msg).length
    await eventually(async () => said('ready') === Number(processes))
    assert.equal((await fetch(`${address}/readyz`)).status, 200)
    const ended = once(child, 'exit')
    const before_ = performance.now()
    child.kill('SIGTERM')
    await eventually(async () => said('stopping') === (processes === '1' ? 1 : Number(processes) + 1)) // The main process too.
    const closed = fetch(`${address}/api/v1/carts/`, { headers: { authorization: me.key } })
    const answer = await fetch(`${address}/readyz`)
    const body = (await answer.json()) as { errors: { code: string }[] }
    assert.deepEqual([answer.status, body.errors[0]?.code], [503, 'shutting_down'])
    assert.deepEqual([(await closed).status, (await closed).headers.get('connection')], [200, 'close'])
    assert.deepEqual(await ended, [0, null])
    assert(performance.now() - before_ >= delayMs)
    await assert.rejects(fetch(`${address}/healthz`))
  })
}

test('SIGINT, from a terminal, stops the process without the delay', async () => {
  const { child } = await startProcess('api', { ...settings, SHUTDOWN_DELAY_MS: '300000' })
  const ended = once(child, 'exit')
  child.kill('SIGINT')
  assert.deepEqual(await ended, [0, null])
})
