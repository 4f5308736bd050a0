/** The console in a browser, with a real service and database: what an order desk does, and what must not be possible. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { otherHost, withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { limitMs, openDesk, readable, sent, travel, type Desk } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk()
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }

const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout: limitMs })
const text = (page: Page, shown: string | RegExp) => page.getByText(shown).first().waitFor({ timeout: limitMs })
const row = (page: Page, order_number: number) => page.locator('tbody tr', { hasText: String(order_number) })

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  for (
    const deadline = Date.now() + limitMs;
    !(await isTrue());
    await new Promise((resolve) => setTimeout(resolve, 100))
  )
    assert(Date.now() < deadline, `Not within ${limitMs} ms: ${what}`)
}

/** Other keys work only when the dialog is gone. */
async function closeDialog(page: Page): Promise<void> {
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })
}

/** Moves the current row to that of the order, by keyboard. */
async function goTo(page: Page, order_number: number): Promise<void> {
  await readable(page, row(page, order_number))
  for (let n = 0; n < 200; n++) {
    if ((await row(page, order_number).getAttribute('aria-current')) !== null) return
    await page.keyboard.press('j')
  }
  throw new Error(`The keyboard does not reach order ${order_number}.`)
}

test('an operator signs in with a key, which is kept nowhere, and signs out', inBrowser, async () => {
  const context = await desk.browser.newContext({ locale: 'en-GB' })
  context.setDefaultTimeout(limitMs)
  const page = await context.newPage()
  await page.goto(`${desk.origin}/console/inbox`)
  await page.getByLabel('Operator key').fill('pso_1_wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await text(page, /This key is not valid/)
  await page.getByLabel('Operator key').fill(desk.operators.keys.decider)
  await page.keyboard.press('Enter')
  await heading(page, 'Inbox') // The page that was asked for.
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
  )
  assert.doesNotMatch(stored, /ps[os]_/)
  assert.doesNotMatch(page.url(), /ps[os]_/)
  const [cookie] = await context.cookies()
  assert.deepEqual([cookie?.httpOnly, cookie?.sameSite], [true, 'Strict'])
  await page.getByRole('button', { name: 'Test decider' }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByLabel('Operator key').waitFor({ timeout: limitMs })
  await context.close()
})

test('where keys start no session, the page to sign in offers the company account only', inBrowser, async () => {
  const context = await desk.browser.newContext({ locale: 'en-GB' })
  context.setDefaultTimeout(limitMs)
  const page = await context.newPage()
  const settings = { identity_provider: true, key_sign_in: false, state_labels: {}, time_zone: 'UTC' }
  await page.route('**/console/settings.json', (route) => route.fulfill({ json: settings }))
  await page.goto(`${desk.origin}/console/?sign_in=refused`)
  const company = page.getByRole('link', { name: 'Sign in with your company account' })
  await company.waitFor({ timeout: limitMs })
  assert.equal(await company.getAttribute('href'), '/console/sign-in')
  await page.getByRole('alert').getByText('Your account has no role').waitFor({ timeout: limitMs })
  assert.deepEqual([await page.getByRole('textbox').count(), await page.getByRole('button').count()], [0, 0])
  assert.equal(await page.getByLabel('Operator key').count(), 0)
  await context.close()
})

test('one key decides one request: ten requests take ten keys', inBrowser, async () => {
  const requests = []
  for (let n = 0; n < 10; n++) requests.push(await desk.request(n % 2 === 0 ? 5 : 3))
  const page = await desk.open('decider', '/inbox')
  const [first] = requests
  assert(first)
  await goTo(page, first.order_number)
  for (let n = 0; n < requests.length; n++) await page.keyboard.press('a')
  for (const { order_number } of requests)
    await row(page, order_number).getByText('Accepted').waitFor({ timeout: limitMs })
  await sent(page)
  for (const { order_id } of requests) {
    const { adjustments } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
    assert.equal(adjustments[0].adjustment_status, 'ACCEPTED')
  }
})

test(
  'a request is rejected with a reason that the client reads, and the reason is offered again',
  inBrowser,
  async () => {
    const { order_id, order_number } = await desk.request(7)
    const page = await desk.open('decider', '/inbox')
    await goTo(page, order_number)
    await page.keyboard.press('r')
    await page.getByLabel('Reason').fill('The supplier does not deliver any more.')
    await page.keyboard.press('Enter')
    await row(page, order_number).getByText('Rejected').waitFor({ timeout: limitMs })
    await sent(page)
    const { adjustments } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
    assert.deepEqual(
      [adjustments[0].adjustment_status, adjustments[0].adjustment_canceled_message],
      ['CANCELED', 'The supplier does not deliver any more.'],
    )
    const next = await desk.request(7)
    await page.reload()
    await goTo(page, next.order_number)
    await page.keyboard.press('r')
    await page.getByRole('button', { name: 'The supplier does not deliver any more.' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await row(page, next.order_number).getByText('Rejected').waitFor({ timeout: limitMs })
  },
)

test('several requests are accepted at once, after their effect was shown', inBrowser, async () => {
  const one = await desk.request(5)
  const two = await desk.request(6)
  const page = await desk.open('decider', '/inbox')
  for (const { order_number } of [one, two]) {
    await goTo(page, order_number)
    await page.keyboard.press('x')
  }
  await page.keyboard.press('a')
  await text(page, 'Accept 2 requests')
  await text(page, 'Change of the open sum: 30.00. Lines changed: 2.')
  await page.keyboard.press('Enter')
  for (const { order_number } of [one, two])
    await row(page, order_number).getByText('Accepted').waitFor({ timeout: limitMs })
})

const isOpen = async ({ order_id }: { order_id: number }): Promise<boolean> =>
  (await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)).adjustments[0].adjustment_status === 'WAIT'

test(
  'a decision can be taken back for ten seconds; it is sent after that, or at once on leaving the page or closing it',
  inBrowser,
  async () => {
    const [back, left, closed] = [await desk.request(5), await desk.request(6), await desk.request(7)]
    const page = await desk.open('decider', '/inbox')
    await goTo(page, back.order_number)
    await page.keyboard.press('a')
    await row(page, back.order_number).getByText('Accepted').waitFor({ timeout: limitMs })
    assert.equal(await isOpen(back), true)
    await page.keyboard.press('z')
    await row(page, back.order_number).getByRole('button', { name: 'Accept' }).waitFor({ timeout: limitMs })
    await row(page, back.order_number).getByRole('button', { name: 'Reject' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reject' }).click()
    await row(page, back.order_number).getByRole('button', { name: 'Undo' }).click()

    await goTo(page, left.order_number)
    await page.keyboard.press('a')
    assert.equal(await isOpen(left), true)
    await travel(page, 't', page.getByRole('heading', { level: 1, name: 'Today' }))
    await until('what was decided is sent when another page is opened', async () => !(await isOpen(left)))

    await page.goBack()
    await goTo(page, closed.order_number)
    await page.keyboard.press('a')
    assert.equal(await isOpen(closed), true)
    await page.close()
    await until('what was decided is sent when the browser closes the page', async () => !(await isOpen(closed)))
    assert.equal(await isOpen(back), true)
  },
)

test('the inbox says why a request cannot be accepted, and asks before an unusual change', inBrowser, async () => {
  const limited = await desk.place({ quantity: 90, contract_id: desk.client.limited_contract_id })
  await desk.shop.ok('PATCH', `/api/v1/orders/${limited.order_id}/items/${limited.order_item_id}/`, { quantity: 120 })
  const unusual = await desk.request(200)
  const page = await desk.open('decider', '/inbox')
  await row(page, limited.order_number).getByText('Exceeds the limit by 254.00').waitFor({ timeout: limitMs })
  assert.equal(await row(page, limited.order_number).getByRole('button', { name: 'Accept' }).count(), 0)
  await goTo(page, unusual.order_number)
  await page.keyboard.press('a')
  await text(page, 'Unusual: 4 → 200. Accept again if it is meant.')
  assert.equal(await isOpen(unusual), true)
  await row(page, unusual.order_number).getByRole('button', { name: 'Accept' }).click()
  await row(page, unusual.order_number).getByText('Accepted').waitFor({ timeout: limitMs })
  await sent(page)
  assert.equal(await isOpen(unusual), false)
})

test(
  'two people meet: the row says who decided first, and new requests are announced without a jump',
  inBrowser,
  async () => {
    const shared = await desk.request(5)
    const anna = await desk.open('decider', '/inbox')
    const boris = await desk.open('admin', '/inbox')
    await goTo(anna, shared.order_number)
    await row(boris, shared.order_number).waitFor({ timeout: limitMs })
    const rowsBefore = await boris.locator('tbody tr').count()
    await anna.keyboard.press('a')
    await row(boris, shared.order_number).getByText('Decided by Test decider').waitFor({ timeout: limitMs })
    const late = await desk.request(5)
    await readable(boris, boris.getByText('1 new'))
    assert.equal(await boris.locator('tbody tr').count(), rowsBefore)
    await boris.keyboard.press('n')
    await row(boris, late.order_number).waitFor({ timeout: limitMs })
    // Decided behind the page's back, before the feed reports it: the answer says who it was.
    await goTo(boris, late.order_number)
    await desk.operators.ok('POST', `/operator/v1/adjustments/${late.adjustment_id}/accept/`)
    await boris.keyboard.press('a')
    await row(boris, late.order_number).getByText('Decided by Test admin').waitFor({ timeout: limitMs })
  },
)

test(
  'orders are filtered in the address, moved in bulk and put on hold, and changed rows are marked',
  inBrowser,
  async () => {
    const [one, two, three] = [await desk.place(), await desk.place(), await desk.place()]
    const page = await desk.open('decider', '/orders')
    await page.getByRole('button', { name: /^New/ }).click()
    await page.getByRole('button', { name: /^Processing/ }).click()
    await until('the address has both states', async () => page.url().endsWith('/orders?state=new%2Cprocessing'))
    for (const { order_number } of [one, two]) await page.getByLabel(`Select order ${order_number}`).check()
    await page.getByRole('button', { name: 'Move', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Processing' }).click()
    await text(page, '2 orders go to “Processing”.')
    await page.getByRole('dialog').getByRole('button', { name: 'Move to Processing' }).click()
    for (const { order_id, order_number } of [one, two]) {
      await row(page, order_number).getByText('Processing').waitFor({ timeout: limitMs })
      assert.equal(await desk.stateOf(order_id), 'processing')
    }
    await page.getByLabel(`Select order ${three.order_number}`).check()
    await page.getByRole('button', { name: 'Hold' }).click()
    await page.getByLabel('Reason for the client').fill('Credit check.')
    await page.keyboard.press('Enter')
    await row(page, three.order_number).getByText('On hold').waitFor({ timeout: limitMs })
    // An order on hold is refused with the service's own sentence, the others are moved.
    for (const { order_number } of [one, three]) await page.getByLabel(`Select order ${order_number}`).check()
    await page.getByRole('button', { name: 'Ship', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Move to Shipped' }).click()
    await text(page, '2 orders refused')
    await page.keyboard.press('Escape')
    await desk.operators.ok('POST', `/operator/v1/orders/${two.order_id}/move/`, { state_id: 'fulfilling' })
    await row(page, two.order_number).getByText('Changed by Test admin').waitFor({ timeout: limitMs })
    await row(page, two.order_number).getByText('Being assembled').waitFor({ timeout: limitMs })
    await desk.place()
    await text(page, '1 new')
    await page.goBack()
    await until('the filter is gone', async () => page.url().endsWith('/orders?state=new'))
  },
)

test('an order shows the effect of an action first, and who did what', inBrowser, async () => {
  const { order_id, order_number } = await desk.place()
  const page = await desk.open('decider', `/orders/${order_id}`)
  await heading(page, `Order ${order_number}`)
  await page.getByRole('button', { name: 'Change BN-280-V' }).click()
  await page.getByLabel('Quantity').fill('2')
  await text(page, /Total 40\.00.EUR → 20\.00.EUR\./)
  assert.equal((await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_total, 40)
  await page.getByLabel('Reason for the client').fill('Two are damaged.')
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })
  assert.equal((await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_total, 20)
  for (const state of ['Processing', 'Being assembled']) {
    await page.getByRole('button', { name: `Move to ${state}` }).click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: `Move to ${state}` })
      .click()
    await page.locator('h1').getByText(state).waitFor({ timeout: limitMs })
  }
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Ship', exact: true }).click()
  await page.getByLabel('Pieces of BN-280-V').fill('1')
  await page.getByLabel('Carrier').fill('DHL')
  await page.getByRole('button', { name: 'Ship (1 piece)' }).click()
  await text(page, '1 × BN-280-V · DHL')
  assert.equal(await desk.stateOf(order_id), 'fulfilling')
  await text(page.locator('.timeline') as unknown as Page, 'Test decider')
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Add note' }).click()
  await page.getByRole('textbox', { name: /^Note/ }).fill('Call before loading.')
  await page.keyboard.press('Enter')
  await text(page, 'Call before loading.')
})

test(
  'the timeline of an order has who, articles, quantities, reasons, shipments, requests and notes',
  inBrowser,
  async () => {
    const { order_id, order_item_id, adjustment_id } = await desk.request(6)
    const path = `/operator/v1/orders/${order_id}`
    const post = (what: string, body: object) => desk.operators.ok('POST', `${path}/${what}/`, body)
    const asked = `/api/v1/orders/${order_id}/items/${order_item_id}/`
    await desk.operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'Too late.' })
    const second = await desk.shop.ok('PATCH', asked, { quantity: 5, reason: 'One more.' })
    await desk.operators.ok('POST', `/operator/v1/adjustments/${second.adjustment_id}/accept/`)
    await desk.operators.ok('PATCH', `${path}/items/${order_item_id}/`, { quantity: 3, reason: 'Two are damaged.' })
    await post('items', { article: 'FW-2', quantity: 2, reason: 'By telephone.' })
    await post('hold', { reason: 'Credit check.' })
    await post('release', {})
    await post('notes', { text: 'Call before loading.', internal: true })
    await post('notes', { text: 'Sent from Berlin.', internal: false })
    await desk.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
    await post('cancellation/reject', { message: 'It is packed.' })
    for (const state_id of ['processing', 'fulfilling'])
      await post('move', { state_id, text: state_id === 'processing' ? 'Today.' : '' })
    await post('shipments', { lines: [{ order_item_id, quantity: 2 }], carrier: 'DHL', tracking: '0034' })
    await post('close-open', { reason: 'Sold out.' })
    await post('returns', { lines: [{ order_item_id, quantity: 1 }], reason: 'Broken.', restock: true })
    const page = await desk.open('viewer', `/orders/${order_id}`)
    await text(page, 'Broken.')
    const steps = await page.locator('.timeline li').evaluateAll((items) =>
      items.map((item) => {
        item.querySelector('time')?.remove()
        return [...item.children].map(({ textContent }) => textContent.trim())
      }),
    )
    const by = 'Test admin'
    const sorted = (all: readonly string[][]): string[] => all.map((one) => one.join(' | ')).toSorted()
    // Several have the same second, so they are compared in the order of their words.
    assert.deepEqual(
      sorted(steps),
      sorted([
        ['Order placed Lindner Car Service'],
        ['Change requested Lindner Car Service', 'BN-280-V: 4 → 6'],
        [`Change rejected ${by}`, 'BN-280-V: 4 → 6', 'Too late.'],
        ['Change requested Lindner Car Service', 'BN-280-V: 4 → 5', 'One more.'],
        [`Change accepted ${by}`, 'BN-280-V: 4 → 5 · Total 40.00 → 50.00'],
        [`Lines changed ${by}`, 'BN-280-V: 5 → 3 · Total 50.00 → 30.00', 'Two are damaged.'],
        [`Lines changed ${by}`, 'FW-2: 0 → 2 · Total 30.00 → 35.00', 'By telephone.'],
        [`Put on hold ${by}`, 'Credit check.'],
        [`Released ${by}`],
        [`Internal note ${by}`, 'Call before loading.'],
        [`Note added ${by}`, 'Sent from Berlin.'],
        ['Cancellation requested Lindner Car Service'],
        [`Cancellation rejected ${by}`, 'It is packed.'],
        [`New → Processing ${by}`, 'Today.'],
        [`Processing → Being assembled ${by}`],
        [`Goods shipped ${by}`, '2 × BN-280-V · DHL · 0034'],
        [`Lines changed ${by}`, 'BN-280-V: 3 → 2 · FW-2: 2 → 0 · Total 35.00 → 20.00', 'Sold out.'],
        [`Being assembled → Shipped ${by}`],
        [`Goods returned ${by}`, '1 × BN-280-V · Back into stock', 'Broken.'],
      ]),
    )
    assert.deepEqual(steps.at(-1), ['Order placed Lindner Car Service'])
  },
)

test('a refusal says what to do next, and the dialog stays open', inBrowser, async () => {
  const { order_id } = await desk.place()
  const page = await desk.open('decider', `/orders/${order_id}`)
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Add line' }).click()
  await page.getByLabel('Article').fill('NO-SUCH-PART')
  await text(page, /NO-SUCH-PART/)
  await page.getByLabel('Reason for the client').fill('Wanted.')
  await page.getByRole('dialog').getByRole('button', { name: 'Add line' }).click()
  await page
    .getByRole('alert')
    .getByText('No item has “NO-SUCH-PART”. Check article, brand and barcode.')
    .waitFor({ timeout: limitMs })
})

test(
  'when a session ends, what was typed is kept: the page asks to sign in, even while it is idle',
  inBrowser,
  async () => {
    const { order_id } = await desk.place()
    const page = await desk.open('decider', `/orders/${order_id}`)
    const signIn = page.getByRole('dialog', { name: 'Your session has ended' })
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: 'Add note' }).click()
    await page.getByRole('textbox', { name: /^Note/ }).fill('Call before loading.')
    await page.context().clearCookies()
    await page.keyboard.press('Enter')
    await signIn.getByLabel('Operator key').fill('pso_1_wrong')
    await page.keyboard.press('Enter')
    await text(page, /This key is not valid/)
    await page.keyboard.press('Escape')
    await signIn.getByLabel('Operator key').fill(desk.operators.keys.decider)
    await page.keyboard.press('Enter')
    await signIn.waitFor({ state: 'detached', timeout: limitMs })
    assert.equal(await page.getByRole('textbox', { name: /^Note/ }).inputValue(), 'Call before loading.')
    await page.getByRole('dialog').getByRole('button', { name: 'Add note' }).click()
    await text(page.locator('.timeline') as unknown as Page, 'Call before loading.')
    await page.context().clearCookies()
    await signIn.waitFor({ timeout: limitMs })
    await signIn.getByLabel('Operator key').fill(desk.operators.keys.decider)
    await page.keyboard.press('Enter')
    await signIn.waitFor({ state: 'detached', timeout: limitMs })
    await desk.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, { reason: 'Credit check.' })
    await text(page, 'Credit check.') // It listens again.
  },
)

test('while the service is away, every page says so; then it shows what happened meanwhile', inBrowser, async () => {
  const { order_id } = await desk.place()
  const page = await desk.open('decider', `/orders/${order_id}`)
  await page.getByRole('button', { name: 'Change BN-280-V' }).click()
  await page.getByLabel('Quantity').fill('2')
  await page.getByLabel('Reason for the client').fill('Two are damaged.')
  await page.context().setOffline(true)
  await text(page, /The service does not answer. What you type stays here/)
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page
    .getByRole('alert')
    .getByText(/^The service does not answer. What you typed is still here/)
    .waitFor({ timeout: limitMs })
  await desk.operators.ok('POST', `/operator/v1/orders/${order_id}/hold/`, { reason: 'Credit check.' })
  await page.context().setOffline(false)
  await page.locator('.notice', { hasText: 'Credit check.' }).waitFor({ timeout: limitMs })
  assert.equal(await page.getByLabel('Reason for the client').inputValue(), 'Two are damaged.')
  const banner = page.getByText(/The service does not answer. What you type stays here/)
  await banner.waitFor({ state: 'detached', timeout: limitMs })
  await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached', timeout: limitMs })
  assert.equal((await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_total, 20)
})

test("today's figures open their lists, and everything is reached by keyboard", inBrowser, async () => {
  const { order_number } = await desk.request(5)
  const page = await desk.open('viewer', '/')
  await page.getByRole('link', { name: /Waiting for a decision/ }).click()
  await heading(page, 'Inbox')
  await travel(page, 'o', page.getByRole('heading', { level: 1, name: 'Orders' }))
  await page.keyboard.press('/')
  await page.keyboard.type(String(order_number))
  await page.keyboard.press('Enter')
  await until('the search is in the address', async () => page.url().endsWith(`/orders?search=${order_number}`))
  await readable(page, row(page, order_number))
  await page.keyboard.press('Enter')
  await heading(page, `Order ${order_number}`)
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox').fill(String(order_number))
  await page.getByRole('option', { name: /Lindner/ }).waitFor({ timeout: limitMs })
  await closeDialog(page)
  await page.keyboard.press('?')
  await text(page, 'Keyboard shortcuts')
  await closeDialog(page)
  await travel(page, 't', page.getByRole('heading', { level: 1, name: 'Today' }))
})

test('the console speaks German and Russian, with their dates and numbers', inBrowser, async () => {
  const { order_id } = await desk.place({ quantity: 400 })
  const german = await desk.open('decider', `/orders/${order_id}`, { locale: 'de-DE' })
  await text(german, /4\.000,00.EUR/)
  await german.getByRole('button', { name: 'Weiter zu In Bearbeitung' }).waitFor({ timeout: limitMs })
  const russian = await desk.open('decider', '/inbox', { locale: 'ru-RU' })
  await heading(russian, 'Входящие')
  assert.equal(await russian.evaluate(() => document.documentElement.lang), 'ru')
})

test('what a role may not do is not shown, and is refused by the service', inBrowser, async () => {
  const { adjustment_id, order_id, order_number } = await desk.request(5)
  const page = await desk.open('viewer', '/inbox')
  await row(page, order_number).waitFor({ timeout: limitMs })
  assert.equal(await page.getByRole('button', { name: 'Accept' }).count(), 0)
  const status = await page.evaluate(
    async (path) =>
      (await fetch(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
    `/operator/v1/adjustments/${adjustment_id}/accept/`,
  )
  assert.equal(status, 403)
  const { adjustments } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  assert.equal(adjustments[0].adjustment_status, 'WAIT')
})

test('another site can neither send changes with the session nor frame the console', inBrowser, async () => {
  const { order_id } = await desk.place()
  const page = await desk.open('admin', '/inbox')
  const evil = await page.context().newPage()
  await evil.goto(`http://${otherHost}:${desk.service.port}/readyz`)
  const outcome = await evil.evaluate(
    async ([origin, id]) => {
      const send = (init: RequestInit) =>
        fetch(`${origin}/operator/v1/orders/${id}/move/`, { method: 'POST', credentials: 'include', ...init }).then(
          ({ status }) => status,
          () => 'blocked',
        )
      return [
        await send({ body: '{"state_id":"processing"}', headers: { 'content-type': 'application/json' } }),
        await send({ body: '{"state_id":"processing"}', mode: 'no-cors' }),
      ]
    },
    [desk.origin, String(order_id)] as const,
  )
  assert.equal(await desk.stateOf(order_id), 'new')
  assert.equal(outcome[0], 'blocked')
  // The same from the page itself succeeds, so it is the origin that matters.
  const own = await page.evaluate(
    async (path) =>
      (
        await fetch(path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"state_id":"processing"}',
        })
      ).status,
    `/operator/v1/orders/${order_id}/move/`,
  )
  assert.equal(own, 200)

  await evil.route('**/framing', (route) =>
    route.fulfill({ contentType: 'text/html', body: `<iframe src="${desk.origin}/console/"></iframe>` }),
  )
  await evil.goto(`http://${otherHost}:${desk.service.port}/framing`)
  await until('the frame is refused', async () => {
    const frame = evil.frames()[1]
    return frame !== undefined && frame.url().startsWith('chrome-error:')
  })
})

test('the page has a strict policy, no inline script, and hashed files that never change', inBrowser, async () => {
  const page = await desk.service.request('GET', '/console/orders/17')
  assert.equal(page.status, 200)
  const policy = String(page.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.match(policy, /script-src 'self';/)
  assert.match(policy, /frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe/)
  assert.equal(page.headers['cache-control'], 'no-cache')
  const scripts = [...page.text.matchAll(/<script\b([^>]*)>([^]*?)<\/script>/g)]
  assert(scripts.length > 0)
  for (const [, attributes = '', content = ''] of scripts) {
    assert.match(attributes, / src="\/console\/assets\//)
    assert.equal(content.trim(), '')
  }
  assert.doesNotMatch(page.text, / on\w+=|style=/)
  const [, asset = ''] = /src="([^"]+)"/.exec(page.text) ?? []
  const script = await desk.service.request('GET', asset, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(script.headers['cache-control'], 'public, max-age=31536000, immutable')
  assert.equal(script.headers['content-encoding'], 'gzip')
})

const jsMaxBytes = 170 * 1024
const cssMaxBytes = 40 * 1024

test(
  'the first load of the inbox is at most 170 KB of scripts and 40 KB of styles, compressed',
  inBrowser,
  async (t) => {
    const sizes = { js: 0, css: 0 }
    const context = await desk.browser.newContext()
    const page = await context.newPage()
    await context.request.post(`${desk.origin}/operator/v1/sessions/`, {
      headers: { authorization: desk.operators.keys.decider },
      data: {},
    })
    const loaded = new Set<string>()
    page.on('response', (answer) => loaded.add(new URL(answer.url()).pathname))
    await page.goto(`${desk.origin}/console/inbox`)
    await heading(page, 'Inbox')
    for (const path of loaded) {
      const kind = /\.(js|css)$/.exec(path)?.[1] as 'js' | 'css' | undefined
      if (kind === undefined) continue
      sizes[kind] += gzipSync(readFileSync(new URL(`../dist/${path.replace('/console/', '')}`, import.meta.url))).length
    }
    t.diagnostic(`${sizes.js} bytes of scripts and ${sizes.css} of styles`)
    assert(sizes.js > 0 && sizes.js <= jsMaxBytes, `${sizes.js} bytes of scripts`)
    assert(sizes.css > 0 && sizes.css <= cssMaxBytes, `${sizes.css} bytes of styles`)
    await context.close()
  },
)
