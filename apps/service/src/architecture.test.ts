/** The rules of imports and of statements that no compiler checks. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from './app.ts'
import { readConfig } from './config.ts'

const src = import.meta.dirname
const root = join(src, '../../..')

/**
 * The folders from bottom to top: each imports only from those before it. Above them are the folders that start and wire
 * the service: `commands`, `demo` and the root.
 */
const layers = [
  'migrations',
  'telemetry',
  'vocabulary',
  'input',
  'functions',
  'identity',
  'retries',
  'http',
  'keys',
  'sessions',
  'clients',
  'stock',
  'catalogue',
  'imports',
  'carts',
  'orders',
  'metadata',
  'desk',
  'events',
  'webhooks',
  'invariants',
  'about',
  'restore',
  'readiness',
  'worker',
  'reference',
  'console',
]
const wiring = ['commands', 'demo', '.']

/** Folders with operations: state changes and queries that know nothing about HTTP. */
const features = layers.slice(layers.indexOf('http') + 1, layers.indexOf('worker'))

interface Import {
  readonly from: string
  readonly to: string
}

const files = globSync('**/*.ts', { cwd: src })
const imports: Import[] = files.flatMap((from) =>
  importsOf(readFileSync(join(src, from), 'utf8'))
    .filter((to) => to.startsWith('.') && to.endsWith('.ts'))
    .map((to) => ({ from, to: relative(src, join(src, dirname(from), to)) })),
)
const folderOf = (file: string): string => dirname(file).split('/')[0] ?? '.'
const isTest = (file: string): boolean =>
  /\.(test|campaign|cases)\.ts$/.test(file) || folderOf(file) === 'testing' || file === 'route-cases.ts'

/** Everything that a file imports, types included. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, to = '']) => to)
}

test('imports point one way: a folder knows only those below it', () => {
  assert(imports.length > 100)
  const wrong = imports.filter(({ from, to }) => {
    const [folder, target] = [folderOf(from), folderOf(to)]
    if (isTest(from) || folder === target || wiring.includes(folder)) return false
    return layers.indexOf(target) === -1 || layers.indexOf(target) > layers.indexOf(folder)
  })
  assert.deepEqual(wrong, [])
  assert.deepEqual(
    new Set(files.filter((file) => !isTest(file)).map(folderOf)),
    new Set([...layers, ...wiring]),
    'Every folder has its place.',
  )
})

test('inside a feature, rooms form no circle; its routes and feature.ts stand above them', () => {
  const isAbove = (file: string): boolean => /(routes|feature)\.ts$/.test(file)
  const rooms = new Map<string, string[]>()
  for (const { from, to } of imports.filter((one) => !isTest(one.from) && !isAbove(one.from)))
    if (folderOf(from) === folderOf(to) && dirname(from) !== dirname(to))
      rooms.set(dirname(from), [...(rooms.get(dirname(from)) ?? []), dirname(to)])
  assert(rooms.size > 10)
  assert.deepEqual(circlesOf(rooms), [])
})

test('a folder has at most 30 files', () => {
  const counts = new Map<string, number>()
  for (const file of execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n'))
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  assert(counts.size > 50)
  assert.deepEqual(
    [...counts].filter(([folder, count]) => count > 30 && folder !== 'apps/service/migrations'), // They are numbered.
    [],
  )
})

test('operations import nothing from http/', () => {
  assert.deepEqual(
    imports.filter(
      ({ from, to }) =>
        features.includes(folderOf(from)) &&
        !isTest(from) &&
        !/(routes|feature)\.ts$/.test(from) &&
        folderOf(to) === 'http',
    ),
    [],
  )
})

test('no import circles in the repository, type imports included', () => {
  const all = globSync('{apps,packages,proof,docs}/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('node_modules'),
  )
  const known = new Set(all)
  const graph = new Map(
    all.map((from) => [
      from,
      importsOf(readFileSync(join(root, from), 'utf8'))
        .map((to) =>
          to.startsWith('.') ? join(dirname(from), to) : to.replace(/^pg-statements\//, 'packages/pg-statements/src/'),
        )
        .filter((to) => known.has(to)),
    ]),
  )
  assert(graph.size > 200)
  assert.deepEqual(circlesOf(graph), [])
})

test('the other apps and the packages import packages and their own files, types included', () => {
  const isForTests = /\.(test|campaign|timing)\.ts$|\/(tests|testing)\/|\/testing\.ts$/
  const wrong = globSync('{apps,packages}/*/**/*.{js,ts,tsx}', { cwd: root })
    .filter((file) => !/^apps\/service\/|\/node_modules\/|\/dist\//.test(file) && !isForTests.test(file))
    .flatMap((from) => importsOf(readFileSync(join(root, from), 'utf8')).map((to) => ({ from, to })))
    .filter(({ from, to }) => {
      if (!to.startsWith('.')) return to.startsWith('@parts-ordering/service')
      const [apps, app] = from.split('/')
      return !join(dirname(from), to).startsWith(`${apps}/${app}/`)
    })
  assert.deepEqual(wrong, [])
})

/** The strongly connected components of several files, by Tarjan's algorithm, and files that import themselves. */
function circlesOf(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = []
  const index = new Map<string, number>()
  const stack: string[] = []
  const onStack = new Set<string>()
  const visit = (file: string): number => {
    const number = index.size
    let lowest = number
    index.set(file, number)
    stack.push(file)
    onStack.add(file)
    for (const next of graph.get(file) ?? []) {
      if (!index.has(next)) lowest = Math.min(lowest, visit(next))
      else if (onStack.has(next)) lowest = Math.min(lowest, index.get(next) ?? number)
    }
    if (lowest === number) {
      const component = stack.splice(stack.indexOf(file))
      for (const member of component) onStack.delete(member)
      if (component.length > 1 || graph.get(file)?.includes(file) === true) circles.push(component)
    }
    return lowest
  }
  for (const file of graph.keys()) if (!index.has(file)) visit(file)
  return circles
}

test('circles are found: of two files, of three files, and of one file with itself', () => {
  const graph = (edges: Record<string, string[]>) => new Map(Object.entries(edges))
  assert.deepEqual(circlesOf(graph({ a: ['b', 'c'], b: ['c'], c: [] })), [])
  assert.deepEqual(circlesOf(graph({ a: ['b'], b: ['c'], c: ['b'] })), [['b', 'c']])
  assert.deepEqual(circlesOf(graph({ a: ['b'], b: ['c'], c: ['a', 'd'], d: ['d'] })), [['d'], ['a', 'b', 'c']])
})

test("nothing but a feature's feature.ts, and routes beside them, import its routes, and nothing but app.ts a feature.ts", () => {
  assert.deepEqual(
    imports.filter(
      ({ from, to }) =>
        features.includes(folderOf(to)) &&
        ((to.endsWith('routes.ts') && from !== `${folderOf(to)}/feature.ts` && dirname(from) !== dirname(to)) ||
          (to.endsWith('/feature.ts') && from !== 'app.ts')),
    ),
    [],
  )
})

test('every path that is served is written out in the routes of its feature', () => {
  const parts = { config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts
  const text = files
    .filter((file) => file.endsWith('routes.ts'))
    .map((file) => readFileSync(join(src, file), 'utf8'))
    .join('')
  const paths = [...clientSideRoutes(parts), ...operatorSideRoutes(parts)].map(({ path }) => path)
  assert(paths.length > 100)
  assert.deepEqual(
    paths.filter((path) => !text.includes(`'${path}'`)),
    [],
  )
})

test('only config.ts reads the environment, except where a command passes it on', () => {
  const readers = files.filter(
    (file) => file !== 'main.ts' && !isTest(file) && readFileSync(join(src, file), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers, ['demo/run-as.ts']) // Passes it on to PostgreSQL and reads nothing from it.
})

test('every test that runs longer with TEST_LONG=1 is run by npm run test:long', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const patterns = [...(scripts['test:long'] ?? '').matchAll(/'([^']+)'/g)].map(([, pattern = '']) => pattern)
  const run = globSync(patterns, { cwd: root })
  const longer = files
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) =>
      /import \{[^}]*\b(?:rounds|long|onlyLong)\b[^}]*\} from '[^']*testing\/racing\.ts'/.test(
        readFileSync(join(src, file), 'utf8'),
      ),
    )
  assert(longer.length > 5)
  assert.deepEqual(
    longer.filter((file) => !run.includes(join('apps/service/src', file))),
    [],
  )
  const campaigns = globSync('{apps,packages,proof,deploy,docs}/**/*.campaign.ts', {
    cwd: root,
  })
  assert.deepEqual(
    campaigns.filter((file) => !run.includes(file)),
    [],
  )
})

test('only commands open databases', () => {
  const opens = (call: string): string[] =>
    files
      .filter((file) => !/^testing\/|^open-database\.ts$|\.(test|campaign)\.ts$/.test(file)) // It defines the call.
      .filter((file) => readFileSync(join(src, file), 'utf8').includes(call))
      .toSorted()
  const [others, commands] = [false, true].map((wanted) =>
    opens('openDatabase(').filter((file) => file.startsWith('commands/') === wanted),
  )
  assert.deepEqual(others, [])
  assert(commands?.includes('commands/api.ts'))
  assert.deepEqual(opens('new pg.'), [
    'commands/after-restore.ts', // As migrate.ts.
    'demo/claim-database.ts', // Holds the lock of the demo as long as it runs.
    'migrate.ts', // Runs statements that are not part of the service, on a connection of their own.
  ])
})

test('every statement names the client in its where, or is listed here with its reason', () => {
  const without = [...sqlFiles(), ...shortStatements()].filter(
    ({ name, sql }) => !name.endsWith('.part.sql') && !/:client_id|\bclient bigint/.test(sql), // A function takes it as an argument.
  )
  assert.deepEqual(without.map(({ name }) => name).toSorted(), Object.values(withoutClient).flat().toSorted())
})

test('a statement stands in its operation if it has at most four lines, and in a file if it has more', () => {
  const lineCount = (sql: string): number => sql.split('\n').filter((line) => !/^(--|$)/.test(line)).length
  const isStatement = (name: string): boolean => !/_|\.part\.sql$|^restore\//.test(name) // No function, part or file of migrate.
  const short = sqlFiles().filter(
    ({ name, sql }) => isStatement(name) && lineCount(sql) <= 4 && !sql.includes('-- include'),
  )
  const long = shortStatements().filter(({ sql }) => lineCount(sql) > 4)
  assert.deepEqual(
    [...short, ...long].map(({ name }) => name),
    [],
  )
})

/** Matches a table or a step with its alias, if it has one. */
const named =
  /\b(?:from|join|update|into|using)\s+(?:only\s+)?(\w+)(?:\s+(?!(?:set|where|on|order|join|left|cross|limit|for|using|group|values|select|returning|union|loop|default)\b)(?:as\s+)?(\w+))?/g

/** The alias is the one that most statements use. A second use in a statement, such as a self-join, has another one. */
test('a table has one alias everywhere, unless the statement has the table twice or the alias names something else in it', () => {
  const migrations = globSync('../migrations/*.sql', { cwd: src }).map((file) => readFileSync(join(src, file), 'utf8'))
  const tables = new Set(migrations.flatMap((sql) => [...sql.matchAll(/create table (\w+)/g)].map(([, name]) => name)))
  const statements = [...sqlFiles(), ...shortStatements()].filter(({ name }) => !name.endsWith('.part.sql'))
  const uses = statements.map(({ name, sql }) => {
    const text = whole(name, sql).replaceAll(/--.*/g, '')
    const found = [...text.matchAll(named)].map(([, of = '', alias = '']) => ({ of, alias }))
    const others = [...text.matchAll(/\) (?:as )?([a-z])\b/g)].map(([, alias = '']) => ({ of: 'a step', alias }))
    return { name, found: [...found, ...others] }
  })
  const aliased = uses.flatMap(({ found }) => {
    const ofTables = found.filter(({ of, alias }) => tables.has(of) && alias !== '')
    return ofTables.filter(({ of }, at) => ofTables.findIndex((other) => other.of === of) === at)
  })
  const usual = new Map(
    [...Map.groupBy(aliased, ({ of }) => of)].map(([of, all]) => {
      const counts = [...Map.groupBy(all, ({ alias }) => alias)].map(([alias, same]) => ({ alias, count: same.length }))
      return [of, counts.sort((a, b) => b.count - a.count)[0]?.alias ?? '']
    }),
  )
  assert(usual.size > 40)
  const unusual = uses.flatMap(({ name, found }) =>
    found
      .filter(({ of, alias }) => alias !== '' && (usual.get(of) ?? alias) !== alias)
      .filter(({ of }) => found.filter((other) => other.of === of).length === 1)
      .filter(({ of }) => !found.some((other) => other.of !== of && other.alias === usual.get(of)))
      .map(({ of, alias }) => `${name}: ${of} is ${alias}, elsewhere ${usual.get(of)}`),
  )
  assert.deepEqual(unusual, [])
})

/** With the parts that it includes. */
const whole = (name: string, sql: string): string =>
  sql.replaceAll(/-- include (\S+)$/gm, (_, part: string) => {
    const file = join(dirname(name), part)
    return whole(file, readFileSync(join(src, file), 'utf8'))
  })

interface Sql {
  readonly name: string
  readonly sql: string
}

const sqlFiles = (): Sql[] =>
  globSync('**/*.sql', { cwd: src })
    .filter((file) => folderOf(file) !== 'demo')
    .map((file) => ({ name: file, sql: readFileSync(join(src, file), 'utf8').trimEnd() }))

/** Statements in TypeScript, named after the folder that they stand in. */
const shortStatements = (): Sql[] =>
  globSync('**/*.ts', { cwd: src }).flatMap((file) =>
    [
      ...readFileSync(join(src, file), 'utf8').matchAll(/shortStatement\('([\w-]+)', \{\s*sql:\s*(['`])([^]*?)\2,\n/g),
    ].map(([, name = '', , sql = '']) => ({ name: `${dirname(file)}/${name}`, sql })),
  )

/** Statements that do not name a client, by reason. */
const withoutClient: Record<string, readonly string[]> = {
  'The worker processes all clients': [
    'catalogue/changes/publish-item-changes',
    'catalogue/changes/publish_item_changes.sql',
    'keys/record-expired-keys.sql',
    'desk/count-day.sql',
    'desk/sum-open.sql',
    'carts/sweep-cart-groups.sql',
    'carts/sweep-carts.sql',
    'events/expiry/expire-events.sql',
    'events/expiry/turn-event-tables',
    'keys/audit/seal-audit-day',
    'keys/audit/drop-audit-day',
    'worker/measure-backlog.sql',
    'orders/moving/archive_orders.sql',
    'orders/moving/delete_orders.sql',
    'catalogue/delete-catalogue-changes',
    'clients/contacts/erase_addresses.sql',
    'retries/sweep-idempotency-keys.sql',
    'webhooks/due/claim-webhooks.sql',
    'webhooks/secrets/count-sealed-secrets.sql',
    'webhooks/secrets/find-unsealed-secrets.sql',
    'webhooks/secrets/store-sealed-secrets.sql',
    'webhooks/due/find-due-webhooks.sql',
    'webhooks/due/scan-webhooks.sql',
    'webhooks/due/renew-leases.sql',
    'webhooks/delivery/sweep-webhook-deliveries.sql',
    'webhooks/delivery/take-webhook-tests.sql',
  ],
  'The feed and its endpoints belong to the distributor': [
    'webhooks/feed-endpoints/change_feed_endpoint.sql',
    'webhooks/feed-endpoints/claim-feed-endpoints.sql',
    'webhooks/feed-endpoints/create_feed_endpoint.sql',
    'webhooks/feed-endpoints/delete-feed-endpoint.sql',
    'webhooks/feed-endpoints/list-feed-deliveries.sql',
    'webhooks/feed-endpoints/list-feed-endpoints',
    'webhooks/feed-endpoints/record-feed-delivery.sql',
    'webhooks/feed-endpoints/record-feed-failure.sql',
    'webhooks/feed-endpoints/record-feed-test',
    'webhooks/feed-endpoints/release-feed-endpoint',
    'webhooks/feed-endpoints/renew-feed-leases',
    'webhooks/feed-endpoints/request-feed-test',
    'webhooks/feed-endpoints/shown_feed_endpoints.sql',
    'webhooks/secrets/list-feed-secrets',
    'webhooks/secrets/seal-feed-secret',
  ],
  'The catalogue belongs to the distributor': [
    'orders/placing/near_items.sql',
    'catalogue/prices/explain-price-list',
    'stock/list-all-stocks',
    'catalogue/list-catalogue-changes',
    'stock/list-closures.sql',
    'catalogue/prices/list-currencies',
    'catalogue/list-brands',
    'catalogue/list-operator-items.sql',
    'catalogue/prices/list-price-lists',
    'catalogue/prices/list-prices.sql',
    'stock/list-stock-levels.sql',
    'catalogue/prices/put-currency.sql',
    'catalogue/prices/put-price-list.sql',
    'stock/put-stock.sql',
    'catalogue/prices/read-currency',
    'catalogue/read-operator-item.sql',
    'stock/set-closure.sql',
    'catalogue/write-items.sql',
    'catalogue/prices/write-prices.sql',
    'catalogue/find_item.sql',
    'catalogue/prices/put_price.sql',
    'stock/set_stock_level.sql',
    'orders/earliest_shipping_day.sql',
    'stock/stock_promise.sql',
    'stock/set_arrivals.sql',
    'catalogue/substitutes/set_substitutes.sql',
    'metadata/change_item_metadata.sql',
    'stock/read-arrivals',
    'orders/reserve_items.sql',
    'stock/count_stock.sql',
    'imports/advance-import.sql',
    'imports/kinds/check-prices.sql',
    'imports/complete-import.sql',
    'imports/kinds/check-arrivals.sql',
    'imports/kinds/check-substitutes.sql',
    'imports/drop-cut-off-imports',
    'imports/drop-import',
    'imports/expire-import-changes.sql',
    'imports/expire-imports.sql',
    'imports/fail-import.sql',
    'imports/find-articles.sql',
    'imports/find-import-by-key',
    'imports/keep-alive',
    'imports/list-import-changes.sql',
    'imports/list-import-errors',
    'imports/list-imports.sql',
    'imports/kinds/lower-stock-levels.sql',
    'imports/open-import',
    'imports/pending-batches',
    'imports/kinds/preview-items.sql',
    'imports/kinds/preview-prices.sql',
    'imports/kinds/preview-stock-levels.sql',
    'imports/kinds/raise-stock-levels.sql',
    'imports/read-batch',
    'imports/read-import.sql',
    'imports/kinds/restore-stock-levels.sql',
    'imports/stop-import.sql',
    'imports/store-batch.sql',
    'imports/kinds/undo-arrivals.sql',
    'imports/kinds/undo-items.sql',
    'imports/kinds/undo-prices.sql',
    'imports/kinds/undo-stock-levels.sql',
    'imports/kinds/undo-substitutes.sql',
    'imports/kinds/write-arrivals.sql',
    'imports/kinds/write-substitutes.sql',
    'imports/unfinished-imports.sql',
  ],
  "It belongs to the operator's key": ['retries/find-earlier-operator-answer.sql', 'retries/operator_retry.sql'],
  'Its caller has found the contract': ['catalogue/changes/offer_digest.sql'],
  'Its caller has found and locked the order': [
    'orders/change_quantity.sql',
    'orders/shown_adjustments.sql',
    'orders/shown_return_requests.sql',
  ],
  'Operators find it by its id, across clients': [
    'keys/change-client-key.sql',
    'orders/decisions/accept_adjustment.sql',
    'orders/returns/accept_return_request.sql',
    'orders/returns/list-return-requests.sql',
    'metadata/change_client_metadata.sql',
    'metadata/change_order_metadata.sql',
    'orders/documents/put_document.sql',
    'orders/documents/remove_document.sql',
    'orders/corrections/add_line.sql',
    'orders/corrections/add_note.sql',
    'orders/corrections/change_line.sql',
    'orders/moving/clear_virtual.sql',
    'orders/shipping/close_open.sql',
    'orders/finding/find-order-ids',
    'orders/printing/list-pick-list.sql',
    'orders/moving/find-move',
    'orders/finding/find-operator-order.sql',
    'orders/moving/hold_order.sql',
    'orders/decisions/list-inbox.sql',
    'orders/decisions/list-operator-adjustments.sql',
    'orders/reading/list-operator-order-items',
    'orders/finding/list-operator-orders.sql',
    'orders/moving/move_order.sql',
    'orders/decisions/read-counts.sql',
    'orders/finding/search-orders.sql',
    'orders/finding/sort-orders.sql',
    'orders/moving/undo_cancellation.sql',
    'webhooks/endpoints/pause-webhook.sql',
  ],
  'Covers every client with recent requests': [
    'identity/changed-client-keys.sql',
    'identity/record-client-key-uses.sql',
  ],
  'Creates the client': ['clients/create-client.sql'],
  "Touches no client's rows": [
    'carts/lines/cart_group_key.sql',
    'events/events_horizon.sql',
    'events/send-hint',
    'events/with_values_before.sql',
    'functions/refusal_error.sql',
    'orders/order_totals.sql',
    'catalogue/prices/net_price.sql',
    'catalogue/prices/price_at.sql',
    'catalogue/quantities/next_quantity.sql',
    'clients/find-missing-references.sql',
    'identity/draw-client-key-id',
    'readiness/find-migrations-table',
    'readiness/list-missing-functions',
    'readiness/list-missing-migrations',
    'worker/claim-jobs.sql',
    'worker/end-job.sql',
    'worker/waiting-jobs',
  ],
  'The key identifies the client': ['identity/find-client-key'],
  'Operators see all clients': [
    'clients/list-clients.sql',
    'events/feed/list-all-events.sql',
    'events/feed/list-log.sql',
  ],
  'Checks the whole database': ['invariants/invariants.sql'],
  'An operator has acted for all clients': ['keys/operators/erase_operator.sql'],
  "Operators' own keys and sessions": [
    'identity/changed-operator-keys.sql',
    'identity/draw-operator-key-id',
    'identity/find-operator-key',
    'keys/audit/record-audit-entry',
    'keys/issue-operator-key.sql',
    'keys/list-operator-keys.sql',
    'commands/read-last-keys',
    'keys/operators/find-operator',
    'keys/operators/list-operators.sql',
    'keys/operators/record-person',
    'keys/operators/shown_operators.sql',
    'identity/record-operator-key-uses.sql',
    'keys/revoke-operator-key.sql',
    'sessions/changed-sessions.sql',
    'sessions/draw-session-id',
    'sessions/end-session.sql',
    'sessions/find-session.sql',
    'sessions/list-sessions.sql',
    'sessions/record-session-uses.sql',
    'sessions/sign-out.sql',
    'sessions/start-session.sql',
  ],
  "Operators' own views, reasons and figures": [
    'desk/change-view.sql',
    'desk/create-view.sql',
    'desk/delete-view.sql',
    'desk/explain-new-view',
    'desk/explain-view.sql',
    'desk/list-views.sql',
    'desk/read-figures.sql',
    'desk/read-reject-reasons',
    'desk/set-reject-reasons.sql',
  ],
  'Covers all clients, after a restore': [
    'events/raise_event_positions.sql',
    'readiness/read-feed-position',
    'restore/after-restore.sql',
    'restore/read-database-identity.sql',
    'restore/record-database-identity.sql',
  ],
}
