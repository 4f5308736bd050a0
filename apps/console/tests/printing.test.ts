/** The console in a browser: pick lists, packing slips, and lists as CSV. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { addClient } from '../../service/src/testing/fixtures.ts'
import { limitMs, openDesk, readable, type Desk, type Placed } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk({ worker: false })
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }

const row = (page: Page, order_number: number) => page.locator('tbody tr', { hasText: String(order_number) })
const act = (id: number, what: string, body: object) =>
  desk.operators.ok('POST', `/operator/v1/orders/${id}/${what}/`, body)
async function assembled(quantity: number): Promise<Placed> {
  const order = await desk.place({ quantity })
  for (const state_id of ['processing', 'fulfilling']) await act(order.order_id, 'move', { state_id })
  return order
}

/** Opens a page on which printing only leaves a mark: the tab closes itself after a real one. */
async function open(path: string): Promise<Page> {
  const page = await desk.open('decider', path)
  await page.context().addInitScript(() => {
    window.print = () => void (document.documentElement.dataset['printed'] = 'yes')
  })
  return page
}

/** The tab that opens, once it has printed, and the texts of its sheets. */
async function printed(page: Page, start: () => Promise<unknown>): Promise<string[]> {
  const opened = page.waitForEvent('popup', { timeout: limitMs })
  await start()
  const tab = await opened
  await tab.locator('html[data-printed]').waitFor({ timeout: limitMs })
  const sheets = await tab.locator('.sheet').allInnerTexts()
  await tab.emulateMedia({ media: 'print' })
  assert.equal(await tab.locator('.top').isVisible(), false)
  assert.equal(await tab.evaluate('window.opener !== null'), true)
  await tab.evaluate("dispatchEvent(new Event('afterprint'))")
  if (!tab.isClosed()) await tab.waitForEvent('close', { timeout: limitMs })
  return sheets
}

test('after shipping, p prints the slip of the shipment, with what is still open', inBrowser, async () => {
  const { order_id, order_number } = await assembled(5)
  const page = await open(`/orders/${order_id}`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Ship', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(/^Pieces of BN-280-V/).fill('3')
  await dialog.getByLabel('Carrier').fill('DHL')
  await dialog.getByRole('button', { name: 'Ship' }).click()
  await dialog.waitFor({ state: 'detached', timeout: limitMs })
  await readable(page, page.getByText('Goods shipped'))
  const [slip = '', ...others] = await printed(page, () => page.keyboard.press('p'))
  const { shipments } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  assert.deepEqual(others, [])
  for (const shown of [
    `Packing slip ${order_number}-${shipments[0].shipment_id}`,
    'Lindner Car Service\nAnna Weber\nInvalidenstraße 116\n10115 Berlin\nDE',
    'DHL',
  ])
    assert(slip.includes(shown), slip)
  assert.match(slip, /BN-280-V\s+4006381333931\s+Bremsen Nord Brake disc front 280 mm vented\s+5\s+3\s+2/)
})

test('several orders are shipped, and p prints all their slips, one a page', inBrowser, async () => {
  const orders = [await assembled(1), await assembled(2)]
  const page = await open('/orders')
  for (const { order_number } of orders) await row(page, order_number).getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Ship', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Move to Shipped' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })
  await readable(page, page.getByText('2 selected'))
  const sheets = await printed(page, () => page.keyboard.press('p'))
  assert.equal(sheets.length, 2)
  for (const { order_number } of orders)
    assert.equal(sheets.filter((sheet) => sheet.includes(`Packing slip ${order_number}-`)).length, 1)
})

test('the pick list of the selection has these orders, that of a stock has all', inBrowser, async () => {
  const [one, two, other] = [await assembled(3), await assembled(4), await assembled(6)]
  const page = await open('/orders')
  for (const { order_number } of [one, two]) await row(page, order_number).getByRole('checkbox').check()
  const menu = async (item: string): Promise<void> => {
    await page.getByRole('button', { name: 'Print' }).click()
    await page.getByRole('menuitem', { name: item }).click()
  }
  const [selected = ''] = await printed(page, () => menu('Pick list of 2 orders'))
  for (const { order_number } of [one, two]) assert(selected.includes(`Order ${order_number}`), selected)
  assert.equal(selected.includes(String(other.order_number)), false)
  const [all = ''] = await printed(page, () => menu('Pick list: Berlin'))
  const listed = await desk.operators.ok('GET', '/operator/v1/stocks/1/pick-list/')
  assert.equal(all.match(/Order \d+/g)?.length, listed.length)
  for (const { order_number } of [one, two, other]) assert(all.includes(`Order ${order_number}`), all)
})

test('an order that is neither assembled nor shipped says that there is nothing to print', inBrowser, async () => {
  const { order_id } = await desk.place()
  const page = await open(`/orders/${order_id}`)
  await readable(page, page.getByText('Order placed'))
  const opened = page.waitForEvent('popup', { timeout: limitMs })
  await page.keyboard.press('p')
  const tab = await opened
  await tab.getByText('There is nothing to print').waitFor({ timeout: limitMs })
})

const downloaded = async (page: Page, start: () => Promise<unknown>): Promise<[string, string]> => {
  const begun = page.waitForEvent('download', { timeout: limitMs })
  await start()
  const file = await begun
  return [file.suggestedFilename(), await readFile(await file.path(), 'utf8')]
}
const csvOf = async (path: string): Promise<string> =>
  (await desk.service.request('GET', path, { key: desk.operators.keys.decider, headers: { accept: 'text/csv' } })).text

test(
  'a list is downloaded whole, with the filters of the page, by its button and from the palette',
  inBrowser,
  async () => {
    for (let n = 0; n < 55; n++) await addClient(desk.service, { name: `Filiale ${n}` })
    const page = await desk.open('decider', '/clients?search=filiale')
    await readable(page, page.locator('tbody tr'))
    const expected = await csvOf('/operator/v1/clients/?search=filiale&csv_bom=true')
    const button = page.getByRole('button', { name: 'Download CSV' })
    const [name, text] = await downloaded(page, () => button.click())
    assert.deepEqual([name, text], ['clients.csv', expected])
    assert.equal(text.trimEnd().split('\r\n').length, 56)

    await desk.place()
    await page.goto(`${desk.origin}/console/orders?state=new&sort=total`)
    await readable(page, page.locator('tbody tr'))
    await page.keyboard.press('Control+k')
    await page.keyboard.type('csv')
    const entry = page.getByRole('option', { name: 'Download CSV Orders', selected: true })
    await entry.waitFor({ timeout: limitMs })
    const [, orders] = await downloaded(page, () => page.keyboard.press('Enter'))
    assert.equal(orders, await csvOf('/operator/v1/orders/?state=new&sort=total&csv_bom=true'))
  },
)

test('where commas are decimal, the columns are separated by semicolons', inBrowser, async () => {
  const page = await desk.open('decider', '/goods', { locale: 'de-DE' })
  await readable(page, page.locator('tbody tr'))
  const [, text] = await downloaded(page, () => page.getByRole('button', { name: 'CSV herunterladen' }).click())
  assert.equal(text, await csvOf('/operator/v1/items/?csv_bom=true&csv_decimal=comma'))
  assert(text.includes(';'))
})

test('a refused download says why, and the list stays', inBrowser, async () => {
  const page = await desk.open('decider', '/clients')
  await readable(page, page.locator('tbody tr'))
  await page.route(/csv_bom/, (route) => route.abort())
  await page.getByRole('button', { name: 'Download CSV' }).click()
  await page.locator('.table-foot .refused').waitFor({ timeout: limitMs })
  assert((await page.locator('tbody tr').count()) > 0)
})
