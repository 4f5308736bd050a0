/** The console without a mouse: every step is a key, and the browser confirms that no pointer was used. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { FileChooser, Page } from 'playwright-core'
import { runParts } from '../../cli/src/testing.ts'
import type { Role } from '../../service/src/identity/actor.ts'
import { withoutBrowser } from '../../service/src/testing/network/browser.ts'
import { limitMs, openDesk, readable, sent, travel, type Desk } from './desk.ts'

let desk: Desk
before(async () => {
  if (withoutBrowser === false) desk = await openDesk()
})
after(() => desk?.close())

const inBrowser = { skip: withoutBrowser }

const row = (page: Page, order_number: number) => page.locator('tbody tr', { hasText: String(order_number) })
const shown = (page: Page, what: string | RegExp) => page.getByText(what).first().waitFor({ timeout: limitMs })
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout: limitMs })
/** A dialog that is visible also has the focus: what is typed before goes elsewhere. */
const dialogIs = async (page: Page, state: 'visible' | 'detached'): Promise<void> => {
  await page.getByRole('dialog').waitFor({ state, timeout: limitMs })
  if (state === 'visible') await page.waitForFunction(() => document.activeElement?.closest('dialog') !== null)
}

/** Opens a page and runs the steps; then no pointer may have been used. */
async function withoutMouse(role: Role, path: string, steps: (page: Page) => Promise<void>): Promise<void> {
  const page = await desk.open(role, path)
  await page.evaluate(() => {
    document.addEventListener('pointerdown', () => (document.documentElement.dataset['pointer'] = 'used'), true)
  })
  await steps(page)
  assert.equal(await page.evaluate(() => document.documentElement.dataset['pointer']), undefined)
}

const keys = async (page: Page, ...names: string[]): Promise<void> => {
  for (const name of names) await page.keyboard.press(name)
}

/** Presses Space until the browser asks for a file. On a busy machine, the test may not be listening at the first one. */
async function openChooser(page: Page): Promise<FileChooser> {
  for (let n = 0; n < 5; n++) {
    const asked = page.waitForEvent('filechooser', { timeout: limitMs / 5 }).catch(() => undefined)
    await keys(page, 'Space')
    const chooser = await asked
    if (chooser !== undefined) return chooser
  }
  throw new Error('Space does not open the file chooser.')
}

/** Presses Tab until what has the focus has this name: it may get ready meanwhile. Its outline must be visible. */
async function tabTo(page: Page, name: string): Promise<void> {
  await page
    .getByLabel(name, { exact: true })
    .or(page.getByText(name, { exact: true }))
    .first()
    .waitFor({ timeout: limitMs })
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => {
      const { activeElement } = document
      if (!(activeElement instanceof HTMLElement)) return { name: '', isOutlined: false }
      const labels = 'labels' in activeElement ? [...((activeElement.labels as NodeListOf<HTMLElement>) ?? [])] : []
      const words = activeElement.getAttribute('aria-label') ?? labels[0]?.textContent ?? activeElement.textContent
      const isField = activeElement.classList.contains('mantine-Input-input') // Its border changes its colour.
      const { outlineStyle } = getComputedStyle(activeElement)
      return { name: words.trim(), isOutlined: outlineStyle !== 'none' || isField }
    })
    if (focused.name !== name && !focused.name.startsWith(`${name} `)) continue
    assert(focused.isOutlined, `${name} has the focus, which is not visible.`)
    return
  }
  throw new Error(`Tab does not reach “${name}”.`)
}

/** Moves the current row to that of the order: to the first row, then down. */
async function goTo(page: Page, order_number: number): Promise<void> {
  await readable(page, row(page, order_number))
  const isAt = async (): Promise<boolean> => (await row(page, order_number).getAttribute('aria-current')) !== null
  const rows = await page.locator('tbody tr').count()
  if (await isAt()) return
  for (let n = 0; n < rows; n++) await page.keyboard.press('k')
  for (let n = 0; n < rows; n++) {
    if (await isAt()) return
    await page.keyboard.press('j')
  }
  throw new Error(`The keyboard does not reach order ${order_number}.`)
}

/** Keys are dropped for a moment after the list has changed. */
async function select(page: Page, order_number: number): Promise<void> {
  await goTo(page, order_number)
  for (let n = 0; n < 5; n++) {
    await page.keyboard.press('x')
    const selected = page.locator('tr[data-marked]', { hasText: String(order_number) })
    if (
      await selected
        .waitFor({ timeout: limitMs / 5 })
        .then(() => true)
        .catch(() => false)
    )
      return
  }
  throw new Error(`x does not select order ${order_number}.`)
}

const statusOf = async (order_id: number): Promise<string> =>
  (await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)).adjustments[0].adjustment_status

test('the inbox without a mouse: accept, reject with a reason, accept several', inBrowser, async () => {
  const [one, two, three, four] = [
    await desk.request(5),
    await desk.request(6),
    await desk.request(7),
    await desk.request(8),
  ]
  await withoutMouse('decider', '/inbox', async (page) => {
    await goTo(page, one.order_number)
    await keys(page, 'a')
    await row(page, one.order_number).getByText('Accepted').waitFor({ timeout: limitMs })
    await goTo(page, two.order_number)
    await keys(page, 'r')
    await dialogIs(page, 'visible')
    await page.keyboard.press('Control+a')
    await page.keyboard.type('Sold out until May.')
    await keys(page, 'Enter')
    await row(page, two.order_number).getByText('Rejected').waitFor({ timeout: limitMs })
    for (const { order_number } of [three, four]) await select(page, order_number)
    await keys(page, 'a')
    await dialogIs(page, 'visible')
    await keys(page, 'Enter')
    for (const { order_number } of [three, four])
      await row(page, order_number).getByText('Accepted').waitFor({ timeout: limitMs })
    await sent(page)
  })
  assert.deepEqual(await Promise.all([one, two, three, four].map(({ order_id }) => statusOf(order_id))), [
    'ACCEPTED',
    'CANCELED',
    'ACCEPTED',
    'ACCEPTED',
  ])
})

test('the orders without a mouse: search, filter, move several, open one', inBrowser, async () => {
  const [one, two] = [await desk.place(), await desk.place()]
  await withoutMouse('decider', '/orders', async (page) => {
    await tabTo(page, 'New')
    await keys(page, 'Space')
    await page.waitForURL(/state=new/, { timeout: limitMs })
    for (const { order_number } of [one, two]) await select(page, order_number)
    await shown(page, '2 selected')
    await tabTo(page, 'Move')
    await keys(page, 'Enter')
    await page.getByRole('menuitem', { name: 'Processing' }).waitFor({ timeout: limitMs })
    await keys(page, 'ArrowDown')
    for (let n = 0; n < 8; n++) {
      if ((await page.evaluate(() => document.activeElement?.textContent)) === 'Processing') break
      await keys(page, 'ArrowDown')
    }
    await keys(page, 'Enter')
    await dialogIs(page, 'visible')
    await keys(page, 'Enter')
    await dialogIs(page, 'detached')
    assert.deepEqual(await Promise.all([one, two].map(({ order_id }) => desk.stateOf(order_id))), [
      'processing',
      'processing',
    ])
    await keys(page, '/')
    await page.keyboard.type(String(one.order_number))
    await keys(page, 'Enter')
    await row(page, two.order_number).waitFor({ state: 'detached', timeout: limitMs })
    await readable(page, row(page, one.order_number))
    await keys(page, 'Enter')
    await heading(page, `Order ${one.order_number}`)
  })
})

test('an order without a mouse: its next state, a changed line, a note', inBrowser, async () => {
  const { order_id } = await desk.place()
  await withoutMouse('decider', `/orders/${order_id}`, async (page) => {
    await tabTo(page, 'Move to Processing')
    await keys(page, 'Enter')
    await dialogIs(page, 'visible')
    await keys(page, 'Enter')
    await page.locator('h1').getByText('Processing').waitFor({ timeout: limitMs })
    await tabTo(page, 'Change BN-280-V')
    await keys(page, 'Enter')
    await dialogIs(page, 'visible')
    await keys(page, 'Control+a', '3', 'Tab')
    await page.keyboard.type('One is damaged.')
    await keys(page, 'Enter')
    await dialogIs(page, 'detached')
    await tabTo(page, 'Actions')
    await keys(page, 'Enter')
    await page.getByRole('menuitem', { name: 'Add note' }).waitFor({ timeout: limitMs })
    await keys(page, 'ArrowDown', 'End', 'ArrowUp', 'Enter') // Below it is “Order again”.
    await dialogIs(page, 'visible')
    await page.keyboard.type('Call before loading.')
    await keys(page, 'Enter')
    await shown(page, 'Call before loading.')
  })
  const { items, notes } = await desk.operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  assert.deepEqual([items[0].order_item_quantity, notes[0].note_text], [3, 'Call before loading.'])
})

test('an import and a pasted column without a mouse', inBrowser, async () => {
  const price = async (item_id: number) =>
    (await desk.operators.ok('GET', `/operator/v1/items/${item_id}/`)).prices.find(
      (one: { price_list_id: number }) => one.price_list_id === 1,
    ).price
  await withoutMouse('cataloguer', '/imports', async (page) => {
    await tabTo(page, 'Drop a CSV or NDJSON file here, or choose one')
    const buffer = Buffer.from('price_list_id,item_id,price\n1,4,21.50\n')
    await (await openChooser(page)).setFiles({ name: 'spring.csv', mimeType: 'text/csv', buffer })
    await tabTo(page, 'Check the file')
    await keys(page, 'Enter')
    await tabTo(page, 'Import now')
    await keys(page, 'Enter')
    await shown(page, 'What changed')
    assert.equal(await price(4), 21.5)
    await travel(page, 's', page.getByText('Paste a column', { exact: true }))
    await tabTo(page, 'Paste a column')
    await keys(page, 'Enter')
    await dialogIs(page, 'visible')
    await page.keyboard.insertText('BN-280-V\t11.00')
    await tabTo(page, 'Check the file')
    await keys(page, 'Enter')
    await tabTo(page, 'Import now')
    await keys(page, 'Enter')
    await shown(page, 'What changed')
  })
  assert.equal(await price(1), 11)
})

test('a client is created without a mouse', inBrowser, async () => {
  await withoutMouse('admin', '/', async (page) => {
    await travel(page, 'c', page.getByText('New client', { exact: true }))
    await tabTo(page, 'New client')
    await keys(page, 'Enter')
    await dialogIs(page, 'visible')
    await page.keyboard.type('Garage Keyboard')
    await keys(page, 'Tab')
    await page.keyboard.type('Kim Board')
    await tabTo(page, 'Contract')
    await page.keyboard.type('Main')
    await tabTo(page, 'Hamburg')
    await keys(page, 'Space')
    await tabTo(page, 'Create client')
    await keys(page, 'Enter')
    await page.locator('.secret').waitFor({ timeout: limitMs })
    await tabTo(page, 'Done')
    await keys(page, 'Enter')
    await heading(page, 'Garage Keyboard')
  })
  const [{ client_id }] = await desk.operators.ok('GET', '/operator/v1/clients/?search=keyboard')
  const { contacts, stocks } = await desk.operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  assert.deepEqual(
    [contacts[0].contact_name, stocks.map(({ stock_name }: { stock_name: string }) => stock_name)],
    ['Kim Board', ['Hamburg']],
  )
})

test('ten requests take ten keys in the console, and a command each in the shell', inBrowser, async (t) => {
  const tenRequests = async () => {
    const made = []
    for (let n = 0; n < 10; n++) made.push(await desk.request(5))
    return made
  }
  const allAre = async (made: readonly { order_id: number }[]): Promise<void> => {
    for (const { order_id } of made) assert.equal(await statusOf(order_id), 'ACCEPTED')
  }
  const inConsole = await tenRequests()
  const figures = { consoleKeys: 0, consoleSeconds: 0, shellKeys: 0, shellSeconds: 0 }
  await withoutMouse('decider', '/inbox', async (page) => {
    const [first, last] = [inConsole[0], inConsole.at(-1)]
    assert(first && last)
    await goTo(page, first.order_number)
    const start = performance.now()
    for (const _ of inConsole) {
      await page.keyboard.press('a')
      figures.consoleKeys += 1
    }
    for (const { order_number } of inConsole)
      await row(page, order_number).getByText('Accepted').waitFor({ timeout: limitMs })
    figures.consoleSeconds = (performance.now() - start) / 1_000
    await sent(page)
  })
  await allAre(inConsole)
  assert.equal(figures.consoleKeys, 10)

  const inShell = await tenRequests()
  const start = performance.now()
  for (const args of [
    ['inbox'],
    ...inShell.map(({ adjustment_id }) => ['accept', 'adjustment', String(adjustment_id)]),
  ]) {
    const { code, stderr } = await runParts(args, { PARTS_URL: desk.origin, PARTS_KEY: desk.operators.keys.decider })
    assert.equal(code, 0, stderr)
    figures.shellKeys += `parts ${args.join(' ')}\n`.length
  }
  figures.shellSeconds = (performance.now() - start) / 1_000
  await allAre(inShell)
  t.diagnostic(
    `ten requests: console ${figures.consoleKeys} keys, ${figures.consoleSeconds.toFixed(1)} s; ` +
      `shell ${figures.shellKeys} keys, ${figures.shellSeconds.toFixed(1)} s without the typing`,
  )
})
