/** The console in a browser: an order while the client is on the phone, placed once, with few keys. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { addClient, address, shopper } from '../../service/src/testing/fixtures.ts'
import { limitMs, openDesk, readable, type Desk } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser !== false) return
  desk = await openDesk({ worker: false })
  await desk.service.sql(
    `insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select 200 + n, 12, 2, 'FX-' || (100 + n), '', 'Filter ' || n from generate_series(1, 12) n`,
  )
  await desk.service.sql(`insert into prices select 1, 200 + n, n from generate_series(1, 12) n`)
  await desk.service.sql(`insert into stock_levels select 1, 200 + n, 100 from generate_series(1, 12) n`)
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }
const ten = Array.from({ length: 10 }, (_, n) => `fx ${101 + n}\t${n + 1}`).join('\n')

const isShown = (page: Page, what: string | RegExp) => page.getByText(what).first().waitFor({ timeout: limitMs })
const placeButton = (page: Page) => page.getByRole('button', { name: 'Place order' })
/** Until the order can be placed, and its total has been read. */
const ready = (page: Page) => readable(page, page.locator('button:enabled', { hasText: 'Place order' }))
const paste = async (page: Page, text: string): Promise<void> => {
  await page.getByLabel('New lines').focus()
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text)
  await page.keyboard.press('Control+v')
}
const placed = (page: Page) => page.waitForURL(/\/orders\/\d+$/, { timeout: limitMs })
const ordersOf = (client_id: number) => desk.operators.ok('GET', `/operator/v1/orders/?client_id=${client_id}`)
const openFor = async (client_id: number): Promise<Page> => {
  const page = await desk.open('decider', `/orders/new?client=${client_id}`)
  await page.getByLabel('New lines').waitFor({ timeout: limitMs })
  return page
}

/** A client that has ordered once, so that its address is known. */
async function caller(name: string): Promise<{ client_id: number; limited_contract_id: number }> {
  const client = await addClient(desk.service, { name })
  const shop = shopper(desk.service, client)
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  await shop.order(cart_id)
  return client
}

test('from any page to an order of ten pasted lines: eight keys, at the total that was shown', inBrowser, async (t) => {
  const { client_id } = await caller('Werkstatt Zwölf')
  const page = await desk.open('decider', '/')
  await page.evaluate(() =>
    document.addEventListener('pointerdown', () => (document.documentElement.dataset['pointer'] = 'used'), true),
  )
  await readable(page, page.getByRole('heading', { level: 1 }))
  const pressed: string[] = []
  const press = async (...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key)
    pressed.push(...keys)
  }
  await press('c')
  await page.getByRole('combobox', { name: 'Client' }).waitFor({ timeout: limitMs })
  await press('w', 'e', 'r', 'k')
  await page.getByRole('option', { name: 'Werkstatt Zwölf', selected: true }).waitFor({ timeout: limitMs })
  await press('Enter')
  await page.locator('textarea:focus').waitFor({ timeout: limitMs })
  await paste(page, ten)
  pressed.push('Control+v')
  await ready(page)
  assert.match((await page.locator('.totals .sum').textContent()) ?? '', /^385\.00\sEUR$/)
  await press('Control+Enter')
  await placed(page)
  t.diagnostic(`${pressed.length} keys: ${pressed.join(' ')}`)
  assert.equal(pressed.length, 8)
  assert.equal(await page.evaluate(() => document.documentElement.dataset['pointer']), undefined)

  const [order] = await ordersOf(client_id)
  assert.deepEqual(
    order.items.map((line: { order_item: { item_id: number }; order_item_quantity: number }) => [
      line.order_item.item_id,
      line.order_item_quantity,
    ]),
    Array.from({ length: 10 }, (_, n) => [201 + n, n + 1]),
  )
  assert.deepEqual([order.order_total, order.address.street], [385, 'Invalidenstraße'])
})

test('a wrong line stays, says what is wrong, and offers what is near', inBrowser, async () => {
  const { client_id } = await caller('Near Misses')
  const page = await openFor(client_id)
  await paste(page, 'BN-28O-V\t2\nFX-112\t400\nFX-102\t3\nFX-102\t1\nFX-103\t0')
  await isShown(page, '3 lines cannot be ordered. Correct or remove them.')
  assert(await placeButton(page).isDisabled())
  await isShown(page, 'Counted in line 3')
  await isShown(page, 'An article and a quantity from 1 to 1,000,000 are needed.')
  await page.getByRole('button', { name: 'BN-280-V Bremsen Nord' }).click()
  await page.getByRole('button', { name: 'Take 100' }).click()
  await isShown(page, '1 line cannot be ordered. Correct or remove it.')
  await page.getByRole('button', { name: 'Remove line 5' }).click()
  await ready(page)
  // Corrected with the keyboard: Enter goes from quantity to quantity.
  await page.getByLabel('Quantity, line 1').focus()
  await page.keyboard.press('Control+a')
  await page.keyboard.type('5')
  await page.keyboard.press('Enter')
  assert.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Quantity, line 2')
  await page.getByText(/1,258\.00\sEUR/).waitFor({ timeout: limitMs })
  assert.equal((await ordersOf(client_id)).length, 1)
  await ready(page)
  await page.keyboard.press('Control+Enter')
  await placed(page)
  const [order] = await ordersOf(client_id)
  assert.deepEqual(
    [order.order_total, order.items.map((line: { order_item_quantity: number }) => line.order_item_quantity)],
    [1258, [5, 4, 100]],
  )
})

test('what exceeds the limit is shown and cannot be placed', inBrowser, async () => {
  const { client_id, limited_contract_id } = await caller('Nearly Broke')
  const page = await openFor(client_id)
  await paste(page, 'BN-280-V\t100\n')
  await ready(page)
  await page.getByLabel('Contract', { exact: true }).selectOption(String(limited_contract_id))
  await isShown(page, /45\.00 over the limit/)
  await isShown(page, 'The order exceeds the credit limit.')
  assert(await placeButton(page).isDisabled())
  await page.getByLabel('Quantity, line 1').fill('50')
  await isShown(page, /left of the limit/)
  await ready(page)
})

test('an unfinished order outlives leaving the page, a reload, and the session', inBrowser, async () => {
  const { client_id } = await caller('Interrupted')
  const page = await openFor(client_id)
  await paste(page, 'FX-104\t2\n')
  await page.getByLabel('New lines').fill('FX-105 3')
  await page.getByLabel('Reference').fill('PO-77')
  await page.getByRole('link', { name: 'Inbox' }).click()
  await page.getByRole('heading', { level: 1, name: 'Inbox' }).waitFor({ timeout: limitMs })
  await page.goBack()
  await page.getByLabel('Reference').waitFor({ timeout: limitMs })
  await page.reload()
  await page.getByLabel('Reference').waitFor({ timeout: limitMs })
  assert.equal(await page.getByLabel('Reference').inputValue(), 'PO-77')
  assert.equal(await page.getByLabel('New lines').inputValue(), 'FX-105 3')
  await page.getByLabel('New lines').focus()
  await page.keyboard.press('Enter')
  await ready(page)

  await page.context().clearCookies()
  await placeButton(page).click()
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel('Operator key').fill(desk.operators.keys.decider)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached', timeout: limitMs })
  assert.equal((await ordersOf(client_id)).length, 1)
  await ready(page)
  await placeButton(page).click()
  await placed(page)
  const [order] = await ordersOf(client_id)
  assert.deepEqual([order.items.length, order.reference, order.order_total], [2, 'PO-77', 4 * 2 + 5 * 3])

  const other = await desk.open('admin', '/orders/new')
  await other.getByRole('combobox', { name: 'Client' }).waitFor({ timeout: limitMs })
})

test('an order whose answer was lost is sent again as it was, and placed once', inBrowser, async () => {
  const { client_id } = await caller('Lost Answer')
  const page = await openFor(client_id)
  const isOrder = /\/clients\/\d+\/orders\/$/
  let isLost = true
  await page.route(isOrder, async (route) => {
    if (!isLost) return route.continue()
    await route.fetch() // The service has placed it.
    await route.abort('connectionreset')
  })
  await paste(page, 'FX-111\t100\n') // All that there are: nothing is left for the same again.
  await ready(page)
  await page.keyboard.press('Control+Enter')
  await isShown(page, 'There was no answer, so the order may have been placed.')
  assert(await page.getByLabel('Quantity, line 1').isDisabled())
  isLost = false
  await page.reload()
  await page.getByRole('button', { name: 'Send again' }).click()
  await placed(page)
  const orders = await ordersOf(client_id)
  assert.deepEqual([orders.length, orders[0].order_total], [2, 1100])
  await desk.service.checkInvariants()
})

test('an order is ordered again with its lines, to its address, on another day', inBrowser, async () => {
  const { client_id } = await caller('Once More')
  const [first] = await ordersOf(client_id)
  await desk.service.sql(`update orders set recipient = 'Eva Brandt', street = 'Hofweg' where order_id = $1`, [
    first.order_id,
  ])
  const page = await desk.open('decider', `/orders/${first.order_id}`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Order again' }).click()
  await ready(page)
  await page.getByLabel('Ship date').fill('2031-05-05')
  await page.getByLabel('Comment').fill('Ring twice.')
  await page.keyboard.press('Control+Enter')
  await placed(page)
  const [again, before] = await ordersOf(client_id)
  assert.equal(before.order_id, first.order_id)
  assert.deepEqual(again.items[0].order_item, first.items[0].order_item)
  assert.deepEqual([again.address.recipient, again.address.street], ['Eva Brandt', 'Hofweg'])
  assert.deepEqual([again.order_shipping_datetime.slice(0, 10), again.comment], ['2031-05-05', 'Ring twice.'])
})

test(
  'a client without orders: the address is typed; later it is offered, with those that it has saved',
  inBrowser,
  async () => {
    const client = await addClient(desk.service, { name: 'First Call' })
    const page = await openFor(client.client_id)
    await paste(page, 'FX-107\t1\n')
    await isShown(page, 'The address is not complete.')
    for (const [label, text] of [
      ['Street', 'Torstraße'],
      ['House number', '1'],
      ['Postal code', '10115'],
      ['City', 'Berlin'],
      ['Country', 'DE'],
      ['Region', 'XX'],
    ] as const)
      await page.getByRole('textbox', { name: label }).fill(text)
    await ready(page)
    await page.keyboard.press('Control+Enter')
    await page.locator('.totals .refused').waitFor({ timeout: limitMs })
    await page.getByRole('textbox', { name: 'Region' }).fill('DE-BE')
    await ready(page)
    await page.keyboard.press('Control+Enter')
    await placed(page)
    const [order] = await ordersOf(client.client_id)
    assert.deepEqual([order.address.street, order.address.region_code], ['Torstraße', 'DE-BE'])
    await desk.service.request('PUT', '/api/v1/addresses/', {
      key: client.key,
      form: { address_name: 'Depot', ...address, street: 'Lagerweg' },
    })
    const next = await openFor(client.client_id)
    const choices = next.locator('.addresses label')
    await choices.first().waitFor({ timeout: limitMs })
    assert.deepEqual(
      (await choices.allInnerTexts()).map((text) => text.split('\n')[0]?.trim()),
      ['Torstraße 1', 'Lagerweg 116', 'Another address'],
    )
  },
)

test('a viewer has no new order, and the key does nothing', inBrowser, async () => {
  const page = await desk.open('viewer', `/clients/${desk.client.client_id}`)
  await readable(page, page.getByRole('heading', { level: 1, name: 'Lindner Car Service' }))
  assert.equal(await page.getByText('New order').count(), 0)
  await page.keyboard.press('c')
  await page.waitForTimeout(300)
  assert.match(page.url(), /\/clients\/\d+$/)
})
