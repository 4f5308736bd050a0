/**
 * Somebody sends as fast as it can and ignores every 429, while another client works. Its requests are measured beside a
 * flood of the service and beside the same flood of a server that only answers 429, in turns, in one run: it must not
 * notice the difference. The bare server twice, as the control.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { after, before, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { addNeighbour, nothingMeasured, type Measured, type Neighbour } from './neighbour.ts'
import type { Flood } from './flooder.ts'
import { makeApiKey } from '../../src/identity/authenticate.ts'
import { addClient, addFixtures, shopper } from '../../src/testing/fixtures.ts'
import { copyOrder } from '../../src/testing/copy-order.ts'
import { makeOperators } from '../../src/testing/operators.ts'
import { percentile } from '../../src/testing/percentile.ts'
import { startProcess, type Running } from '../../src/testing/process.ts'
import { startService, type TestService } from '../../src/testing/service.ts'

const attemptsMax = 3 // Other programs on the machine may disturb a measurement.
const turns = 4
const factorMax = 1.5
const json = { 'content-type': 'application/json' }

type Sent = Omit<Flood, 'address' | 'counts'>

let service: TestService // Prepares the data; the flooded process is another one.
let api: Running
let bare: ChildProcessByStdio<null, Readable, null>
let bareAddress: string
let neighbour: Neighbour
let floods: Record<string, Sent>

before(async () => {
  service = await startService()
  await addFixtures(service)
  neighbour = await addNeighbour(service)
  const flooder = await addClient(service, { name: 'Flooder' })
  const operators = await makeOperators(service)
  const shop = shopper(service, flooder)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 2, quantity: 1 })
  await copyOrder(service, await shop.order(cart_id), 500)
  const created = await service.request('PUT', '/api/v1/webhooks/', {
    key: flooder.key,
    form: { url: 'https://dealer.example/hooks', event_types: '*' },
  })
  assert.equal(created.status, 200, created.text)
  const signedIn = await service.request('POST', '/operator/v1/sessions/', { key: operators.keys.decider, json: {} })
  const [cookie = ''] = (signedIn.headers['set-cookie']?.[0] ?? '').split('; ')

  api = await startProcess('api', { DATABASE_URL: service.databaseUrl, PORT: '0', METRICS_PORT: '0' })
  bare = spawn(process.execPath, [`${import.meta.dirname}/bare-server.ts`], { stdio: ['ignore', 'pipe', 'inherit'] })
  bareAddress = String((await once(createInterface(bare.stdout), 'line'))[0])

  const get = { method: 'GET', connections: 64 }
  const { key } = flooder
  floods = {
    'a key, 64 connections': { ...get, path: '/api/v1/carts/', headers: { authorization: key } },
    'a key, 16 connections': { ...get, connections: 16, path: '/api/v1/carts/', headers: { authorization: key } },
    'no such path, no key': { ...get, path: '/nothing/here/', headers: {} },
    'no key': { ...get, path: '/api/v1/carts/', headers: {} },
    'a broken target': { ...get, path: '/operator/v1/%6Frders/', headers: {} },
    'an unknown key': { ...get, path: '/api/v1/carts/', headers: { authorization: makeApiKey(9_000_000) } },
    'pages of the reference': { ...get, path: '/docs/', headers: {} },
    'changes of a webhook': {
      method: 'PATCH',
      connections: 16,
      path: `/api/v1/webhooks/${created.body.data.webhook_id}/`,
      headers: { authorization: key, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'event_types=order.created',
    },
    'lists of an operator, by key': operatorLists({ authorization: operators.keys.viewer }),
    'lists of an operator, by session': operatorLists({ cookie }),
    'an operator signing in': {
      method: 'POST',
      connections: 16,
      path: '/operator/v1/sessions/',
      headers: { ...json, authorization: operators.keys.cataloguer },
      body: '{}',
    },
    'a form of sign-in that nobody began': { ...get, path: '/console/signed-in?code=1&state=2', headers: {} },
  }
})
after(async () => {
  bare.kill('SIGKILL')
  api.child.kill('SIGKILL')
  await service.close()
})

const operatorLists = (headers: Record<string, string>): Sent => ({
  method: 'GET',
  connections: 48,
  path: '/operator/v1/orders/?limit=500',
  headers,
})

/** Returns how many answers of each status the flood got. */
async function flooded(sent: Sent, address: string, working: () => Promise<void>): Promise<Record<number, number>> {
  const counts = new Int32Array(new SharedArrayBuffer(600 * Int32Array.BYTES_PER_ELEMENT))
  const workerData: Flood = { ...sent, address, counts }
  const flooder = new Worker(new URL('flooder.ts', import.meta.url), { workerData })
  await sleep(1_000) // Until its burst is used.
  try {
    await working()
    return Object.fromEntries(
      [...counts].map((count, status) => [status, count] as const).filter(([, count]) => count > 0),
    )
  } finally {
    await flooder.terminate()
  }
}

interface Compared {
  readonly ratios: readonly number[]
  readonly figures: string
}

async function compare(t: TestContext, flood: Sent): Promise<Compared> {
  const [besideBare, control, flooding] = [nothingMeasured(), nothingMeasured(), nothingMeasured()]
  let counts = {}
  for (let turn = 0; turn < turns; turn++) {
    await flooded(flood, bareAddress, () => neighbour.work(api.address, besideBare))
    counts = await flooded(flood, api.address, () => neighbour.work(api.address, flooding))
    await flooded(flood, bareAddress, () => neighbour.work(api.address, control))
  }
  const p = ({ ms }: Measured, part: number): number => percentile(ms, part)
  const figures = [0.5, 0.99].map(
    (part) =>
      `p${part * 100} ${p(besideBare, part).toFixed(1)} → ${p(flooding, part).toFixed(1)} ms (control ${p(control, part).toFixed(1)})`,
  )
  const text = `${figures.join(', ')}; the last flood got ${JSON.stringify(counts)}`
  t.diagnostic(text)
  assert.deepEqual(new Set(flooding.statuses), new Set([200]), text)
  return { ratios: [0.5, 0.99].map((part) => p(flooding, part) / p(besideBare, part)), figures: text }
}

const names = [
  'a key, 64 connections',
  'a key, 16 connections',
  'no such path, no key',
  'no key',
  'a broken target',
  'an unknown key',
  'pages of the reference',
  'changes of a webhook',
  'lists of an operator, by key',
  'lists of an operator, by session',
  'an operator signing in',
  'a form of sign-in that nobody began',
]
for (const name of names) {
  test(`under a flood of ${name}, another client is served as beside a server that only refuses`, async (t) => {
    await neighbour.work(api.address, nothingMeasured()) // Connections, caches and compiled code.
    for (let attempt = 1; ; attempt++) {
      const { ratios, figures } = await compare(t, floods[name] ?? assert.fail())
      if (ratios.every((ratio) => ratio <= factorMax)) return
      assert(attempt < attemptsMax, figures)
    }
  })
}
