/** How long people wait for the console: every page in Chromium, opened by its address and from another page. */
import { existsSync } from 'node:fs'
import { openBrowser } from '../../../apps/service/src/testing/network/browser.ts'
import { percentile } from '../../../apps/service/src/testing/percentile.ts'
import { inSession } from '../load/databases.ts'
import { operatorKey } from '../load/operator-key.ts'
import { databaseOptions, prepareDatabase } from '../run/prepare.ts'
import { startServiceProcess } from '../run/service-process.ts'
import { integer, names, workload, WrongUse } from '../workload.ts'

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

export default workload({
  options: {
    ...databaseOptions,
    only: names('open only these pages (default: all)'),
    rounds: integer(20, 'how often each page is opened in each way', 1_000),
  },
  notes: [
    'Opens each page by its address and from another page, in turns, and prints p50 and p95 of the time until its first rows are in the page.',
    'Needs Chromium (CHROMIUM names the program) and a built console: npm run build. Takes about 3 minutes, plus loading.',
  ],
  examples: ['console --rounds 5 --only inbox,orders', 'console --database parts_bench_10k --json'],
  run: async ({ only = pageNames, rounds, ...database }, { show }) => {
    refuseUnknownPages(only)
    const results = await measureConsole(await prepareDatabase(database), { rounds, only })
    const line = (...[page, ...cells]: (string | number)[]): void =>
      show(`${String(page).padEnd(10)}${cells.map((cell) => String(cell).padStart(14)).join('')}\n`)
    line('page', 'address p50', 'address p95', 'other p50', 'other p95')
    for (const one of results) line(...Object.values(one))
    show(`Milliseconds, ${rounds} rounds.\n`)
    return { results }
  },
})

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
    for (let round = 0; round <= rounds; round++) {
      fromOther.push(await openOther(page, service.address, path))
      byAddress.push(await openByAddress(page, service.address, path))
    }
    // The first round fills caches and is not counted.
    const ms = (times: number[], part: number): number => Math.round(percentile(times.slice(1), part))
    const address = { address_p50_ms: ms(byAddress, 0.5), address_p95_ms: ms(byAddress, 0.95) }
    results.push({ page: name, ...address, other_p50_ms: ms(fromOther, 0.5), other_p95_ms: ms(fromOther, 0.95) })
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

const someIds = (url: string): Promise<Record<string, number>> =>
  inSession(url, async (session) => {
    const { rows } = await session.query<Record<string, number>>(
      `select (select max(order_id) from orders)::float8 as order, (select min(client_id) from clients)::float8 as client,
         (select min(item_id) from items)::float8 as item`,
    )
    return rows[0] ?? {}
  })
