/**
 * What is typed into a cold page, at every speed: nothing that nobody has seen may be decided, selected or opened, and what
 * is typed for the palette is all in the palette.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { long } from '../../service/src/testing/racing.ts'
import { limitMs, openDesk, type Desk, type Placed } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk({ worker: false })
})
after(() => desk?.close())

const times = long ? 200 : 10
const word = 'arxarj anaxr' // In the inbox, a accepts, r rejects, x selects, j and n go on.
const pauseMaxMs = 240 // Between two keys of a run that counts: the machine had time.

interface Run {
  /** When typing begins: before the first script, while the console loads, or when it is shown. */
  readonly from: 'blank' | 'loading' | 'shown'
  readonly withPalette: boolean
  readonly delay: number
  /** By how much all files and answers are delayed. */
  readonly slowMs: number
}

const any = <T>(...choices: readonly T[]): T => choices[Math.floor(Math.random() * choices.length)] as T
const anyRun = (): Run => {
  const from = any<Run['from']>('blank', 'loading', 'shown')
  const withPalette = from === 'shown' || any(true, false)
  return { from, withPalette, delay: 5 + Math.random() * 195, slowMs: any(0, 50, 300) }
}

async function typeInto(run: Run, requests: readonly (Placed & { adjustment_id: number })[]): Promise<boolean> {
  const at = JSON.stringify(run)
  const page = await desk.openCold('decider')
  await page.addInitScript(() => {
    const times: number[] = []
    Object.assign(globalThis, { times })
    document.addEventListener('keydown', ({ timeStamp }) => times.push(timeStamp), true)
  })
  await page.route(/\/(assets|operator)\//, async (route) => {
    await new Promise((resolve) => void setTimeout(resolve, run.slowMs))
    await route.continue()
  })
  const started = page.waitForRequest(/settings\.json/, { timeout: limitMs })
  await page.goto(`${desk.origin}/console/inbox`, { waitUntil: 'commit' })
  const rows = page.locator('tbody tr')
  if (run.from !== 'blank') await started
  if (run.from === 'shown') await rows.first().waitFor({ timeout: limitMs })
  if (run.withPalette) await page.keyboard.press('Control+k')
  await page.keyboard.type(word, { delay: run.delay })
  await rows.first().waitFor({ timeout: limitMs })
  const times = await page.evaluate(() => (globalThis as unknown as { times: number[] }).times)
  const pauses = times.map((time, n) => time - (times[n - 1] ?? time))
  const dialogs = await page.getByRole('dialog').count()
  const typed = dialogs === 0 ? '' : await page.getByRole('combobox').inputValue({ timeout: limitMs })
  const decided = await page.locator('[data-outcome]').count()
  const selected = await page.locator('[data-marked]').count()
  await page.context().close()
  // The browser itself takes Ctrl K before the first script.
  const isForPalette = run.withPalette && (run.from !== 'blank' || dialogs > 0)
  if (!isForPalette && Math.max(...pauses) > pauseMaxMs) return false
  assert.equal(typed, isForPalette ? word : '', at)
  assert.deepEqual([decided, selected], [0, 0], at)
  for (const { order_id } of requests) {
    const { adjustments } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
    assert.equal(adjustments[0].adjustment_status, 'WAIT', at)
  }
  return true
}

test(
  `${times} times, keys typed into a cold page at 5 to 200 ms decide nothing`,
  { skip: withoutBrowser },
  async (t) => {
    const requests = [await desk.request(5), await desk.request(6)]
    let repeated = 0
    for (let n = 0; n < times; n++) {
      const run = anyRun()
      for (let { delay } = run; !(await typeInto({ ...run, delay }, requests)); delay /= 2) repeated += 1
    }
    t.diagnostic(`${repeated} runs were repeated, because the machine was too slow for their speed`)
  },
)
