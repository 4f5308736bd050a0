/** Every page and dialog of the console, with something to see on each: for the checks of looks, and for the pictures. */
import type { Page } from 'playwright-core'
import { addClient, address, shopper } from '../../service/src/testing/fixtures.ts'
import { limitMs, readable, type Desk } from './desk.ts'

export interface Stop {
  readonly name: string
  readonly path: string
  /** Each opens a dialog or a menu, which Escape closes. */
  readonly dialogs?: Readonly<Record<string, (page: Page) => Promise<unknown>>>
}

const press = (name: string | RegExp) => (page: Page) =>
  page.getByRole('button', { name, exact: true }).first().click({ timeout: limitMs })
const key = (name: string) => async (page: Page) => {
  await readable(page, page.locator('h1'))
  await page.keyboard.press(name)
}
const action = (name: string) => async (page: Page) => {
  await press('Actions')(page)
  await page.getByRole('menuitem', { name, exact: true }).click({ timeout: limitMs })
}

/** Creates what the pages show: requests, orders in every state, long names, an import with bad rows. */
export async function stopsOf(desk: Desk): Promise<Stop[]> {
  const { operators, service } = desk
  const order = (id: number, what: string, body: object) =>
    operators.ok('POST', `/operator/v1/orders/${id}/${what}/`, body)
  const long = await addClient(service, {
    name: 'Autohaus Schmidt-Rottluff & Söhne Kraftfahrzeugteilegroßhandelsgesellschaft mbH, Niederlassung Garmisch',
  })
  const other = shopper(service, long)
  for (const quantity of [2, 40]) {
    const cart_id = await other.createCart()
    await other.add(cart_id, { item_id: 1, quantity })
    await other.order(cart_id)
  }
  const asked = await desk.request(5)
  await desk.request(6)
  await desk.request(400)
  const limited = await desk.place({ quantity: 90, contract_id: desk.client.limited_contract_id })
  await desk.shop.ok('PATCH', `/api/v1/orders/${limited.order_id}/items/${limited.order_item_id}/`, { quantity: 120 })
  await order(asked.order_id, 'notes', { text: 'Call before loading.', internal: true })
  const held = await desk.place()
  await order(held.order_id, 'hold', { reason: 'The last invoice is overdue; the sales desk calls the client.' })
  const shipped = await desk.place()
  for (const state_id of ['processing', 'fulfilling']) await order(shipped.order_id, 'move', { state_id })
  await order(shipped.order_id, 'shipments', {
    lines: [{ order_item_id: shipped.order_item_id, quantity: 1 }],
    carrier: 'DHL',
    tracking: '00340434161094042557',
  })
  const canceled = await desk.place()
  await order(canceled.order_id, 'move', { state_id: 'canceled', text: 'The client ordered twice.' })
  const leaving = await desk.place()
  await order(leaving.order_id, 'move', { state_id: 'processing' })
  await desk.shop.ok('DELETE', `/api/v1/orders/${leaving.order_id}/`)
  const { client_id } = desk.client
  const { created_order_id } = await operators.ok('POST', `/operator/v1/clients/${client_id}/orders/`, {
    stock_id: 1,
    lines: [
      { item_id: 1, quantity: 8 },
      { item_id: 2, quantity: 20 },
      { item_id: 3, quantity: 3 }, // Of 5: too few are left for the same again.
      { item_id: 4, quantity: 2 },
    ],
    ...address,
  })
  const importing = async (query: string, ...rows: string[]): Promise<number> =>
    (
      await service.request('POST', `/operator/v1/imports/prices/?${query}&file_name=autumn-prices.csv`, {
        key: operators.keys.admin,
        headers: { 'content-type': 'text/csv' },
        body: ['price_list_id,item_id,price', ...rows].join('\n'),
      })
    ).body.data.import_id
  const bad = await importing('dry_run=true&mode=rows', '1,1,11', '1,999999,1')
  const done = await importing('mode=all', '1,4,20.49')
  await desk.shop.ok('PUT', '/api/v1/webhooks/', { url: 'https://example.com/a-rather-long-path/hook' })
  await operators.ok('PUT', '/operator/v1/stocks/1/closures/2031-12-24/')

  return [
    { name: 'today', path: '/', dialogs: { account: press(/Test admin/), palette: key('Control+k'), help: key('?') } },
    {
      name: 'inbox',
      path: '/inbox',
      dialogs: {
        reject: key('r'),
        'accept-several': async (page) => {
          await page.getByLabel('Select all rows').check()
          await key('a')(page)
        },
      },
    },
    {
      name: 'orders',
      path: '/orders',
      dialogs: {
        menu: press('Move'),
        hold: press('Hold'),
        ship: press('Ship'),
        print: press('Print'),
      },
    },
    { name: 'order-new', path: '/orders/new' },
    { name: 'order-again', path: `/orders/new?from=${created_order_id}` },
    { name: 'print', path: `/print?picks=${shipped.order_id}&slips=${shipped.order_id}` },
    { name: 'orders-empty', path: '/orders?search=nothing-like-this' },
    {
      name: 'order',
      path: `/orders/${asked.order_id}`,
      dialogs: {
        line: press('Change BN-280-V'),
        menu: press('Actions'),
        move: press('Move to Processing'),
        accept: press('Accept'),
        reject: press('Reject'),
        cancel: action('Move to Cancelled'),
        reschedule: action('Change ship date'),
        add: action('Add line'),
        note: action('Add note'),
      },
    },
    { name: 'order-held', path: `/orders/${held.order_id}`, dialogs: { release: action('Release') } },
    {
      name: 'order-shipped',
      path: `/orders/${shipped.order_id}`,
      dialogs: { ship: action('Ship'), close: action('Close the rest'), return: action('Record return') },
    },
    { name: 'order-cancelled', path: `/orders/${canceled.order_id}`, dialogs: { undo: action('Undo cancellation') } },
    { name: 'order-leaving', path: `/orders/${leaving.order_id}`, dialogs: { reject: press('Reject') } },
    { name: 'order-missing', path: '/orders/1' },
    { name: 'clients', path: '/clients', dialogs: { new: press('New client') } },
    {
      name: 'client',
      path: `/clients/${desk.client.client_id}`,
      dialogs: {
        limit: press('Change limit: Limited'),
        block: press('Block'),
        contact: press('Add contact'),
        issue: press('Issue key'),
        revoke: press(/^Revoke key/),
        pause: press(/^Pause webhook/),
      },
    },
    { name: 'client-long', path: `/clients/${long.client_id}` },
    { name: 'webhooks', path: '/webhooks' },
    { name: 'goods', path: '/goods', dialogs: { paste: press('Paste a column') } },
    { name: 'item', path: '/goods/1', dialogs: { count: press('Record count: Berlin') } },
    { name: 'stocks', path: '/stocks', dialogs: { closure: press('Add closed day: Berlin') } },
    { name: 'imports', path: '/imports' },
    { name: 'import-bad', path: `/imports/${bad}` },
    { name: 'import', path: `/imports/${done}`, dialogs: { undo: press('Undo') } },
    { name: 'activity', path: '/activity' },
    { name: 'settings', path: '/settings', dialogs: { end: press(/^End session/) } },
    { name: 'missing', path: '/nowhere' },
  ]
}

/** Opens a page and waits until everything on it is loaded. */
export async function goToStop(page: Page, origin: string, { path }: Stop): Promise<void> {
  await page.goto(`${origin}/console${path}`)
  await page.locator('h1, .state strong').first().waitFor({ timeout: limitMs })
  await loaded(page)
}

/** Several parts of a page may load at once. */
export async function loaded(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('#content')?.textContent !== '' &&
      document.querySelector('.state .mantine-Loader-root') === null,
    undefined,
    { timeout: limitMs },
  )
}

/** Opens each dialog of the page, calls back, and closes it. */
export async function eachDialog(page: Page, stop: Stop, visit: (name: string) => Promise<void>): Promise<void> {
  for (const [name, open] of Object.entries(stop.dialogs ?? {})) {
    await open(page)
    const opened = page.locator('dialog[open], [role="menu"]')
    await opened.first().waitFor({ timeout: limitMs })
    await loaded(page)
    await visit(`${stop.name}-${name}`)
    await page.keyboard.press('Escape')
    await opened.first().waitFor({ state: 'detached', timeout: limitMs })
  }
}
