/** Runs the commands and the receiver of docs/how-to/integrator/webhooks.md, and sends the receiver forged messages. */
import assert from 'node:assert/strict'
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeLogger } from '../../../service/src/log.ts'
import { eventually } from '../../../service/src/testing/process.ts'
import { order } from '../../../service/src/testing/orders.ts'
import { makeWorld, type World } from '../../../service/src/testing/world.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'
import { signatureHeaders } from '../../../service/src/webhooks/signature.ts'
import { readConfig } from '../../../service/src/config.ts'
import { startWork } from '../../../service/src/commands/worker.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('webhooks.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))
const file = fileURLToPath(new URL('webhook-receiver.ts', import.meta.url))

let service: TestService
let world: World
const worker = new AsyncDisposableStack()
const receivers: ChildProcess[] = []

before(async () => {
  service = await startService({ settings: { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true' } })
  await addFixtures(service)
  world = await makeWorld(service)
  const settings = { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true', WEBHOOK_LEASE_MS: '2000' }
  const config = readConfig({ DATABASE_URL: service.databaseUrl, STATEMENT_TIMEOUT_MS: '60000', ...settings })
  startWork(service.db, config, makeLogger('silent'), worker)
})
after(async () => {
  for (const receiver of receivers) receiver.kill()
  await worker.disposeAsync()
  await service.close()
})

test('the receiver on the page is the file that is run here, and has at most thirty lines', () => {
  const [, shown] = /^```ts\n([^]*?)^```/m.exec(page) ?? []
  const code = readFileSync(file, 'utf8')
  assert.equal(shown, code)
  assert(code.trim().split('\n').length <= 30)
})

test('the receiver accepts a genuine message and rejects a changed byte, an old timestamp and a foreign secret', async () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const { url, printed } = await startReceiver(secret)
  const body = '{"type":"order.created"}'
  const now = Math.floor(Date.now() / 1000)
  const post = async (headers: Record<string, string>, sent = body): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body: sent })).status
  const sign = (of: Partial<{ id: string; timestamp: number; secrets: string[] }> = {}): Record<string, string> =>
    signatureHeaders(of.secrets ?? [secret], { id: of.id ?? 'evt_1_1', timestamp: of.timestamp ?? now, body })
  const foreign = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
  assert.equal(await post(sign({ secrets: [foreign] })), 401)
  assert.equal(await post(sign({ timestamp: now - 3_600 })), 401)
  assert.equal(await post(sign({ timestamp: now + 3_600 })), 401)
  assert.equal(await post(sign(), body.replace('c', 'k')), 401)
  assert.equal(await post({ ...sign(), 'webhook-id': 'evt_1_2' }), 401)
  assert.equal(await post({}), 401)
  assert.deepEqual(printed(), ['waiting for events'])
  assert.equal(await post(sign()), 204)
  assert.equal(await post(sign()), 204) // A duplicate is accepted and not handled twice.
  assert.equal(await post(sign({ id: 'evt_1_3', secrets: [foreign, secret] })), 204)
  await eventually(async () => printed().length === 3)
})

test(
  'every command of the page succeeds, and the receiver gets the event of an order',
  { timeout: 60_000 },
  async () => {
    assert.equal(commands.length, 6)
    const [create = '', ...rest] = commands
    const port = await freePort()
    const environment: Record<string, string | undefined> = {
      PATH: process.env['PATH'],
      URL: `http://127.0.0.1:${service.port}`,
      KEY: world.me.key,
      HOOK: `http://127.0.0.1:${port}/`,
    }
    const created = await responseOf(create, environment)
    environment['WEBHOOK'] = String(created.webhook_id)
    const { printed } = await startReceiver(String(created.secret), port)
    await order(world)
    await eventually(async () => printed().some((line) => line.includes('"order.created"')))
    for (const command of rest) await responseOf(command, environment)
    await eventually(async () => printed().some((line) => line.includes('"webhook.test"')))
  },
)

async function responseOf(command: string, env: Record<string, string | undefined>): Promise<Record<string, unknown>> {
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', command], { env })
  const { status, data } = JSON.parse(stdout) as { status: string; data: Record<string, unknown> }
  assert.equal(status, 'ok', `${command}\n${stdout}`)
  return data
}

async function startReceiver(secret: string, given?: number): Promise<{ url: string; printed: () => string[] }> {
  const port = given ?? (await freePort())
  const env = { PATH: process.env['PATH'], WEBHOOK_SECRET: secret, PORT: String(port) }
  const child = spawn(process.execPath, [file], { env })
  receivers.push(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const printed = (): string[] => output.split('\n').filter(Boolean)
  await eventually(async () => printed().length > 0)
  return { url: `http://127.0.0.1:${port}/`, printed }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
