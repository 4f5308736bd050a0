/** The console in a browser: saved views, reasons for rejecting, and charts. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { countFigures } from '../../service/src/desk/count-figures.ts'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { limitMs, openDesk, readable, sent, type Desk } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk({ worker: false }) // A test counts the figures itself.
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }

const views = () => desk.service.sql('select view_name, filters, shared from operator_views order by view_id')
const chip = (page: Page, name: string) =>
  page.getByRole('group', { name: 'Views' }).getByRole('button', { name, exact: true })
const choose = async (page: Page, view: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: `Change “${view}”` }).click({ timeout: limitMs })
  await page.getByRole('menuitem', { name: item }).click({ timeout: limitMs })
}
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })

test('filters are saved by keyboard, shared, picked by another operator, renamed and deleted', inBrowser, async () => {
  await desk.place()
  const page = await desk.open('decider', '/orders?held=false&state=new')
  await readable(page, page.locator('tbody tr'))
  await page.keyboard.press('v')
  await page.getByLabel('Name', { exact: true }).waitFor({ timeout: limitMs })
  await page.keyboard.type('New ones')
  await page.keyboard.press('Enter')
  await closed(page)
  await page.locator('button.chip[aria-pressed=true]', { hasText: 'New ones' }).waitFor({ timeout: limitMs })
  assert.deepEqual(await views(), [{ view_name: 'New ones', filters: 'held=false&state=new', shared: false }])

  const other = await desk.open('viewer', '/orders')
  await other.locator('tbody tr').first().waitFor({ timeout: limitMs })
  assert.equal(await chip(other, 'New ones').count(), 0)
  await choose(page, 'New ones', 'Share with everybody')
  await page.getByRole('menuitem').first().waitFor({ state: 'detached', timeout: limitMs })
  for (const started = Date.now(); (await views())[0]?.['shared'] !== true;)
    assert(Date.now() - started < limitMs, 'It is not shared.')

  await other.reload()
  await chip(other, 'New ones').click({ timeout: limitMs })
  await other.waitForURL(/state=new/, { timeout: limitMs })
  assert.equal(new URL(other.url()).searchParams.get('held'), 'false')
  assert.equal(await other.getByRole('button', { name: /^Change/ }).count(), 0)

  // Other filters, kept in the same view.
  await page.getByRole('button', { name: /^Processing/ }).click()
  await choose(page, 'New ones', 'Save these filters in it')
  await page.locator('button.chip[aria-pressed=true]', { hasText: 'New ones' }).waitFor({ timeout: limitMs })
  await choose(page, 'New ones', 'Rename')
  await page.getByLabel('Name', { exact: true }).fill('To do')
  await page.keyboard.press('Enter')
  await closed(page)
  await chip(page, 'To do').waitFor({ timeout: limitMs })
  assert.deepEqual(await views(), [{ view_name: 'To do', filters: 'held=false&state=new%2Cprocessing', shared: true }])
  await choose(page, 'To do', 'Delete view')
  await page.getByText('“To do” disappears for everybody.').waitFor({ timeout: limitMs })
  await page.getByRole('dialog').getByRole('button', { name: 'Delete view' }).click()
  await closed(page)
  assert.deepEqual(await views(), [])
  assert.match(page.url(), /state=new%2Cprocessing/) // The list stays as it is.
})

test('a name that is taken is refused in the dialog, with a sentence that says what to do', inBrowser, async () => {
  const page = await desk.open('decider', '/orders?short=true')
  await desk.service.sql(
    `insert into operator_views (owner, view_name, filters, shared)
     select 'operator ' || operator_id, 'Short', 'held=true', false from operator_keys where role = 'decider'`,
  )
  await page.getByRole('button', { name: 'Save view' }).click({ timeout: limitMs })
  await page.getByLabel('Name', { exact: true }).fill('Short')
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText('You have another view with the name “Short”. Choose another name.')
    .waitFor({ timeout: limitMs })
  assert.equal((await views()).length, 1)
})

test(
  'an admin keeps the reasons for rejecting, and the order desk rejects with the first of them',
  inBrowser,
  async () => {
    const { adjustment_id } = await desk.request(5)
    const admin = await desk.open('admin', '/settings')
    await admin.getByLabel('Reasons for rejecting').fill('Not before Monday.\n\nAsk your sales contact.\n')
    await admin.getByRole('button', { name: 'Save: Reasons for rejecting' }).click({ timeout: limitMs })
    await admin.getByText(/Changed by Test admin/).waitFor({ timeout: limitMs })
    const { reasons } = await desk.operators.ok('GET', '/operator/v1/reject-reasons/')
    assert.deepEqual(reasons, ['Not before Monday.', 'Ask your sales contact.'])

    const page = await desk.open('decider', '/inbox')
    await page.locator('tbody tr').first().waitFor({ timeout: limitMs })
    await page.waitForFunction(() =>
      performance.getEntriesByType('resource').some(({ name }) => name.endsWith('/reject-reasons/')),
    )
    await readable(page, page.locator('tbody tr'))
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'Ask your sales contact.' }).waitFor({ timeout: limitMs })
    assert.equal(await page.getByRole('button', { name: 'The goods are already packed.' }).count(), 0)
    await page.keyboard.press('Enter')
    await page.getByText('Rejected').first().waitFor({ timeout: limitMs })
    await sent(page)
    const [{ adjustment_canceled_message }] = (await desk.service.sql(
      'select adjustment_canceled_message from adjustments where adjustment_id = $1',
      [adjustment_id],
    )) as [{ adjustment_canceled_message: string }]
    assert.equal(adjustment_canceled_message, 'Not before Monday.')
  },
)

test('each chart of a day has a table, and a day opens its orders', inBrowser, async () => {
  await desk.place()
  const page = await desk.open('viewer', '/')
  await page.getByRole('heading', { name: 'Open orders by state' }).waitFor({ timeout: limitMs })
  assert.equal(await page.getByRole('heading', { name: 'Orders placed a day' }).count(), 0) // Nothing is counted yet.
  for await (const _ of countFigures(desk.service.db));
  await page.reload()
  await page.getByRole('heading', { name: 'Orders placed a day' }).waitFor({ timeout: limitMs })
  await page.getByRole('heading', { name: 'Hours from order to shipment' }).waitFor({ timeout: limitMs })
  const { open, days } = await desk.operators.ok('GET', '/operator/v1/figures/')
  assert.equal(open[0].state_id, 'new')
  const shown = new Intl.NumberFormat('en-GB', { minimumFractionDigits: 2 }).format(open[0].total)
  await page.getByRole('link', { name: `New ${shown}` }).waitFor({ timeout: limitMs })
  await page.getByText('As a table: Orders placed a day').click()
  const [today] = await page.locator('details[open] tbody tr').all()
  assert.equal(await today?.locator('.num').textContent(), String(days.at(-1).placed))
  await today?.getByRole('link').click()
  await page.waitForURL(/orders\?date_from=/, { timeout: limitMs })
  await page
    .locator('tbody tr')
    .nth(days.at(-1).placed - 1)
    .waitFor({ timeout: limitMs })
  assert.equal(await page.locator('tbody tr').count(), days.at(-1).placed)
  await page.getByRole('button', { name: /^Placed from: / }).click()
  await page.waitForURL((url) => !url.search.includes('date_from'), { timeout: limitMs })
})
