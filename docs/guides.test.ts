/** Runs every guide for integrators against one demo, as a reader would, and checks what the guides say. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { blocksOf } from './testing/guide-blocks.ts'
import { runGuide, workingDirectory, type GuideRun } from './testing/run-guide.ts'
import { startDemo, type RunningDemo } from '../apps/service/src/commands/start-demo.ts'
import type { ItemChanges } from '../apps/service/src/catalogue/changes/list-item-changes.ts'
import { knownDemoKeys } from '../apps/service/src/demo/demo-keys.ts'
import { sitePages } from '../apps/docs/site-map.ts'
import { orderIncludes } from '../apps/service/src/orders/order-details.ts'
import { createTestDatabase } from '../apps/service/src/testing/database.ts'
import { documents } from '../apps/service/src/testing/documents.ts'
import { eventually } from '../apps/service/src/testing/process.ts'
import { signatureHeaders } from '../apps/service/src/webhooks/signature.ts'

const root = join(import.meta.dirname, '..')
const integrator = 'how-to/integrator'
const pages = [
  'tutorial/first-order.md',
  ...readdirSync(join(import.meta.dirname, integrator)).map((file) => `${integrator}/${file}`),
  'how-to/operator/connect-an-erp.md',
  'how-to/engineer/extend.md',
]

const opened = new AsyncDisposableStack()
let demo: RunningDemo

before(async () => {
  const database = await createTestDatabase()
  opened.defer(() => database.drop())
  const environment = { DATABASE_URL: database.url, PORT: '0', WEBHOOK_LEASE_MS: '2000', RATE_LIMIT: 'on' }
  demo = await startDemo(environment, { fresh: false, say: () => undefined }, opened)
})
after(() => opened.disposeAsync())

const ran = new Set<string>()
const hasJava = spawnSync('which', ['java']).status === 0
const hasPhp = spawnSync('which', ['php']).status === 0

/** A test that runs a guide and checks what is special about it. */
function guide(page: string, guarantee: string, check: (run: GuideRun) => void | Promise<void>): void {
  ran.add(page)
  test(`${page}: ${guarantee}`, { timeout: 300_000 }, async (t) => {
    await using run = await runGuide(page, demo, (text) => t.diagnostic(text))
    await check(run)
  })
}

async function read<T>(path: string): Promise<T> {
  const response = await fetch(`${demo.baseUrl}/api/v1/${path}`, { headers: { authorization: knownDemoKeys.client_a } })
  return ((await response.json()) as { data: T }).data
}

const fileOf = ({ directory }: GuideRun, name: string): string => readFileSync(join(directory, name), 'utf8')
const linesOf = (run: GuideRun, name: string): string[] => fileOf(run, name).split('\n').filter(Boolean)

interface ShownOrder {
  readonly order_id: number
  readonly order_state_id: string
  readonly order_history: unknown[]
  readonly order_total: number
  readonly order_tax: number
  readonly [detail: string]: unknown
}

guide(
  'tutorial/first-order.md',
  'one order is placed and cancelled, and each language places one more',
  async (run) => {
    assert.match(run.printed[4] ?? '', /^\{"status":"fail","errors":\[\{"code":"cart_group_changed"/)
    const [placed, again] = [run.dataOf<object>(6), run.dataOf<object>(7)]
    assert.deepEqual(again, placed)
    const order = run.dataOf<ShownOrder>(8)
    assert.deepEqual([order.order_state_id, order.order_history.length], ['new', 1])
    assert.deepEqual(
      [9, 10].map((block) => run.dataOf<ShownOrder>(block).order_state_id),
      ['zayavka-na-otmen', 'canceled'],
    )
    const mine = run
      .dataOf<{ event_type: string; order_id: number }[]>(11)
      .filter((one) => one.order_id === order.order_id)
    assert.deepEqual(
      mine.map(({ event_type }) => event_type),
      ['order.created', 'order.state_changed', 'order.state_changed'],
    )
    for (const printed of run.printed.slice(12)) if (printed !== '') assert.match(printed, /^Order \d+: 42\.7 new\n$/)
  },
)

guide(`${integrator}/find-goods.md`, 'goods are found in every way that it shows', (run) => {
  const ids = (block: number): number[] => run.dataOf<{ item_id: number }[]>(block).map(({ item_id }) => item_id)
  assert.deepEqual(ids(1)[0], 1)
  assert.deepEqual(ids(2), [1, 2])
  assert.match(run.printed[3] ?? '', /"item_id":1,.*"data":\[\]\}.*"brand_id":1,"brand_name":"Arvenko"/s)
  assert.match(
    run.printed[5] ?? '',
    /"price":3\.14,.*\{"quantity":100,"price":2\.83\},\{"quantity":500,"price":2\.51\}/s,
  )
  assert.match(run.printed[6] ?? '', /"quantity":22,"next_quantity":25,"quantity_min":20,"quantity_multiple":5/)
  assert.match(run.printed[7] ?? '', /"promise":\{"quantity":50,.*"earliest_shipping_date":"\d{4}-\d\d-\d\d"/)
  assert.match(run.printed[8] ?? '', /"replaced_by":null,"substitutes":\[\]/)
  assert.match(run.printed[9] ?? '', /^88 items .*\n\[ 'av10001: 21\.35' \]\n$/)
  for (const name of ['prices.csv', ...(hasPhp ? ['prices-php.csv'] : [])])
    assert.deepEqual([linesOf(run, name).length, linesOf(run, name)[0]?.trim()], [101, 'article,title,price,available'])
})

guide(`${integrator}/order-many-lines.md`, 'its commands and programs look up, add and repeat what it says', (run) => {
  interface Row {
    readonly row: number
    readonly outcome: string
    readonly item?: { readonly item_id: number }
    readonly errors?: readonly { readonly message: string }[]
    readonly merged_into?: number
    readonly changes?: readonly string[]
  }
  interface Bulk {
    readonly rows_added: number
    readonly rows_refused: number
    readonly ignored_columns: readonly string[]
    readonly rows: readonly Row[]
  }
  const dryRun = run.dataOf<Bulk>(2)
  assert.deepEqual([dryRun.rows_added, dryRun.rows_refused, dryRun.ignored_columns], [0, 1, ['Bezeichnung']])
  assert.deepEqual(
    dryRun.rows.map(({ row, outcome, item }) => [row, outcome, item?.item_id]),
    [
      [2, 'possible', 1],
      [3, 'possible', 2],
      [4, 'refused', undefined],
    ],
  )
  assert.equal(dryRun.rows[2]?.errors?.[0]?.message, "No item has the article 'AV-1000'.")
  const [cart] = run.dataOf<{ cart_items: { quantity: number }[] }[]>(3)
  assert.deepEqual(
    cart?.cart_items.map(({ quantity }) => quantity),
    [3, 4],
  )
  assert.deepEqual(
    run.dataOf<{ item_id: number }[]>(4).map(({ item_id }) => item_id),
    [1, 2, 3, 4, 5],
  )
  const again = run.dataOf<Bulk>(5)
  assert.deepEqual([again.rows_added, again.rows[0]?.changes], [2, []])
  assert.match(
    run.printed[6] ?? '',
    /^Line 4: No item has the article 'AV-1000'\.\n2 lines for 193\.02 EUR\nOrder \d+\n$/,
  )
  assert.deepEqual((run.printed[7] ?? '').split('\n').slice(0, 2), ['1 added 21.35', '2 added 37.58'])
  if (hasPhp)
    assert.equal(run.printed[8], "2 added 21.35\n3 added 37.58\n4 refused No item has the article 'AV-1000'.\n")
  if (hasJava) assert.equal(run.printed[9], '2 rows added, 1 refused\n')
})

guide(`${integrator}/show-totals.md`, 'the totals are those that it shows, and the order has them', async (run) => {
  const [totals = '', availability = ''] = blocksOf(run.page).filter(({ language }) => language === 'json').map(({ code }) => code) // prettier-ignore
  interface Group {
    readonly cart_items: readonly { readonly availability: object }[]
    readonly totals: { readonly refusals: readonly string[] }
  }
  const { now } = await read<{ now: string }>('service/')
  const [group] = run.dataOf<Group[]>(2)
  assert.deepEqual(group?.totals, { ...JSON.parse(totals), earliest_shipping_date: now.slice(0, 10) })
  const [refused] = run.dataOf<Group[]>(3)
  assert.deepEqual(refused?.cart_items[0]?.availability, JSON.parse(availability))
  assert.deepEqual(refused?.totals.refusals, ['contract_limit_exceeded'])
  for (const code of ['contract_limit_exceeded', 'out_of_stock'])
    assert.match(run.page, new RegExp(`^\\| \`${code}\``, 'm'))
  const order = await read<ShownOrder>(`orders/${run.dataOf<{ created_order_id: number }>(4).created_order_id}/`)
  assert.deepEqual([order.order_total, order.order_tax], [96.09, 15.34])
})

guide(`${integrator}/read-orders.md`, 'an order with a reference is placed and read in full', (run) => {
  const { created_order_id } = run.dataOf<{ created_order_id: number }>(2)
  const [found] = run.dataOf<ShownOrder[]>(3)
  assert.deepEqual([found?.order_id, found?.['reference']], [created_order_id, 'PO-2026-0817'])
  const [byPair] = run.dataOf<ShownOrder[]>(4)
  const metadata = { job: '2026-118', machine: 'TGX 18.480' }
  assert.deepEqual([byPair?.order_id, byPair?.['metadata']], [created_order_id, metadata])
  const { address, items, reference, comment, actions } = run.dataOf<{
    address: { street: string }
    items: { order_item_open: number }[]
    reference: string
    comment: string
    actions: { cancel: { allowed: boolean } }
  }>(5)
  assert.deepEqual(
    [address.street, reference, comment, items[0]?.order_item_open, actions.cancel.allowed],
    ['Invalidenstraße', 'PO-2026-0817', 'Please call before delivery.', 3, true],
  )
  const [listed] = run.dataOf<ShownOrder[]>(6)
  assert.deepEqual([listed?.['address'], listed?.['items']], [address, items])
  for (const word of orderIncludes) assert(run.page.includes(`\n| \`${word}\` |`), word)
})

guide(
  `${integrator}/change-orders.md`,
  'a change is requested, shown and withdrawn, a rejected cancellation changes nothing, and a return is accepted',
  (run) => {
    assert.equal(run.dataOf<{ adjustment_status: string }>(2).adjustment_status, 'WAIT')
    const [listed] = run.dataOf<{ request: { requested_quantity: number; reason: string } }[]>(3)
    assert.deepEqual([listed?.request.requested_quantity, listed?.request.reason], [2, 'One was ordered twice.'])
    const withdrawn = run.dataOf<{ adjustment_canceled_message: string }>(4)
    assert.equal(withdrawn.adjustment_canceled_message, 'Withdrawn by the client.')
    const { actions } = run.dataOf<{ actions: { reschedule: { latest_date: string } } }>(1)
    const rescheduled = run.dataOf<{ order_shipping_datetime: string }>(5)
    assert.equal(rescheduled.order_shipping_datetime, `${actions.reschedule.latest_date} 00:00:00`)
    assert.equal(run.dataOf<ShownOrder>(6).order_state_id, 'zayavka-na-otmen')
    assert.equal(run.dataOf<ShownOrder>(7).order_state_id, 'new')
    assert.equal(run.dataOf<{ request_status: string }>(8).request_status, 'WAIT')
    const { return_requests } = run.dataOf<{ return_requests: { request_status: string; instruction: string }[] }>(9)
    assert.deepEqual(return_requests.map(({ request_status, instruction }) => [request_status, instruction]).at(-1), [
      'ACCEPTED',
      'Send it to our Berlin stock.',
    ])
    assert.match(run.printed[10] ?? '', /^Line 20044: WAIT\nLine 20045: WAIT\n$/)
  },
)

guide(
  `${integrator}/handle-errors.md`,
  'the programs explain what was refused, and every refusal of an order is in the table',
  (run) => {
    assert.match(run.printed[2] ?? '', /^Only \d+ of 900000 are available\.\n404 order_not_found true\n$/)
    assert.match(run.printed[3] ?? '', /^Only \d+ of 900000 are available\.\n$/)
    if (hasPhp) assert.equal(run.printed[4], run.printed[3])
    if (hasJava) assert.equal(run.printed[5], run.printed[3])
    const { responses } = documents.client.paths['/api/v1/orders/']?.['put'] ?? assert.fail()
    const codes = Object.values(responses).flatMap(({ content }) =>
      Object.keys(content?.['application/json']?.examples ?? {}),
    )
    assert(codes.length > 10)
    for (const code of codes) assert.match(run.page, new RegExp(`^\\|.*\`${code}\``, 'm'))
  },
)

guide(`${integrator}/retries-and-limits.md`, 'a repeated request is carried out once', async (run) => {
  const [cart] = await read<{ cart_items: { quantity: number }[] }[]>(`carts/${run.dataOf<{ cart_id: number }>(1).cart_id}/items/`) // prettier-ignore
  assert.deepEqual(
    cart?.cart_items.map(({ quantity }) => quantity),
    [4],
  )
  const [first, second] = (run.printed[2] ?? '').split(/(?<=\})(?=\{"status")/)
  assert.equal(first, second)
  const carts = (run.printed[3] ?? '').trim().split('\n')
  assert.deepEqual([carts.length, carts[0]], [2, carts[1]])
  const { headers } = await fetch(`${demo.baseUrl}/api/v1/carts/`, {
    headers: { authorization: knownDemoKeys.client_b },
  })
  for (const title of ['RateLimit-Policy', 'RateLimit'])
    assert(run.page.includes(`${title}: ${headers.get(title)} `), `${title}: ${headers.get(title)}`)
})

guide(
  `${integrator}/http.md`,
  'a form and JSON are the same, the tag of a lookup gives 304, and a compressed response is the same as the plain one',
  async (run) => {
    const [form, json] = (run.printed[1] ?? '').split(/(?<=\})(?=\{"status")/)
    const withoutId = (text = ''): string => text.replace(/"cart_id":\d+/, '')
    assert.equal(withoutId(form), withoutId(json))
    assert.equal(run.printed[2], '304\n')
    const textOf = async (path: string): Promise<string> =>
      (await fetch(`${demo.baseUrl}/api/v1/${path}`, { headers: { authorization: knownDemoKeys.client_a } })).text()
    assert.equal(fileOf(run, 'stocks.json'), await textOf('stocks/'))
    assert.equal(run.printed[3], await textOf('regions/'))
  },
)

guide(`${integrator}/keys.md`, 'a client lists its keys and revokes one of them by its id', async (run) => {
  const revoked = run.dataOf<{ key_id: number; revoked_at: string | null }>(1)
  assert.deepEqual([revoked.key_id, revoked.revoked_at === null], [17, false])
  const keys = await read<{ key_id: number; current: boolean; revoked_at: string | null }[]>('keys/')
  assert.deepEqual(
    keys.map(({ key_id, current, revoked_at }) => [key_id, current, revoked_at === null]),
    [
      [1, true, true],
      [17, false, false],
    ],
  )
})

guide(
  `${integrator}/keep-a-copy.md`,
  'both programs copy every item, and the file has a line for each',
  async (run) => {
    const { items, replaces } = await read<ItemChanges>('items/changes/?limit=500')
    assert.equal(replaces?.first_item_id, 1)
    const copied = (file: string): unknown[] => {
      const copy = new DatabaseSync(join(run.directory, file), { timeout: 5_000 })
      const rows = copy.prepare('select item from items order by item_id').all()
      copy.close()
      return rows.map(({ item }) => JSON.parse(String(item)) as unknown)
    }
    for (const [printed, file] of [
      ['copied.txt', 'items.db'],
      ['copied-python.txt', 'items-python.db'],
    ] as const) {
      await eventually(async () => linesOf(run, printed).length > 0)
      await eventually(async () => isDeepStrictEqual(copied(file).slice(0, items.length), items))
    }
    await eventually(async () => copied('items.db').length === linesOf(run, 'prices.csv').length - 1)
  },
)

guide(
  `${integrator}/react-to-changes.md`,
  'every program prints every event once, and those in TypeScript and Python continue where they stopped',
  async (run) => {
    const numbers = (block: number): number[] =>
      run.dataOf<{ event_number: number }[]>(block).map(({ event_number }) => event_number)
    assert.deepEqual(numbers(1), [1, 2])
    assert.equal(numbers(2)[0], 3)
    assert.deepEqual(numbers(3)[0], 3)
    const events =
      await read<{ event_number: number; event_type: string; order_id: number | null }[]>('events/?limit=500')
    const expected = events.map(
      ({ event_number, event_type, order_id }) => `${event_number} ${event_type} ${order_id ?? ''}`,
    )
    for (const name of ['followed.txt', 'followed-python.txt', ...(hasPhp ? ['followed-php.txt'] : [])]) {
      await eventually(async () => linesOf(run, name).length >= expected.length)
      assert.deepEqual(linesOf(run, name), expected)
    }
    if (hasJava) {
      const inJava = events.map(({ event_number }) => `Event ${event_number}`)
      await eventually(async () => linesOf(run, 'followed-java.txt').length >= inJava.length)
      assert.deepEqual(linesOf(run, 'followed-java.txt'), inJava)
    }
    await eventually(async () => fileOf(run, 'last-event') === String(expected.length))
    await eventually(async () => fileOf(run, 'last-event-python') === String(expected.length))
    for (const command of [
      ['node', 'follow.ts'],
      ['python3', 'follow.py'],
    ] as const) {
      const { event_number = 0 } = (await read<{ event_number: number }[]>('events/?limit=500')).at(-1) ?? {}
      for (const name of ['last-event', 'last-event-python'])
        await eventually(async () => fileOf(run, name) === String(event_number))
      await continues(run, command)
    }
  },
)

/** A second run, in a copy of the directory, because the first one goes on: it prints only what happens from now on. */
async function continues({ directory }: GuideRun, [program, file]: readonly [string, string]): Promise<void> {
  const env = { ...process.env, URL: demo.baseUrl, KEY: knownDemoKeys.client_a }
  const copy = workingDirectory()
  for (const name of ['follow.ts', 'follow.py', 'last-event', 'last-event-python'])
    copyFileSync(join(directory, name), join(copy, name))
  const child = spawn(program, [file], { cwd: copy, env, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  try {
    const response = await fetch(`${demo.baseUrl}/api/v1/webhooks/`, {
      method: 'PUT',
      headers: { authorization: knownDemoKeys.client_a },
      body: new URLSearchParams({ url: 'http://127.0.0.1:1024/', event_types: 'contract.created' }),
    })
    assert.equal(response.status, 200)
    await eventually(async () => printed.includes('\n'))
    assert.match(printed, /^\d+ webhook\.created \n$/)
  } finally {
    child.kill()
    rmSync(copy, { recursive: true })
  }
}

guide(`${integrator}/migrate-from-polling.md`, 'the copy gets every later change', async (run) => {
  await eventually(async () => fileOf(run, 'mirror.txt').includes('Copied all orders'))
  const send = (path: string, method: string, authorization: string): Promise<Response> =>
    fetch(demo.baseUrl + path, { method, headers: { authorization } })
  const accepted = await send('/operator/v1/orders/5013/cancellation/accept/', 'POST', knownDemoKeys.operator)
  assert.equal(accepted.status, 200)
  await eventually(async () => /^\d+ order\.state_changed 5013 canceled$/m.test(fileOf(run, 'mirror.txt')))
})

guide(`${integrator}/go-live.md`, 'the check finds nothing wrong in the demo', (run) => {
  assert.equal(run.printed[2], 'All is well.\n')
})

guide(
  `${integrator}/webhooks.md`,
  'every receiver accepts genuine messages only, once, and gets what happens',
  async (run) => {
    const { secret } = run.dataOf<{ secret: string }>(1)
    await eventually(async () => fileOf(run, 'received.txt').includes('order.created '))
    const receivers = { 8088: 'received.txt', 8089: 'received-python.txt', ...(hasPhp && { 8090: 'received-php.txt' }), ...(hasJava && { 8091: 'received-java.txt' }) } // prettier-ignore
    for (const [port, file] of Object.entries(receivers))
      await sendForged(`http://127.0.0.1:${run.ports[port]}/`, secret, run, file)
  },
)

/** A changed byte, an old timestamp and a foreign secret are refused. PHP keeps nothing between requests. */
async function sendForged(url: string, secret: string, run: GuideRun, file: string): Promise<void> {
  const body = '{"type":"webhook.proof","timestamp":"2026-11-16T09:00:00Z","data":{}}'
  const now = Math.floor(Date.now() / 1000)
  const post = async (headers: Record<string, string>, sent = body): Promise<number> =>
    (await fetch(url, { method: 'POST', headers, body: sent })).status
  const sign = (of: Partial<{ id: string; timestamp: number; secrets: string[] }> = {}): Record<string, string> =>
    signatureHeaders(of.secrets ?? [secret], { id: of.id ?? 'evt_1_1', timestamp: of.timestamp ?? now, body })
  const foreign = `whsec_${Buffer.alloc(24, 8).toString('base64')}`
  await eventually(async () => (await post({}).catch(() => 0)) !== 0)
  const refused = [
    await post(sign({ secrets: [foreign] })),
    await post(sign({ timestamp: now - 3_600 })),
    await post(sign({ timestamp: now + 3_600 })),
    await post(sign(), body.replace('p', 'q')),
    await post({ ...sign(), 'webhook-id': 'evt_1_2' }),
    await post({}),
  ]
  assert.deepEqual(refused, [401, 401, 401, 401, 401, 401], file)
  assert.equal(await post(sign()), 204, file)
  assert.equal(await post(sign()), 204, file) // A duplicate is accepted and not handled twice.
  assert.equal(await post(sign({ id: 'evt_1_3', secrets: [foreign, secret] })), 204, file)
  const handled = (): number => linesOf(run, file).filter((line) => line.includes('webhook.proof')).length
  const expected = file.includes('php') ? 3 : 2
  await eventually(async () => handled() >= expected)
  assert.equal(handled(), expected, file)
}

guide(
  'how-to/operator/connect-an-erp.md',
  'the receiver stores the whole feed, each event once, and refuses forged messages',
  async (run) => {
    const { secret } = run.dataOf<{ secret: string }>(1)
    const stored = (sql: string): unknown[] => {
      const db = new DatabaseSync(join(run.directory, 'erp.db'), { readOnly: true, timeout: 5_000 })
      try {
        return db.prepare(sql).all()
      } finally {
        db.close()
      }
    }
    const body = '{"type":"events","timestamp":"2026-11-16T09:00:00Z","data":{"events":[],"next_cursor":"x"}}'
    const forged = signatureHeaders([`whsec_${Buffer.alloc(24, 8).toString('base64')}`], {
      id: 'feed_1_1',
      timestamp: Math.floor(Date.now() / 1000),
      body,
    })
    const url = `http://127.0.0.1:${run.ports['8088']}/`
    assert.equal((await fetch(url, { method: 'POST', headers: forged, body })).status, 401)
    const feed = await ofOperator<{ events: { client_id: number; event_number: number }[]; next_cursor: string }>('events/?limit=500') // prettier-ignore
    const names = feed.events.map(({ client_id, event_number }) => `${client_id}/${event_number}`)
    assert(names.length > 5 && secret.startsWith('whsec_'))
    await eventually(async () => {
      const rows = stored(`select client_id || '/' || event_number as name from events`) as { name: string }[]
      const known = new Set(rows.map(({ name }) => name))
      return names.slice(1).every((name) => known.has(name)) // The page begins after the oldest event.
    })
  },
)

guide(
  'how-to/engineer/extend.md',
  'a large order is held, a shipped one has its tracking link, and the prices of the file apply',
  async (run) => {
    const idIn = (name: string): number =>
      (JSON.parse(fileOf(run, name)) as { data: { created_order_id: number } }).data.created_order_id
    const [large, small] = [idIn('large.json'), idIn('small.json')]
    await eventually(async () => fileOf(run, 'held.txt') === `held ${large}: 213.5\n`)
    await eventually(async () => fileOf(run, 'noted.txt') === `ready\nnoted ${small}\n`)
    interface Shown {
      readonly hold_reason: string | null
      readonly order_history: readonly { readonly text: string }[]
    }
    assert.equal(
      (await ofOperator<Shown>(`orders/${large}/`)).hold_reason,
      'We check orders of this size and call you.',
    )
    const [{ text } = { text: '' }] = (await ofOperator<Shown>(`orders/${small}/`)).order_history
    assert.match(text, /^Your parcel: https:\/\/www\.dhl\.de\/.*=00340434161094015902$/)
    assert.equal(fileOf(run, 'prices.txt'), 'done: 2 rows, 2 changed, 0 refused\n')
  },
)

async function ofOperator<T>(path: string): Promise<T> {
  const headers = { authorization: knownDemoKeys.operator }
  return ((await (await fetch(`${demo.baseUrl}/operator/v1/${path}`, { headers })).json()) as { data: T }).data
}

test('every guide for integrators is run here, is on the site, and names operations of it', () => {
  assert.deepEqual([...ran].toSorted(), pages.toSorted())
  const paths = [documents.client, documents.operator].flatMap((document) => Object.values(document.paths))
  const operations = new Set(paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId)))
  for (const page of pages) {
    assert(
      sitePages.some(({ from }) => from === `docs/${page}`),
      `${page} is on the site`,
    )
    const [, named = ''] =
      /^In the API reference: (.*)$/m.exec(readFileSync(join(import.meta.dirname, page), 'utf8')) ?? []
    const names = [...named.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
    assert(names.length > 0, page)
    assert.deepEqual(
      names.filter((name) => !operations.has(name)),
      [],
      page,
    )
  }
})

test('the TypeScript of the guides compiles as strictly as the service', () => {
  const directory = workingDirectory()
  try {
    for (const page of pages)
      for (const { file, language, code } of blocksOf(readFileSync(join(import.meta.dirname, page), 'utf8')))
        if (language === 'ts') writeFileSync(join(directory, file ?? ''), code)
    writeFileSync(
      join(directory, 'tsconfig.json'),
      JSON.stringify({ extends: join(root, 'tsconfig.json'), include: ['*.ts'] }),
    )
    const compiler = join(root, 'node_modules', '.bin', 'tsc')
    const { status, stdout } = spawnSync(compiler, ['--noEmit', '-p', directory], { encoding: 'utf8' })
    assert.equal(status, 0, stdout)
  } finally {
    rmSync(directory, { recursive: true })
  }
})
