/** What is printed in the stock: complete, escaped, without script, and under a policy that allows none. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fulfilled } from '../operator-shared.cases.ts'
import { openBrowser, withoutBrowser } from '../../testing/network/browser.ts'
import { addFixtures } from '../../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators, type OperatorWorld } from '../../testing/operators.ts'
import { startService, type Answer, type TestService } from '../../testing/service.ts'

let service: TestService
let operators: Operators
let world: OperatorWorld

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeOperatorWorld(service, operators)
})
after(() => service.close())

const page = (path: string, accept = 'text/html,application/xhtml+xml,*/*;q=0.8'): Promise<Answer> =>
  service.request('GET', path, { key: operators.keys.viewer, headers: { accept } })

const script = '<script>alert("1")</script> & \'more\''
const escaped = '&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt; &amp; &#39;more&#39;'

async function shippedOrder(): Promise<{ order_id: number; slip: string }> {
  const { order_id, order_item_id } = await fulfilled(world)
  await service.sql('update orders set comment = $2, reference = $2 where order_id = $1', [order_id, script])
  const lines = [{ order_item_id, quantity: 2 }]
  const { shipments } = await operators.ok('POST', `/operator/v1/orders/${order_id}/shipments/`, {
    lines,
    carrier: script,
  })
  return { order_id, slip: `/operator/v1/orders/${order_id}/shipments/${shipments[0].shipment_id}/slip/` }
}

function checkPage({ status, headers, text }: Answer): void {
  assert.equal(status, 200, text)
  assert.equal(headers['content-type'], 'text/html; charset=utf-8')
  assert.match(String(headers['content-security-policy']), /^default-src 'none'; style-src 'sha256-[\w+/=]+';/)
  assert.match(String(headers.vary), /Accept/)
  assert.equal(text.includes('<script'), false)
  assert(text.includes(escaped))
}

test('the packing slip is a page with address, lines and what is open; every text is escaped', async () => {
  const { slip } = await shippedOrder()
  const printed = await page(slip)
  checkPage(printed)
  for (const shown of ['Anna Weber', 'Invalidenstraße 116', '10115 Berlin', 'BN-280-V', '4006381333931'])
    assert(printed.text.includes(shown), shown)
  assert.match(printed.text, /<td class="n">3<\/td>\s*<td class="n"><b>2<\/b><\/td>\s*<td class="n">1<\/td>/)
  assert.match(String((await page(slip, '*/*')).headers['content-type']), /json/)
  assert.match(String((await page(slip, 'application/json, text/html;q=0.5')).headers['content-type']), /json/)
})

test('the packing slip names the recipient and the company of the address, and how to reach them', async () => {
  const { order_id, slip } = await shippedOrder()
  const named = `update orders set recipient = $2, company = 'Weber & Sons', phone = '+49 30 1', email = 'j@weber.example'
    where order_id = $1`
  await service.sql(named, [order_id, script])
  const { text } = await page(slip)
  assert(text.includes(`Weber &amp; Sons<br />${escaped}<br />`), text)
  for (const shown of ['+49 30 1', 'j@weber.example']) assert(text.includes(shown), shown)
  assert.equal(text.includes('Anna Weber'), false)
})

test('a refusal of a page is JSON', async () => {
  const refused = await page('/operator/v1/orders/999999/shipments/1/slip/')
  assert.deepEqual([refused.status, refused.body.errors[0]?.code], [404, 'order_not_found'])
})

test('the pick list is one page with every order of the stock, also beyond the pages of the list', async () => {
  const { order_id } = await shippedOrder()
  const copies = Array.from({ length: 54 }, () => fulfilled(world))
  await Promise.all(copies)
  const listed = await page('/operator/v1/stocks/1/pick-list/')
  checkPage(listed)
  const [{ count }] = (await service.sql(
    "select count(*)::int from orders where stock_id = 1 and order_state_id = 'fulfilling'",
  )) as [{ count: number }]
  assert(count > 50)
  assert.equal(listed.text.match(/<h2>Order \d+<\/h2>/g)?.length, count)
  assert.equal((await operators.ok('GET', `/operator/v1/orders/${order_id}/`)).order_state_id, 'fulfilling')
})

test(
  'a browser shows and prints the slip: the style applies, and nothing is refused',
  { skip: withoutBrowser },
  async () => {
    const { slip } = await shippedOrder()
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({ extraHTTPHeaders: { authorization: operators.keys.viewer } })
      const tab = await context.newPage()
      const complaints: string[] = []
      tab.on('console', (message) => complaints.push(message.text()))
      await tab.goto(`http://127.0.0.1:${service.port}${slip}`)
      const border = await tab.evaluate("getComputedStyle(document.querySelector('th')).borderBottomStyle")
      assert.equal(border, 'solid')
      assert.equal(await tab.evaluate('document.scripts.length'), 0)
      await tab.emulateMedia({ media: 'print' })
      const { length } = await tab.pdf({ format: 'A4' })
      assert(length > 1_000)
      assert.deepEqual(
        complaints.filter((text) => !text.includes('favicon')),
        [],
      )
    } finally {
      await browser.close()
    }
  },
)

test(
  'the longest texts fit on paper: nothing is cut off, and barcodes and quantities stay in one line',
  { skip: withoutBrowser },
  async () => {
    const { order_id, slip } = await shippedOrder()
    const long = 'W'.repeat(200)
    await service.sql(
      `with named as (update clients set client_name = $2 where client_id = (select client_id from orders where order_id = $1)),
       ordered as (update orders set reference = $2, city = $2, street = $2, comment = $2 where order_id = $1),
       sent as (update shipments set carrier = $2, tracking = $2 where order_id = $1)
     update order_items set item_title = $2, item_barcode = '4006381333931', order_item_quantity = 1000000
     where order_id = $1`,
      [order_id, long],
    )
    const browser = await openBrowser()
    try {
      const context = await browser.newContext({
        extraHTTPHeaders: { authorization: operators.keys.viewer },
        viewport: { width: 680, height: 1_000 }, // A4 without its margins.
      })
      const tab = await context.newPage()
      await tab.emulateMedia({ media: 'print' })
      for (const path of [slip, '/operator/v1/stocks/1/pick-list/']) {
        await tab.goto(`http://127.0.0.1:${service.port}${path}`)
        const tooWide =
          '[...document.querySelectorAll("*")].filter((one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 0).map((one) => one.outerHTML.slice(0, 100))'
        assert.deepEqual(await tab.evaluate(tooWide), [])
        const lines = `[...document.querySelectorAll('tbody tr')].flatMap((row) =>
        [...row.cells].filter(({ textContent }) => /^\\d+$/.test(textContent)).map((cell) => {
          const range = document.createRange()
          range.selectNodeContents(cell)
          return new Set([...range.getClientRects()].map(({ top }) => Math.round(top / 4))).size
        }))`
        const found = (await tab.evaluate(lines)) as number[]
        assert(found.length > 1)
        assert.deepEqual([...new Set(found)], [1])
      }
    } finally {
      await browser.close()
    }
  },
)
