/** The console in a browser, with a real service and database: what an order desk does, and what must not be possible. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { otherHost, withoutBrowser } from '../../service/src/testing/network/browser.ts'
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
  await row(page, order_number).waitFor({ timeout: limitMs })
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
  await text(page, /No valid API key/)
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
  for (const { order_id, order_number } of requests) {
    await row(page, order_number).getByText('Accepted').waitFor({ timeout: limitMs })
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

test('the inbox says why a request cannot be accepted, and asks before an unusual change', inBrowser, async () => {
  const limited = await desk.place({ quantity: 90, contract_id: desk.client.limited_contract_id })
  await desk.shop.ok('PATCH', `/api/v1/orders/${limited.order_id}/items/${limited.order_item_id}/`, { quantity: 120 })
  const unusual = await desk.request(200)
  const page = await desk.open('decider', '/inbox')
  await row(page, limited.order_number).getByText('Exceeds the limit by 254.00').waitFor({ timeout: limitMs })
  assert.equal(await row(page, limited.order_number).getByRole('button', { name: 'Accept' }).count(), 0)
  await goTo(page, unusual.order_number)
  await page.keyboard.press('a')
  await text(page, 'The quantity would change from 4 to 200. Accept it anyway?')
  await page.getByRole('dialog').getByRole('button', { name: 'Accept' }).click()
  await row(page, unusual.order_number).getByText('Accepted').waitFor({ timeout: limitMs })
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
    await text(boris, '1 new')
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
  await text(page, /1 piece · DHL/)
  assert.equal(await desk.stateOf(order_id), 'fulfilling')
  await text(page.locator('.timeline') as unknown as Page, 'Test decider')
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Add note' }).click()
  await page.getByRole('textbox', { name: /^Note/ }).fill('Call before loading.')
  await page.keyboard.press('Enter')
  await text(page, 'Call before loading.')
})

test('a refusal is shown in the words of the service, and the dialog stays open', inBrowser, async () => {
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
    .getByText(/NO-SUCH-PART/)
    .waitFor({ timeout: limitMs })
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
  await row(page, order_number).waitFor({ timeout: limitMs })
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

const jsMaxBytes = 160 * 1024
const cssMaxBytes = 40 * 1024

test(
  'the first load of the inbox is at most 160 KB of scripts and 40 KB of styles, compressed',
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
