/** Every page and dialog in both colour schemes, on a desk and on a phone: accessible, not too wide, within the policy. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { limitMs, openDesk, type Desk } from './desk.ts'
import { eachDialog, goToStop, stopsOf } from './tour.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk({ worker: false })
})
after(() => desk?.close())

const schemes = ['light', 'dark'] as const
const sizes = [
  { width: 1280, height: 800 },
  { width: 390, height: 844 },
]

/** The schemes differ in nothing but colours, so in the second one only these rules can find more. */
const colourRules = ['color-contrast', 'link-in-text-block']

/** Everything that axe finds. Only the violations leave the page: the rest of the result takes longer than the checks. */
async function violations(page: Page, rules?: readonly string[]): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  return page.evaluate(async (only) => {
    const { violations: found } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
      ...(only === undefined ? {} : { runOnly: [...only] }),
    })
    return found.flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id}: ${node.html.slice(0, 160)} ${node.failureSummary ?? ''}`),
    )
  }, rules)
}

/** Each page is loaded once, and looked at in all four ways. */
async function inEveryWay(page: Page, what: string): Promise<void> {
  for (const size of sizes) {
    await page.setViewportSize(size)
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme })
      const way = `${what}, ${colorScheme}, ${size.width} pixels`
      await page.locator(`html[data-mantine-color-scheme="${colorScheme}"]`).waitFor({ timeout: limitMs })
      assert.deepEqual(await violations(page, colorScheme === 'light' ? undefined : colourRules), [], way)
    }
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    assert(overflow <= 0, `${what} is ${overflow} pixels too wide at ${size.width}`)
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

test(
  'every page and dialog is accessible, fits and breaks no policy, light and dark, at 1280 and 390 pixels',
  { skip: withoutBrowser },
  async (t) => {
    const complaints: string[] = []
    const page = await desk.open('admin', '/')
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    let looked = 0
    const check = async (what: string): Promise<void> => {
      await inEveryWay(page, what)
      looked += 1
    }
    for (const stop of await stopsOf(desk)) {
      await goToStop(page, desk.origin, stop)
      await check(stop.name)
      await eachDialog(page, stop, check)
    }
    const door = await (await desk.browser.newContext({ locale: 'en-GB' })).newPage()
    await door.goto(`${desk.origin}/console/`)
    await door.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: limitMs })
    await inEveryWay(door, 'sign-in')
    await door.context().close()
    t.diagnostic(`${looked + 1} pages and dialogs, each in 4 ways`)
    // The order that does not exist is meant to be missing.
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('404')),
      [],
    )
  },
)
