/** An order desk for tests in a browser: a real service with its database, clients with orders, and signed-in pages. */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Role } from '../../service/src/access/actor.ts'
import { openBrowser } from '../../service/src/testing/browser.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../../service/src/testing/fixtures.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'

const root = join(import.meta.dirname, '../..')

export interface Placed {
  readonly order_id: number
  readonly order_number: number
  readonly order_item_id: number
}

export interface Desk {
  readonly service: TestService
  readonly operators: Operators
  readonly browser: Browser
  readonly client: TestClient
  readonly shop: ReturnType<typeof shopper>
  readonly origin: string
  /** A new browser window, signed in with a key of the role. */
  readonly open: (role: Role, path?: string, options?: BrowserContextOptions) => Promise<Page>
  readonly place: (line?: Partial<{ item_id: number; quantity: number; contract_id: number }>) => Promise<Placed>
  /** An order with an open request for another quantity. */
  readonly request: (quantity: number, from?: number) => Promise<Placed & { adjustment_id: number }>
  readonly stateOf: (order_id: number) => Promise<string>
  readonly close: () => Promise<void>
}

export async function openDesk(): Promise<Desk> {
  if (!existsSync(join(root, 'console/dist/index.html'))) execFileSync('npm', ['run', 'build'], { cwd: root })
  const service = await startService()
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
  return {
    service,
    operators,
    browser,
    client,
    shop,
    origin,
    open: async (role, path = '/', options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB', ...options })
      contexts.push(context)
      const page = await context.newPage()
      const answer = await context.request.post(`${origin}/operator/v1/sessions/`, {
        headers: { authorization: operators.keys[role] },
        data: {},
      })
      if (!answer.ok()) throw new Error(await answer.text())
      const isLive = page.waitForResponse((one) => one.url().includes('from=now'), { timeout: 60_000 })
      await page.goto(`${origin}/console${path}`)
      await page.locator('#content').waitFor()
      await isLive // From here on, nothing that happens is missed.
      return page
    },
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
      await service.close()
    },
  }
}
