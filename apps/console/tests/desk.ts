/**
 * An order desk for tests in a browser: a real service with its database and a worker, clients with orders, a receiver of
 * webhooks, and signed-in pages.
 */
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Role } from '../../service/src/identity/actor.ts'
import { openBrowser } from '../../service/src/testing/network/browser.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../service/src/testing/fixtures.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { startProcess } from '../../service/src/testing/process.ts'
import { startReceiver, type Receiver } from '../../service/src/testing/network/receiver.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'

const root = join(import.meta.dirname, '../../..')

export interface Placed {
  readonly order_id: number
  readonly order_number: number
  readonly order_item_id: number
}

/** How long a test waits for anything on a page: for a slow machine, nothing takes a second. */
export const limitMs = 120_000

export interface Desk {
  readonly service: TestService
  readonly operators: Operators
  readonly browser: Browser
  readonly client: TestClient
  readonly shop: ReturnType<typeof shopper>
  readonly origin: string
  /** What the worker delivers to. */
  readonly receiver: Receiver
  /** A new browser window, signed in with a key of the role. */
  readonly open: (role: Role, path?: string, options?: BrowserContextOptions) => Promise<Page>
  /** The same without a page: nothing of the console has been loaded. */
  readonly openCold: (role: Role, options?: BrowserContextOptions) => Promise<Page>
  readonly place: (line?: Partial<{ item_id: number; quantity: number; contract_id: number }>) => Promise<Placed>
  /** An order with an open request for another quantity. */
  readonly request: (quantity: number, from?: number) => Promise<Placed & { adjustment_id: number }>
  readonly stateOf: (order_id: number) => Promise<string>
  readonly close: () => Promise<void>
}

/** `worker: false` is for pictures, in which no delivery may fail meanwhile, and for tests that do a job themselves. */
export async function openDesk({ worker: withWorker = true, settings = {} } = {}): Promise<Desk> {
  if (!existsSync(join(root, 'apps/console/dist/index.html'))) execFileSync('npm', ['run', 'build'], { cwd: root })
  const webhooks = { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true' }
  const service = await startService({ settings: { ...webhooks, ...settings } })
  const receiver = await startReceiver()
  const anyPorts = { WORKER_PORT: '0', WORKER_METRICS_PORT: '0' }
  const worker = withWorker
    ? await startProcess('worker', { DATABASE_URL: service.databaseUrl, ...anyPorts, ...webhooks })
    : undefined
  await addFixtures(service)
  const operators = await makeOperators(service)
  const client = await addClient(service, { name: 'Lindner Car Service' })
  const shop = shopper(service, client)
  const browser = await openBrowser()
  const origin = `http://127.0.0.1:${service.port}`
  const contexts: BrowserContext[] = []

  const place: Desk['place'] = async ({ item_id = 1, quantity = 4, ...line } = {}) => {
    const cart_id = await shop.createCart()
    await shop.add(cart_id, { item_id, quantity, ...line })
    const order_id = await shop.order(cart_id)
    const { order_number, items } = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
    return { order_id, order_number, order_item_id: items[0].order_item_id }
  }
  const openCold: Desk['openCold'] = async (role, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
    context.setDefaultTimeout(limitMs)
    contexts.push(context)
    const answer = await context.request.post(`${origin}/operator/v1/sessions/`, {
      headers: { authorization: operators.keys[role] },
      data: {},
    })
    if (!answer.ok()) throw new Error(await answer.text())
    return context.newPage()
  }
  return {
    service,
    operators,
    browser,
    client,
    shop,
    origin,
    receiver,
    open: async (role, path = '/', options = {}) => {
      const page = await openCold(role, options)
      const isLive = page.waitForResponse((one) => one.url().includes('from=now'), { timeout: limitMs })
      await page.goto(`${origin}/console${path}`)
      await page.locator('#content').waitFor()
      await isLive // From here on, nothing that happens is missed.
      return page
    },
    openCold,
    place,
    request: async (quantity, from = 4) => {
      const placed = await place({ quantity: from })
      const { adjustment_id } = await shop.ok(
        'PATCH',
        `/api/v1/orders/${placed.order_id}/items/${placed.order_item_id}/`,
        { quantity },
      )
      return { ...placed, adjustment_id }
    },
    stateOf: async (order_id) => (await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_state_id,
    close: async () => {
      for (const context of contexts) await context.close()
      await browser.close()
      if (worker !== undefined) {
        const exited = once(worker.child, 'exit')
        worker.child.kill('SIGTERM')
        await exited
      }
      receiver.close()
      await service.close()
    },
  }
}

/** Waits until it is shown, and for as long as its reader would take before a key is meant for it. */
export async function readable(page: Page, shown: Locator): Promise<void> {
  await shown.first().waitFor({ timeout: limitMs })
  await page.waitForTimeout(300)
}

/** Waits until the decisions in the inbox can no longer be taken back, and are answered. */
export const sent = (page: Page) =>
  page.waitForFunction(() => document.querySelector('[data-at^="waiting"], [data-at^="sending"]') === null, undefined, {
    timeout: limitMs,
  })

/** Presses g and the letter of a page until it is there: on a busy machine, more than a second may pass in between. */
export async function travel(page: Page, letter: string, there: Locator): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await page.keyboard.press('g')
    await page.keyboard.press(letter)
    const arrived = there.first().waitFor({ timeout: limitMs / 5 })
    if (await arrived.then(() => true).catch(() => false)) return
  }
  throw new Error(`g ${letter} does not lead to its page.`)
}
