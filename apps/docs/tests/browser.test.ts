/** The site in a browser: every page on a phone in both colour schemes, the search, and the reference to try. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { lookAt } from './look.ts'
import { addressOf, sitePages } from '../site-map.ts'
import { makeApiKey } from '../../service/src/identity/authenticate.ts'
import { isSiteBuilt } from '../../service/src/reference/serve-site.ts'
import { openBrowser, otherHost, withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'

const skip = withoutBrowser
const timeout = 300_000 // A busy machine may need a minute for the reference.
const phone = { width: 390, height: 800 }
const desk = { width: 1280, height: 900 }
let service: TestService
let browser: Browser

before(async () => {
  if (skip !== false) return
  if (!isSiteBuilt()) execFileSync('npm', ['run', 'build:docs'], { cwd: join(import.meta.dirname, '../../..') })
  service = await startService()
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await service?.close()
})

const url = (path: string): string => `http://${otherHost}:${service.port}${path}`

/** A page that notes what it loads from elsewhere, and every error. */
async function openPage(viewport = desk): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport, reducedMotion: 'reduce' })
  page.setDefaultTimeout(timeout)
  const problems: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(url('/')) && !request.url().startsWith('data:')) problems.push(request.url())
  })
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} ${response.url()}`)
  })
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
  page.on('pageerror', (error) => problems.push(error.message))
  return { page, problems }
}

test(
  'every page fits a phone, has headings in order, and can be read in light and in dark',
  { skip, timeout },
  async (t) => {
    const { page, problems } = await openPage(phone)
    const wrong: string[] = []
    const started = performance.now()
    for (const one of sitePages.filter(({ path }) => !path.endsWith('api'))) {
      const path = addressOf(one)
      await page.goto(url(path))
      wrong.push(...(await page.evaluate(lookAt)).map((text) => `${path}: ${text}`))
    }
    t.diagnostic(`${sitePages.length} pages in ${((performance.now() - started) / 1000).toFixed(0)} s`)
    assert.deepEqual([...new Set(wrong)], [])
    assert.deepEqual(problems, [])
    await page.close()
  },
)

const references = [
  { path: '/docs/api', title: 'Parts Ordering Service', tag: 'lookups', operation: '/api/v1/order-states/', key: makeApiKey(1, 'pos') }, // prettier-ignore
  { path: '/docs/operator-api', title: 'Parts Ordering Service: operators', tag: 'access', operation: '/operator/v1/me/', key: makeApiKey(1, 'pso') }, // prettier-ignore
]

test(
  'the references work over http on any host, report no error, and fit a phone in light and in dark',
  { skip, timeout },
  async () => {
    for (const { path, title } of references) {
      for (const colorScheme of ['light', 'dark'] as const) {
        const { page, problems } = await openPage(phone)
        await page.emulateMedia({ colorScheme })
        await page.goto(url(path))
        await page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
        const [width, background] = await page.evaluate<[number, string]>(
          '[document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]',
        )
        assert(width <= phone.width, `${path} is ${width} pixels wide.`)
        const lightness = Math.max(...[...background.matchAll(/\d+/g)].slice(0, 3).map(Number))
        assert.equal(lightness < 128, colorScheme === 'dark', background)
        assert.deepEqual(problems, [])
        await page.close()
      }
    }
  },
)

test('a key that is typed into a reference is sent, and stored nowhere in the browser', { skip, timeout }, async () => {
  for (const { path, tag, operation, key } of references) {
    const { page } = await openPage()
    await page.goto(url(path))
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

test('the search finds guides, errors and operations, from every page', { skip, timeout }, async () => {
  const { page, problems } = await openPage()
  await page.goto(url('/docs/reference/words'))
  await page.keyboard.press('Control+k')
  for (const [words, address] of [
    ['webhook signature', '/docs/how-to/integrator/webhooks'],
    ['contract_limit_exceeded', '/docs/reference/errors#contract_limit_exceeded'],
    ['place an order', '/docs/reference/operations/orders#placeOrder'],
  ] as const) {
    await page.locator('#localsearch-input').fill(words)
    await page.locator(`#localsearch-list li:nth-child(-n+3) a[href^="${address}"]`).first().waitFor()
  }
  await page.keyboard.press('Enter')
  await page.waitForURL(/\/docs\//)
  assert.deepEqual(problems, [])
  await page.close()
})

test(
  'a language that is chosen in one group of tabs is shown in all, also on the next page',
  { skip, timeout },
  async () => {
    const { page } = await openPage()
    await page.goto(url('/docs/how-to/integrator/webhooks'))
    const shown = (): Promise<string[]> => page.locator('.vp-code-group .tabs input:checked + label').allTextContents()
    assert.deepEqual(await shown(), ['TypeScript', 'TypeScript'])
    await page.locator('.vp-code-group label', { hasText: 'PHP' }).first().click()
    assert.deepEqual(await shown(), ['PHP', 'PHP'])
    await page.locator('.VPSidebar').getByRole('link', { name: 'Your first order' }).click()
    await page.getByRole('heading', { level: 1, name: 'Your first order' }).waitFor()
    assert.deepEqual(await shown(), ['PHP', 'PHP'])
    await page.locator('.vp-code-group label', { hasText: 'curl' }).first().click()
    assert.deepEqual(await shown(), ['curl', 'PHP'])
    await page.close()
  },
)
