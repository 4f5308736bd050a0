/** The reference pages in a browser. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { makeApiKey } from '../identity/authenticate.ts'
import { openBrowser, otherHost, withoutBrowser } from '../testing/network/browser.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let browser: Browser
const skip = withoutBrowser
const timeout = 300_000 // A busy machine may need a minute for a page.

before(async () => {
  if (skip !== false) return
  service = await startService()
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.close()
})

const pages = [
  { path: '/docs/', title: 'Parts Ordering Service', operation: 'Place an order' },
  { path: '/operator/docs/', title: 'Parts Ordering Service: operators', operation: 'Move an order' },
]
const url = (path: string): string => `http://${otherHost}:${service.port}${path}`

/** Opens a page and waits until its reference is shown. */
async function open(path: string, options: BrowserContextOptions = {}): Promise<Page> {
  const page = await browser.newPage({ reducedMotion: 'reduce', ...options })
  page.setDefaultTimeout(timeout)
  await page.goto(url(path))
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return page
}

test(
  'the pages work over http on any host, load nothing from elsewhere and report no error',
  { skip, timeout },
  async () => {
    for (const { path, title } of pages) {
      const page = await browser.newPage()
      page.setDefaultTimeout(timeout)
      const problems: string[] = []
      page.on('request', (request) => {
        if (!request.url().startsWith(url('/'))) problems.push(request.url())
      })
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text())
      })
      page.on('pageerror', (error) => problems.push(error.message))
      await page.goto(url(path))
      await page.getByRole('heading', { level: 1, name: title }).waitFor()
      await page.waitForLoadState('networkidle')
      assert.deepEqual(problems, [])
      await page.close()
    }
  },
)

test('each page has a menu, and a search that finds an operation by its name', { skip, timeout }, async () => {
  for (const { path, operation } of pages) {
    const page = await open(path, { viewport: { width: 1280, height: 900 } })
    await page.getByRole('link', { name: 'Orders' }).first().waitFor()
    await page
      .getByRole('button', { name: /search/i })
      .first()
      .click()
    await page.getByRole('dialog').getByRole('textbox').or(page.getByRole('combobox')).first().fill(operation)
    await page.getByRole('option', { name: operation }).first().waitFor()
    await page.close()
  }
})

test('on a narrow screen nothing is wider than the screen, in light and in dark', { skip, timeout }, async () => {
  for (const { path } of pages) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(path, { viewport: { width: 390, height: 800 }, colorScheme })
      const [width, background] = await page.evaluate<[number, string]>(
        '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
      )
      assert(width <= 390, `${path} is ${width} pixels wide.`)
      const lightness = Math.max(...[...background.matchAll(/\d+/g)].slice(0, 3).map(Number))
      assert.equal(lightness < 128, colorScheme === 'dark', background)
      await page.close()
    }
  }
})

test('a key that is typed into a page is sent, and stored nowhere in the browser', { skip, timeout }, async () => {
  const typed = [
    { path: '/docs/', tag: 'lookups', operation: '/api/v1/order-states/', key: makeApiKey(1, 'pos') },
    { path: '/operator/docs/', tag: 'access', operation: '/operator/v1/me/', key: makeApiKey(1, 'pso') },
  ]
  for (const { path, tag, operation, key } of typed) {
    const page = await open(path, { viewport: { width: 1280, height: 900 } })
    await page.getByLabel('Value', { exact: true }).first().fill(key)
    await page.evaluate(`location.hash = 'tag/${tag}/GET${operation}'`)
    await page.getByRole('button', { name: `(get ${operation})` }).click()
    const sent = page.waitForRequest((request) => request.headers()['authorization'] === key)
    await page.getByRole('dialog').getByRole('button', { name: /^send/i }).first().click()
    await sent
    await page.waitForTimeout(2_000) // Scalar stores changes half a second later.
    for (const when of ['before', 'after']) {
      if (when === 'after') await page.reload()
      await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' })
      const stored = await page.context().storageState({ indexedDB: true })
      const session = await page.evaluate<string>('JSON.stringify(sessionStorage)')
      assert(!`${JSON.stringify(stored)}${session}`.includes(key), `stored ${when} the page was loaded again`)
    }
    await page.close()
  }
})
