/** The demo as a process, seen from outside. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { knownDemoKeys } from './demo-keys.ts'

const main = fileURLToPath(new URL('../main.ts', import.meta.url))
// The demo creates it: a directory of mkdtemp is not readable for the account that runs PostgreSQL for root.
const dataDir = join(tmpdir(), `parts-demo-test-${process.pid}`)
const pidFile = join(dataDir, 'cluster', 'postmaster.pid')
const running = new Set<ChildProcess>()
const exampleOrders = 3 // Those of the API reference: add-examples.ts.

afterEach(async () => {
  for (const child of running) await stop(child)
})
after(() => rm(dataDir, { recursive: true, force: true }))

test('a fresh demo has a searchable catalogue with valid barcodes, and takes an order from cart to cancellation', async () => {
  const { child, stdout } = await startDemo('--json', '--fresh')
  const lines = stdout().split('\n')
  assert.equal(lines.length, 2, 'One line on standard output.')
  const { base_url, keys } = JSON.parse(lines[0] ?? '') as {
    base_url: string
    keys: { client_a: string; client_b: string }
  }
  const a = clientOf(base_url, keys.client_a)
  const b = clientOf(base_url, keys.client_b)

  const items = await allItems(a)
  assert.equal(items.length, 2000)
  assert.deepEqual(
    items.filter(({ item_barcode }) => !isEan13(item_barcode)),
    [],
  )
  assert.equal(new Set(items.map(({ item_barcode }) => item_barcode)).size, 2000)
  assert.equal(new Set(items.map(({ item_vendor_code }) => item_vendor_code)).size, 2000)
  assert.equal(new Set(items.map(({ brand }) => brand.brand_name)).size, 20)
  const wanted = items.find(({ item_vendor_code }) => item_vendor_code === 'BX-10234')
  assert(wanted)
  for (const search of ['bx-10234', wanted.item_barcode, wanted.item_title.replaceAll(',', '')]) {
    const found = (await a('GET', `items/?search=${encodeURIComponent(search)}`)) as Item[]
    assert(
      found.some(({ item_id }) => item_id === wanted.item_id),
      `'${search}' finds ${wanted.item_title}.`,
    )
  }
  assert.equal(((await a('GET', 'stocks/')) as unknown[]).length, 3)
  assert.equal(((await b('GET', 'stocks/')) as unknown[]).length, 2)
  assert.equal(((await b('GET', 'contracts/')) as unknown[]).length, 2)

  for (const client of [a, b]) {
    const cart = (await client('PUT', 'carts/', { name: 'Test' })) as { cart_id: number }
    const offered = (await client('GET', 'items/?stock_id=1&limit=20')) as Item[]
    const inStock = offered.find(({ availability }) =>
      availability.some(({ stock_id, available }) => stock_id === 1 && available >= 3),
    )
    assert(inStock)
    await client('PUT', `carts/${cart.cart_id}/items/`, {
      item_id: String(inStock.item_id),
      stock_id: '1',
      quantity: '3',
    })
    const [group] = (await client('GET', `carts/${cart.cart_id}/items/`)) as { cart_group_key: string }[]
    assert(group)
    const address = {
      zip: '10115',
      country_code: 'DE',
      region_code: 'DE-BE',
      city: 'Berlin',
      street: 'Torstrasse',
      home: '1',
    }
    const placed = (await client('PUT', 'orders/', { cart_group_key: group.cart_group_key, ...address })) as {
      created_order_id: number
    }
    const cancelled = (await client('DELETE', `orders/${placed.created_order_id}/`)) as { order_state_id: string }
    assert.equal(cancelled.order_state_id, 'zayavka-na-otmen')
  }

  await stopsCleanly(child, 'SIGINT')
})

test('the printed commands lead from an empty cart to a requested cancellation, and a second start keeps the data of the first', async () => {
  const { child, stdout } = await startDemo()
  const printed = stdout()
  const commands = printed.split('\n').filter((line) => line.includes('curl '))
  assert.equal(commands.length, 5)
  const answers = await shell(commands)
  assert.equal(answers.length, 5)
  for (const answer of answers) assert.equal(answer.status, 'ok')
  const cancelled = answers[4]?.data as { order_state_id: string } | undefined
  assert.equal(cancelled?.order_state_id, 'zayavka-na-otmen')

  const address = /http:\/\/127\.0\.0\.1:\d+(?=\/api)/.exec(printed)?.[0] ?? ''
  const key = /client_a +(pos_\w+)/.exec(printed)?.[1] ?? ''
  assert.equal(((await clientOf(address, key)('GET', 'orders/')) as unknown[]).length, 2 + exampleOrders)
  for (const page of ['/docs/', '/openapi.json', '/operator/docs/', '/operator/openapi.json'])
    assert.equal((await fetch(address + page)).status, 200)
  assert.match(printed, /^There is no rate limit here; .* RATE_LIMIT=on npm run demo$/m)
  for (const [authorization, status] of [
    [key, 200],
    ['wrong', 401],
  ] as const) {
    const statuses = new Set<number>()
    for (let n = 0; n < 400; n++)
      statuses.add((await fetch(`${address}/api/v1/carts/`, { headers: { authorization } })).status)
    assert.deepEqual([...statuses], [status])
  }
  const metrics = /http\S+\/metrics/.exec(printed)?.[0] ?? ''
  assert.match(await (await fetch(metrics)).text(), /^parts_/m)

  await stopsCleanly(child, 'SIGTERM')
})

test('a demo starts after an earlier one was killed, with the same keys', async () => {
  const killed = await startDemo('--json')
  const before = JSON.parse(killed.stdout()) as { keys: { client_a: string } }
  const orphan = postmasterPid()
  killed.child.kill('SIGKILL')
  await once(killed.child, 'exit')
  assert(isAlive(orphan), 'The demo left its PostgreSQL behind.')

  const { child, stdout } = await startDemo('--json')
  assert.notEqual(postmasterPid(), orphan) // Two cannot hold the same data.
  const { base_url, keys } = JSON.parse(stdout()) as { base_url: string; keys: { client_a: string } }
  assert.deepEqual(keys, before.keys)
  await clientOf(base_url, keys.client_a)('GET', 'orders/')

  const second = launch('--json', '--fresh')
  const [code] = (await once(second.child, 'close')) as [number]
  assert.equal(code, 1)
  assert.equal(second.stdout(), '')
  assert.match(second.stderr(), /Another demo is running on the same data/)
  await clientOf(base_url, keys.client_a)('GET', 'orders/') // The first one is not disturbed.

  await stopsCleanly(child, 'SIGINT')
})

test('a demo that other machines can reach has new keys at each start, and refuses those that everybody knows', async () => {
  const open = await startDemo('--json', 'HOST=0.0.0.0')
  const first = JSON.parse(open.stdout()) as { base_url: string; keys: Record<string, string> }
  await clientOf(first.base_url, first.keys['client_a'] ?? '')('GET', 'orders/')
  const refused = async (key: string, path: string): Promise<number> =>
    (await fetch(`${first.base_url}${path}`, { headers: { authorization: key } })).status
  assert.equal(await refused(knownDemoKeys.client_a, '/api/v1/orders/'), 401)
  assert.equal(await refused(knownDemoKeys.client_b, '/api/v1/orders/'), 401)
  assert.equal(await refused(knownDemoKeys.operator, '/operator/v1/orders/'), 401)
  await stopsCleanly(open.child, 'SIGTERM')

  const { child, stdout } = await startDemo('--json', '--live')
  const { base_url, keys } = JSON.parse(stdout()) as typeof first
  assert.deepEqual(keys, knownDemoKeys)
  await clientOf(base_url, knownDemoKeys.client_b)('GET', 'orders/')
  await stopsCleanly(child, 'SIGTERM')
})

test('a port in use is reported in one sentence, and nothing keeps running', async () => {
  const occupant = createServer().listen(0, '127.0.0.1')
  await once(occupant, 'listening')
  const { port } = occupant.address() as AddressInfo
  const { child, stderr, stdout } = launch('--json', `PORT=${port}`)
  const [code] = (await once(child, 'close')) as [number]
  occupant.close()
  assert.equal(code, 1)
  assert.equal(stdout(), '')
  const sentences = stderr()
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('…'))
  assert.deepEqual(sentences, [
    `Port ${port} of 127.0.0.1 is in use by another program: set PORT to another port, or to 0 for any free one.`,
  ])
  assert(!existsSync(pidFile))
})

interface Item {
  readonly item_id: number
  readonly item_vendor_code: string
  readonly item_barcode: string
  readonly item_title: string
  readonly brand: { readonly brand_name: string }
  readonly availability: readonly { readonly stock_id: number; readonly available: number }[]
}

interface Answer {
  readonly status: string
  readonly data: unknown
  readonly paging?: { readonly next_cursor: string | null }
}

interface Launched {
  readonly child: ChildProcess
  readonly stdout: () => string
  readonly stderr: () => string
}

/** Launches the demo with options and settings, and waits until it is ready. */
async function startDemo(...given: string[]): Promise<Launched> {
  const launched = launch(...given)
  const ready = given.includes('--json') ? '\n' : 'Ctrl-C stops everything'
  while (!launched.stdout().includes(ready)) {
    assert(
      launched.child.exitCode === null && launched.child.signalCode === null,
      `The demo ended:\n${launched.stderr()}`,
    )
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return launched
}

function launch(...given: string[]): Launched {
  const settings = Object.fromEntries(given.filter((word) => !word.startsWith('--')).map((word) => word.split('=', 2)))
  const { DATABASE_URL: _, METRICS_PORT: __, HOST: ___, ...environment } = process.env
  const options = given.filter((word) => word.startsWith('--'))
  const child = spawn(process.execPath, [main, 'demo', ...options], {
    env: { ...environment, PORT: '0', DEMO_DATA_DIR: dataDir, ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  return { child, stdout: () => stdout, stderr: () => stderr }
}

async function stopsCleanly(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const postmaster = postmasterPid()
  assert(isAlive(postmaster))
  child.kill(signal)
  assert.deepEqual(await once(child, 'exit'), [0, null])
  assert(!isAlive(postmaster), 'PostgreSQL is still running.')
  assert(!existsSync(pidFile))
}

function postmasterPid(): number {
  return Number(readFileSync(pidFile, 'utf8').split('\n', 1)[0])
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGINT')
  if (running.has(child)) await once(child, 'exit')
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

type Client = (method: string, path: string, form?: Record<string, string>) => Promise<unknown>

function clientOf(baseUrl: string, key: string): Client {
  return async (method, path, form) => (await send(`${baseUrl}/api/v1/${path}`, key, method, form)).data
}

async function send(url: string, key: string, method: string, form?: Record<string, string>): Promise<Answer> {
  const body = form && new URLSearchParams(form)
  const response = await fetch(url, { method, headers: { authorization: key }, ...(body && { body }) })
  const answer = (await response.json()) as Answer
  assert.equal(response.status, 200, JSON.stringify(answer))
  return answer
}

async function allItems(client: Client): Promise<Item[]> {
  const items: Item[] = []
  for (let brand = 1; brand <= 20; brand++)
    items.push(...((await client('GET', `items/?brand_id=${brand}&limit=500`)) as Item[]))
  return items
}

function isEan13(barcode: string): boolean {
  const sum = Array.from(barcode).reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0)
  return /^\d{13}$/.test(barcode) && sum % 10 === 0
}

/** Runs the commands in a shell that stops at the first failure, and returns the responses that they print. */
async function shell(commands: readonly string[]): Promise<Answer[]> {
  const child = spawn('bash', ['-euo', 'pipefail'], { stdio: ['pipe', 'pipe', 'inherit'] })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  child.stdin.end(`${commands.join('\n')}\n`)
  const [code] = (await once(child, 'close')) as [number]
  assert.equal(code, 0, shown)
  return shown
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer)
}
