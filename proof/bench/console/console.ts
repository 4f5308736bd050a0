/** How long people wait for the console: every page in Chromium, opened by its address and from another page. */
import { existsSync } from 'node:fs'
import { Client } from 'pg'
import { openBrowser } from '../../../apps/service/src/testing/network/browser.ts'
import { percentile } from '../../../apps/service/src/testing/percentile.ts'
import { operatorKey } from '../load/operator-key.ts'
import { startServiceProcess } from '../run/service-process.ts'
import { WrongUse } from '../subcommand.ts'

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof openBrowser>>['newPage']>>

export interface PageTimes {
  readonly page: string
  readonly address_p50_ms: number
  readonly address_p95_ms: number
  readonly other_p50_ms: number
  readonly other_p95_ms: number
}

/** In the order of the navigation; some show one row of the database. */
const paths: Readonly<Record<string, string>> = {
  today: '/',
  inbox: '/inbox',
  orders: '/orders',
  order: '/orders/:order',
  clients: '/clients',
  client: '/clients/:client',
  webhooks: '/webhooks',
  goods: '/goods',
  item: '/goods/:item',
  stocks: '/stocks',
  imports: '/imports',
  activity: '/activity',
  settings: '/settings',
}

export const pageNames = Object.keys(paths)

export function refuseUnknownPages(names: readonly string[]): void {
  const unknown = names.find((name) => !(name in paths))
  if (unknown !== undefined) throw new WrongUse(`There is no page '${unknown}'; there are ${pageNames.join(', ')}.`)
}

export async function measureConsole(
  url: string,
  { rounds, only }: { rounds: number; only: readonly string[] },
): Promise<PageTimes[]> {
  if (!existsSync(new URL('../../../apps/console/dist/index.html', import.meta.url)))
    throw new WrongUse('The console is not built: npm run build.')
  const key = await operatorKey(url)
  const ids = await someIds(url)
  await using opened = new AsyncDisposableStack()
  const service = await startServiceProcess(url)
  opened.defer(() => service.stop())
  const browser = await openBrowser()
  opened.defer(() => browser.close())
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-GB' })
  const signedIn = await context.request.post(`${service.address}/operator/v1/sessions/`, {
    headers: { authorization: key },
    data: {},
  })
  if (!signedIn.ok()) throw new Error(await signedIn.text())
  const page = await context.newPage()

  const results: PageTimes[] = []
  for (const name of only) {
    const path = (paths[name] ?? '').replace(/:(\w+)/, (_, kind: string) => String(ids[kind]))
    const byAddress: number[] = []
    const fromOther: number[] = []
    // The first round fills caches and is not counted.
    for (let round = 0; round <= rounds; round++) {
      const other = await openOther(page, service.address, path)
      const direct = await openByAddress(page, service.address, path)
      if (round === 0) continue
      fromOther.push(other)
      byAddress.push(direct)
    }
    results.push({
      page: name,
      address_p50_ms: Math.round(percentile(byAddress, 0.5)),
      address_p95_ms: Math.round(percentile(byAddress, 0.95)),
      other_p50_ms: Math.round(percentile(fromOther, 0.5)),
      other_p95_ms: Math.round(percentile(fromOther, 0.95)),
    })
  }
  return results
}

/** A row, a figure, or the sentence that there is nothing; an error is none of them. */
const firstRows = '#content tbody tr, #content .figure, #content .state:not([role]) strong'
const timeoutMs = 60_000

/** A string, since the pages' types are not known here; the policy of the page forbids Playwright's own waiting with one. */
const untilShown = `new Promise((resolve) => {
  const end = performance.now() + ${timeoutMs}
  const look = () => {
    if (document.querySelector('#content [role=alert]') !== null) resolve('an error is shown')
    else if (document.querySelector('${firstRows}') !== null) resolve(performance.now())
    else if (performance.now() > end) resolve('there are no rows')
    else requestAnimationFrame(look)
  }
  look()
})`

async function shownAt(page: Page): Promise<number> {
  const found = await page.evaluate(untilShown)
  if (typeof found !== 'number') throw new Error(`${page.url()}: ${String(found)}.`)
  return found
}

/** Milliseconds from the start of the navigation. */
async function openByAddress(page: Page, address: string, path: string): Promise<number> {
  await page.goto(`${address}/console${path}`, { waitUntil: 'commit' })
  return shownAt(page)
}

/** Milliseconds from leaving another page, of which nothing is reused but the program. */
async function openOther(page: Page, address: string, path: string): Promise<number> {
  await page.goto(`${address}/console/nowhere`)
  await page.waitForSelector('#content h1', { timeout: timeoutMs })
  const start = await page.evaluate(
    `{ const start = performance.now(); history.pushState(null, '', '/console${path}'); start }`,
  )
  return (await shownAt(page)) - Number(start)
}

async function someIds(url: string): Promise<Record<string, number>> {
  const session = new Client({ connectionString: url })
  await session.connect()
  const { rows } = await session.query<Record<string, number>>(
    `select (select max(order_id) from orders)::float8 as order, (select min(client_id) from clients)::float8 as client,
       (select min(item_id) from items)::float8 as item`,
  )
  await session.end()
  return rows[0] ?? {}
}
