/** The console in a browser: what sales, purchasing and administrators do. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { eventually } from '../../service/src/testing/process.ts'
import { addClient } from '../../service/src/testing/fixtures.ts'
import { limitMs, openDesk, travel, type Desk } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk()
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout: limitMs })
const text = (page: Page, shown: string | RegExp) => page.getByText(shown).first().waitFor({ timeout: limitMs })
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click({ timeout: limitMs })
const inDialog = (page: Page, name: string) =>
  page.getByRole('dialog').getByRole('button', { name, exact: true }).click({ timeout: limitMs })
const closed = (page: Page) => page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })

test('a client is created in one form, and its key is shown once and works', inBrowser, async () => {
  const page = await desk.open('admin', '/')
  await travel(page, 'c', page.getByRole('heading', { level: 1, name: 'Clients' }))
  await press(page, 'New client')
  await page.getByLabel('Client', { exact: true }).fill('Autohaus Brandt')
  await page.getByLabel('Contact', { exact: true }).fill('Eva Brandt')
  await page.getByLabel('Email (optional)').fill('eva@brandt.example')
  await page.getByLabel('Contract', { exact: true }).fill('Main')
  await page.getByLabel('Credit limit (0 for none)').fill('5000')
  await page.getByLabel('Berlin').check()
  await press(page, 'Create client')
  const key = await page.locator('.secret').textContent({ timeout: limitMs })
  const answer = await desk.service.request('GET', '/api/v1/carts/', { key: key ?? '' })
  assert.equal(answer.status, 200)
  await inDialog(page, 'Done')
  await heading(page, 'Autohaus Brandt')
  await text(page, '0.00 of 5,000.00')
  await page.reload()
  await heading(page, 'Autohaus Brandt')
  assert.equal((await page.content()).includes(key ?? ''), false)
  const [found] = await desk.operators.ok('GET', '/operator/v1/clients/?search=brandt')
  const { contracts, contacts, stocks } = await desk.operators.ok('GET', `/operator/v1/clients/${found.client_id}/`)
  assert.deepEqual(
    [contracts[0].contract_limit, contacts[0].contact_email, stocks],
    [5000, 'eva@brandt.example', [{ stock_id: 1, stock_name: 'Berlin' }]],
  )
})

test('a client is found by its name, blocked with a reason that it reads, and unblocked', inBrowser, async () => {
  const { client_id } = await addClient(desk.service, { name: 'Garage Blocked' })
  const page = await desk.open('admin', '/clients')
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('blocked')
  // While the search is typed, the list still shows all clients, and a row that is replaced loses a click.
  await page.locator('tbody tr:only-child').getByRole('link', { name: 'Garage Blocked' }).click()
  await heading(page, 'Garage Blocked')
  await press(page, 'Block')
  await page.getByLabel('Reason').fill('Three invoices are overdue.')
  await inDialog(page, 'Block')
  await text(page, 'Three invoices are overdue.')
  const read = () => desk.operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  assert.equal((await read()).block_reason, 'Three invoices are overdue.')
  await press(page, 'Unblock')
  await inDialog(page, 'Unblock')
  await page.getByRole('button', { name: 'Block', exact: true }).waitFor({ timeout: limitMs })
  assert.equal((await read()).block_reason, null)
})

test('a limit is changed after its use was shown, and removed only after a second look', inBrowser, async () => {
  const { client_id } = await addClient(desk.service, { name: 'Garage Limit' })
  const before = await desk.operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  const { contract_id, contract_name } = before.contracts[0]
  const limitOf = async () =>
    (await desk.operators.ok('GET', `/operator/v1/clients/${client_id}/`)).contracts.find(
      (one: { contract_id: number }) => one.contract_id === contract_id,
    ).contract_limit
  const page = await desk.open('admin', `/clients/${client_id}`)
  const change = async (limit: string): Promise<void> => {
    await press(page, `Change limit: ${contract_name}`)
    await page.getByLabel('Credit limit (0 for none)').fill(limit)
  }
  await change('2500.50')
  await text(page, 'In use: 0.00. Limit No limit → 2,500.50.')
  await inDialog(page, 'Save')
  await closed(page)
  assert.equal(await limitOf(), 2500.5)
  await change('0')
  await inDialog(page, 'Save')
  await page.getByRole('alert').waitFor({ timeout: limitMs })
  assert.equal(await limitOf(), 2500.5)
  await inDialog(page, 'Confirm')
  await closed(page)
  assert.equal(await limitOf(), 0)
})

test('a key is issued to a contact and revoked; other roles see no keys', inBrowser, async () => {
  const { client_id } = await addClient(desk.service, { name: 'Garage Keys' })
  const page = await desk.open('admin', `/clients/${client_id}`)
  await press(page, 'Issue key')
  await inDialog(page, 'Issue key')
  const key = (await page.locator('.secret').textContent({ timeout: limitMs })) ?? ''
  await inDialog(page, 'Done')
  const [newest] = (await desk.operators.ok('GET', `/operator/v1/clients/${client_id}/keys/`)).toSorted(
    (a: { key_id: number }, b: { key_id: number }) => b.key_id - a.key_id,
  )
  await press(page, `Revoke key ${newest.key_id}`)
  await inDialog(page, 'Revoke')
  await text(page, /^Revoked /)
  assert.equal((await desk.service.request('GET', '/api/v1/carts/', { key })).status, 401)
  const other = await desk.open('viewer', `/clients/${client_id}`)
  await heading(other, 'Garage Keys')
  await other.getByRole('heading', { name: 'Webhooks' }).waitFor({ timeout: limitMs })
  assert.equal(await other.getByRole('heading', { name: 'Keys', exact: true }).count(), 0)
  assert.equal(await other.getByRole('button', { name: /Block|limit/ }).count(), 0)
})

test(
  'a webhook is paused with a reason that its owner reads, and after it is resumed the worker delivers what waited',
  inBrowser,
  async () => {
    await desk.shop.ok('PUT', '/api/v1/webhooks/', { url: desk.receiver.url })
    const deliveredOrders = () =>
      desk.receiver.received.flatMap(({ body }) => {
        const { type, data } = JSON.parse(body) as { type: string; data: { order_id: number } }
        return type === 'order.created' ? [data.order_id] : []
      })
    const arrives = (order_id: number) => eventually(async () => deliveredOrders().includes(order_id))
    const first = await desk.place()
    await arrives(first.order_id)
    const page = await desk.open('admin', `/clients/${desk.client.client_id}`)
    await page.getByRole('button', { name: /^Pause webhook/ }).click({ timeout: limitMs })
    await page.getByLabel('Reason').fill('Too many failures.')
    await inDialog(page, 'Pause')
    await text(page, /by an operator .*Too many failures\./)
    const waited = await desk.place()
    await page.goto(`${desk.origin}/console/webhooks?paused=true`)
    const resume = page.getByRole('button', { name: /^Resume webhook/ })
    await resume.waitFor({ timeout: limitMs })
    assert.deepEqual(deliveredOrders(), [first.order_id])
    await resume.click()
    await inDialog(page, 'Resume')
    await text(page, 'No webhooks')
    const [{ active }] = await desk.operators.ok('GET', '/operator/v1/webhooks/')
    assert.equal(active, true)
    await arrives(waited.order_id)
    assert.deepEqual(deliveredOrders(), [first.order_id, waited.order_id])
  },
)

const itemOf = (item_id: number) => desk.operators.ok('GET', `/operator/v1/items/${item_id}/`)

test('goods are found by article, by brand and by shortage', inBrowser, async () => {
  const page = await desk.open('viewer', '/goods')
  await heading(page, 'Goods')
  await page.getByRole('link', { name: 'BN-280-V' }).waitFor({ timeout: limitMs })
  await page.getByRole('button', { name: 'Only Filterwerk' }).first().click()
  await page.getByRole('link', { name: 'BN-280-V' }).waitFor({ state: 'detached', timeout: limitMs })
  await page.getByRole('link', { name: 'FW-2', exact: true }).waitFor({ timeout: limitMs })
  await page.getByRole('button', { name: /All brands/ }).click()
  await page.getByRole('searchbox', { name: 'Search', exact: true }).fill('280')
  await page.getByRole('link', { name: 'FW-2', exact: true }).waitFor({ state: 'detached', timeout: limitMs })
  await press(page, 'Only short ones')
  await text(page, 'No goods match')
  assert.match(page.url(), /short=true/)
})

test('a price and a level are changed in place, with the change in percent', inBrowser, async () => {
  const page = await desk.open('cataloguer', '/goods/2')
  await page.getByLabel('Price in Standard', { exact: true }).fill('2.75')
  await text(page, '+10%')
  await page.keyboard.press('Enter')
  await text(page, 'Saved')
  const priceIn = async (list: number) =>
    (await itemOf(2)).prices.find((one: { price_list_id: number }) => one.price_list_id === list).price
  assert.equal(await priceIn(1), 2.75)
  // A change by more than the usual factor needs a second look.
  await page.getByLabel('Price in Standard', { exact: true }).fill('2750')
  await page.keyboard.press('Enter')
  await page.getByRole('alert').waitFor({ timeout: limitMs })
  assert.equal(await priceIn(1), 2.75)
  await press(page, 'Confirm: Price in Standard')
  await text(page, 'Saved')
  assert.equal(await priceIn(1), 2750)
  await page.getByLabel('In stock in Hamburg').fill('25')
  await text(page, '+25%')
  await press(page, 'Save: In stock in Hamburg')
  await page.getByRole('button', { name: 'Save: In stock in Hamburg' }).waitFor({ state: 'detached', timeout: limitMs })
  assert.equal((await itemOf(2)).stock_levels.find(({ stock_id }: { stock_id: number }) => stock_id === 2).on_hand, 25)
  const viewer = await desk.open('viewer', '/goods/2')
  await text(viewer, /2,750\.00.EUR/)
  assert.equal(await viewer.getByLabel('Price in Standard').count(), 0)
})

test('a count is recorded with its reason and shows the orders that it affects', inBrowser, async () => {
  const { order_number } = await desk.place({ item_id: 3, quantity: 5 })
  const page = await desk.open('cataloguer', '/goods/3')
  await press(page, 'Record count: Berlin')
  await page.getByLabel('Pieces counted').fill('2')
  await page.getByLabel('Why it is corrected').fill('Three were broken.')
  await text(page, 'In stock 5 → 2. Reserved: 5.')
  await inDialog(page, 'Record count')
  await text(page, 'Count recorded: 5 → 2')
  await page
    .getByRole('dialog')
    .getByRole('link', { name: String(order_number) })
    .waitFor({ timeout: limitMs })
  await inDialog(page, 'Done')
  await text(page, '3 short')
  assert.equal((await itemOf(3)).stock_levels[0].on_hand, 2)
})

test('an admin closes a stock for a day and opens it again', inBrowser, async () => {
  const page = await desk.open('admin', '/stocks')
  await press(page, 'Add closed day: Berlin')
  await page.getByLabel('Day', { exact: true }).fill('2031-12-24')
  await inDialog(page, 'Save')
  await closed(page)
  const closures = () => desk.operators.ok('GET', '/operator/v1/stocks/1/closures/')
  assert.deepEqual(await closures(), [{ stock_id: 1, date: '2031-12-24', closed: true }])
  await press(page, 'Open 24 Dec 2031 again')
  await page.getByRole('button', { name: 'Open 24 Dec 2031 again' }).waitFor({ state: 'detached', timeout: limitMs })
  assert.deepEqual(await closures(), [])
})

test('a column of prices is pasted from a spreadsheet, shown in percent, imported and undone', inBrowser, async () => {
  const page = await desk.open('cataloguer', '/goods')
  await press(page, 'Paste a column')
  await page.getByLabel('What the column has').selectOption('Price in Standard')
  const pasted = 'Article\tPrice\r\nBN-280-V\t12,50\r\nbn old\t6,00\r\n\r\n'
  await page.getByLabel('Article and value').focus()
  await page.keyboard.insertText(pasted) // As pasting does, without the system's clipboard.
  await text(page, '2 rows are checked.')
  await inDialog(page, 'Check the file')
  await text(page, 'Price: 10.00 → 12.50 (+25%)')
  await text(page, 'Price: 8.00 → 6.00 (-25%)')
  const prices = async () =>
    Promise.all(
      [1, 5].map(
        async (item_id) =>
          (await itemOf(item_id)).prices.find((one: { price_list_id: number }) => one.price_list_id === 1).price,
      ),
    )
  assert.deepEqual(await prices(), [10, 8])
  await press(page, 'Import now')
  await text(page, 'What changed')
  assert.deepEqual(await prices(), [12.5, 6])
  await press(page, 'Undo')
  await inDialog(page, 'Undo')
  await text(page, 'Undone')
  assert.deepEqual(await prices(), [10, 8])
})

test('a pasted column goes where the dialog says, whichever list arrives first', inBrowser, async () => {
  const page = await desk.open('cataloguer', '/goods')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/operator/v1/price-lists/**', async (route) => {
    await released
    await route.continue()
  })
  const stocks = page.waitForResponse((one) => one.url().includes('/operator/v1/stocks/'), { timeout: limitMs })
  await press(page, 'Paste a column')
  await (await stocks).finished()
  await page.getByLabel('Article and value').focus()
  await page.keyboard.insertText('BN-280-V\t12.50')
  await text(page, '1 row is checked.')
  const check = page.getByRole('dialog').getByRole('button', { name: 'Check the file' })
  assert.equal(await check.isDisabled(), true)
  release()
  await page.getByRole('option', { name: 'Price in Standard' }).waitFor({ state: 'attached', timeout: limitMs })
  await check.click()
  await text(page, 'Price: 10.00 → 12.50 (+25%)')
})

const fileOf = (name: string, ...lines: string[]) => ({
  name,
  mimeType: 'text/csv',
  buffer: Buffer.from(lines.join('\n')),
})

test('a file is checked first, then imported, then undone', inBrowser, async () => {
  const page = await desk.open('cataloguer', '/imports')
  await page.getByLabel(/Drop a CSV/).setInputFiles(fileOf('spring.csv', 'price_list_id;item_id;price', '1;4;21,50'))
  await press(page, 'Check the file')
  await text(page, 'Check only')
  await text(page, 'Price: 19.99 → 21.50')
  await text(page, /semicolon|;/)
  const price = async () =>
    (await itemOf(4)).prices.find((one: { price_list_id: number }) => one.price_list_id === 1).price
  assert.equal(await price(), 19.99)
  await press(page, 'Import now')
  await text(page, 'What changed')
  assert.equal(await price(), 21.5)
  await press(page, 'Undo')
  await inDialog(page, 'Undo')
  await text(page, 'Undone')
  assert.equal(await price(), 19.99)
  await travel(page, 'm', page.getByRole('heading', { level: 1, name: 'Imports' }))
  const listed = page.locator('tbody tr', { hasText: 'spring.csv' })
  await listed.nth(1).waitFor()
  assert.equal(await listed.count(), 2)
})

test('bad rows are listed with their lines and can be saved, and the good ones imported', inBrowser, async () => {
  const page = await desk.open('cataloguer', '/imports')
  await page.getByLabel('What the file has').selectOption('Stock levels')
  await page
    .getByLabel(/Drop a CSV/)
    .setInputFiles(fileOf('levels.csv', 'stock_id,item_id,on_hand', '2,4,7', '2,999999,1'))
  await press(page, 'Check the file')
  await page.locator('tbody tr', { hasText: '999999' }).waitFor({ timeout: limitMs })
  const saved = page.waitForEvent('download', { timeout: limitMs })
  await press(page, 'Bad rows as a file')
  assert.match((await saved).suggestedFilename(), /^import-\d+-bad-rows\.csv$/)
  await press(page, 'Import only the good rows')
  await text(page, 'What changed')
  const { stock_levels } = await itemOf(4)
  assert.equal(stock_levels.find(({ stock_id }: { stock_id: number }) => stock_id === 2).on_hand, 7)
})

test(
  'the check of a file names articles and lists, and has prices that change far first, marked',
  inBrowser,
  async () => {
    const now = await Promise.all(
      [4, 5].map(
        async (item_id) =>
          (await itemOf(item_id)).prices.find((one: { price_list_id: number }) => one.price_list_id === 1).price,
      ),
    )
    const page = await desk.open('cataloguer', '/imports')
    const rows = [`1,4,${now[0] + 0.01}`, `1,5,${now[1] * 92}`]
    await page.getByLabel(/Drop a CSV/).setInputFiles(fileOf('far.csv', 'price_list_id,item_id,price', ...rows))
    await press(page, 'Check the file')
    await text(page, '1 price changes by half or more. It is listed first: check it.')
    const shown = await page
      .locator('tbody tr')
      .evaluateAll((all) =>
        all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.innerText.replaceAll('\n', ' '))),
      )
    const names = await Promise.all(
      [5, 4].map(async (item_id) => {
        const { item_vendor_code, item_title } = await itemOf(item_id)
        return `${item_vendor_code} ${item_title}`
      }),
    )
    assert.deepEqual(
      shown.map((cells) => cells.slice(0, 3)),
      [
        [names[0], 'Standard', 'Unusual'],
        [names[1], 'Standard', 'Changed'],
      ],
    )
    assert.match(shown[0]?.[3] ?? '', /\+9,100%/)
  },
)

test('the log shows who changed what, by person, type and order', inBrowser, async () => {
  const { order_id, order_number } = await desk.place()
  const other = await desk.place()
  for (const one of [order_id, other.order_id])
    await desk.operators.ok('POST', `/operator/v1/orders/${one}/move/`, { state_id: 'processing' })
  const page = await desk.open('viewer', '/')
  await travel(page, 'l', page.getByRole('heading', { level: 1, name: 'Activity' }))
  const rowOf = (number: number) => page.locator('tbody tr', { hasText: String(number) })
  await page.getByRole('button', { name: 'Only by Test admin' }).first().click({ timeout: limitMs })
  await page.getByLabel('Type').selectOption('State changed')
  await rowOf(order_number).getByText('State: New → Processing').waitFor({ timeout: limitMs })
  await rowOf(other.order_number).waitFor({ timeout: limitMs })
  await page.getByLabel('Order number').fill(String(order_number))
  await page.keyboard.press('Enter')
  await rowOf(other.order_number).waitFor({ state: 'detached', timeout: limitMs })
  await rowOf(order_number).waitFor({ timeout: limitMs })
  assert.match(page.url(), /event_type=order\.state_changed/)
  assert.match(page.url(), /operator_id=\d+/)
})

test('an admin ends a session, whose browser must sign in again', inBrowser, async () => {
  const victim = await desk.open('viewer', '/settings')
  await heading(victim, 'Settings')
  assert.equal(await victim.getByRole('heading', { name: 'Sessions' }).count(), 0)
  const { session_id } = await victim.evaluate(
    async () => ((await (await fetch('/operator/v1/me/')).json()) as { data: { session_id: number } }).data,
  )
  const page = await desk.open('admin', '/settings')
  await page.getByRole('heading', { name: 'Operator keys' }).waitFor({ timeout: limitMs })
  await press(page, `End session ${session_id}`)
  await inDialog(page, 'End')
  await text(page, /^Ended /)
  for (const deadline = Date.now() + limitMs; ;) {
    const status = await victim.evaluate(async () => (await fetch('/operator/v1/me/')).status)
    if (status === 401) break
    assert(Date.now() < deadline, `The session still works: ${status}`)
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
  await victim.reload()
  await victim.getByLabel('Operator key').waitFor({ timeout: limitMs })
})

test('the figures of today open their lists, and the palette finds the pages', inBrowser, async () => {
  const page = await desk.open('admin', '/')
  for (const [name, title] of [
    [/Failed imports/, 'Imports'],
    [/Paused webhooks/, 'Webhooks'],
    [/Limits nearly used up/, 'Activity'],
  ] as const) {
    await page.getByRole('link', { name }).click({ timeout: limitMs })
    await heading(page, title)
    await page.goBack()
    await heading(page, 'Today')
  }
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill('goo')
  await page.getByRole('option', { name: 'Goods' }).waitFor({ timeout: limitMs })
  await page.keyboard.press('Enter')
  await heading(page, 'Goods')
})
