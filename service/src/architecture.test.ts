/** The rules of imports and of statements that no compiler checks. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = import.meta.dirname
const root = join(src, '../..')

/** Which folders a folder may import from, besides itself. The root and `commands` wire everything and may import all. */
const mayImport: Record<string, readonly string[]> = {
  input: ['.'],
  functions: ['input', 'migrations', '.'],
  retries: ['input', '.'],
  http: ['access', 'input', 'retries', 'telemetry', '.'],
  access: ['http', 'input', 'retries', '.'],
  sessions: ['access', 'http', 'input', '.'],
  catalogue: ['access', 'clients', 'functions', 'http', 'input', '.'],
  clients: ['access', 'functions', 'http', 'input', 'retries', '.'],
  imports: ['access', 'catalogue', 'http', 'input', '.'],
  carts: ['access', 'catalogue', 'clients', 'http', 'input', 'retries', '.'],
  orders: ['access', 'carts', 'catalogue', 'clients', 'functions', 'http', 'input', 'retries', '.'],
  desk: ['access', 'orders', 'http', 'input', '.'],
  events: ['access', 'clients', 'orders', 'http', 'input', '.'],
  webhooks: ['access', 'events', 'orders', 'http', 'input', 'retries', 'telemetry', '.'],
  invariants: ['http', '.'],
  about: ['access', 'carts', 'catalogue', 'http', 'input', '.'],
  worker: ['access', 'carts', 'desk', 'events', 'imports', 'orders', 'retries', 'webhooks', '.'],
  reference: ['access', 'events', 'http', 'input', 'retries', 'webhooks', '.'],
  demo: ['access', '.'],
  console: [],
  migrations: [],
  readiness: ['functions', 'migrations', 'restore', '.'],
  restore: ['events', '.'],
  telemetry: [],
}

/** The root's files that every folder may import; the others wire the service. */
const rootForAll = ['refusals.ts', 'paging.ts', 'schema-ref.ts', 'schema-words.ts', 'example-ids.ts']
const rootForDemo = ['migrate.ts', 'example-ids.ts']

/** Folders with operations: state changes and queries that know nothing about HTTP. */
const features = [
  'about',
  'access',
  'carts',
  'catalogue',
  'clients',
  'desk',
  'events',
  'imports',
  'invariants',
  'orders',
  'readiness',
  'restore',
  'retries',
  'sessions',
  'webhooks',
]

interface Import {
  readonly from: string
  readonly to: string
}

const files = globSync('**/*.ts', { cwd: src })
const imports: Import[] = files.flatMap((from) =>
  importsOf(readFileSync(join(src, from), 'utf8'))
    .filter((to) => to.startsWith('.'))
    .map((to) => ({ from, to: relative(src, join(src, dirname(from), to)) })),
)
const folderOf = (file: string): string => dirname(file).split('/')[0] ?? '.'
const isTest = (file: string): boolean =>
  /\.(test|campaign|cases)\.ts$/.test(file) || folderOf(file) === 'testing' || file === 'route-cases.ts'

/** Everything that a file imports, types included. */
function importsOf(text: string): string[] {
  return [...text.matchAll(/\b(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, to = '']) => to)
}

test('imports point one way: http knows no feature, and a feature knows only those below it', () => {
  assert(imports.length > 100)
  const wrong = imports.filter(({ from, to }) => {
    const [folder, target] = [folderOf(from), folderOf(to)]
    if (isTest(from) || folder === target || folder === '.' || folder === 'commands') return false
    if (target === '.') return !(folder === 'demo' ? rootForDemo : rootForAll).includes(to)
    return !(mayImport[folder] ?? []).includes(target)
  })
  assert.deepEqual(wrong, [])
})

test('operations import nothing from http/', () => {
  assert.deepEqual(
    imports.filter(
      ({ from, to }) =>
        features.includes(folderOf(from)) && !isTest(from) && !from.endsWith('routes.ts') && folderOf(to) === 'http',
    ),
    [],
  )
})

test('no import circles in the repository, type imports included', () => {
  const all = globSync('{service,pg-statements,client,cli,bench,docs}/**/*.ts', { cwd: root }).filter(
    (file) => !file.includes('node_modules'),
  )
  const known = new Set(all)
  const graph = new Map(
    all.map((from) => [
      from,
      importsOf(readFileSync(join(root, from), 'utf8'))
        .map((to) =>
          to.startsWith('.') ? join(dirname(from), to) : to.replace(/^pg-statements\//, 'pg-statements/src/'),
        )
        .filter((to) => known.has(to)),
    ]),
  )
  assert(graph.size > 200)
  assert.deepEqual(circlesOf(graph), [])
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

test("nothing but app.ts imports a feature's routes", () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => to.endsWith('routes.ts') && features.includes(folderOf(to)) && from !== 'app.ts'),
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
    longer.filter((file) => !run.includes(join('service/src', file))),
    [],
  )
  const campaigns = globSync('{service,pg-statements,cli,client,bench,deploy,docs,faults}/**/*.campaign.ts', {
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

interface Sql {
  readonly name: string
  readonly sql: string
}

const sqlFiles = (): Sql[] =>
  globSync('**/*.sql', { cwd: src })
    .filter((file) => folderOf(file) !== 'demo')
    .map((file) => ({ name: file, sql: readFileSync(join(src, file), 'utf8').trimEnd() }))

/** Statements in TypeScript, named after their folder. */
const shortStatements = (): Sql[] =>
  globSync('**/*.ts', { cwd: src }).flatMap((file) =>
    [
      ...readFileSync(join(src, file), 'utf8').matchAll(/shortStatement\('([\w-]+)', \{\s*sql:\s*(['`])([^]*?)\2,\n/g),
    ].map(([, name = '', , sql = '']) => ({ name: `${folderOf(file)}/${name}`, sql })),
  )

/** Statements that do not name a client, by reason. */
const withoutClient: Record<string, readonly string[]> = {
  'The worker processes all clients': [
    'access/record-expired-keys.sql',
    'desk/count-day.sql',
    'desk/sum-open.sql',
    'carts/sweep-cart-groups.sql',
    'carts/sweep-carts.sql',
    'events/expire-events.sql',
    'events/turn-event-tables',
    'worker/measure-backlog.sql',
    'orders/archive_orders.sql',
    'retries/sweep-idempotency-keys.sql',
    'webhooks/claim-webhooks.sql',
    'webhooks/count-sealed-secrets.sql',
    'webhooks/find-unsealed-secrets.sql',
    'webhooks/store-sealed-secrets.sql',
    'webhooks/find-due-webhooks.sql',
    'webhooks/scan-webhooks.sql',
    'webhooks/renew-leases.sql',
    'webhooks/sweep-webhook-deliveries.sql',
    'webhooks/take-webhook-tests.sql',
  ],
  'The catalogue belongs to the distributor': [
    'catalogue/explain-price-list',
    'catalogue/list-all-stocks',
    'catalogue/list-catalogue-changes',
    'catalogue/list-closures.sql',
    'catalogue/list-currencies',
    'catalogue/list-operator-items.sql',
    'catalogue/list-price-lists',
    'catalogue/list-prices.sql',
    'catalogue/list-stock-levels.sql',
    'catalogue/put-currency.sql',
    'catalogue/put-price-list.sql',
    'catalogue/put-stock.sql',
    'catalogue/read-currency',
    'catalogue/read-operator-item.sql',
    'catalogue/set-closure.sql',
    'catalogue/write-items.sql',
    'catalogue/write-prices.sql',
    'catalogue/find_item.sql',
    'catalogue/put_price.sql',
    'catalogue/set_stock_level.sql',
    'orders/earliest_shipping_day.sql',
    'orders/reserve_items.sql',
    'orders/count_stock.sql',
    'imports/advance-import.sql',
    'imports/check-prices.sql',
    'imports/complete-import.sql',
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
    'imports/lower-stock-levels.sql',
    'imports/open-import',
    'imports/pending-batches',
    'imports/preview-items.sql',
    'imports/preview-prices.sql',
    'imports/preview-stock-levels.sql',
    'imports/raise-stock-levels.sql',
    'imports/read-batch',
    'imports/read-import.sql',
    'imports/restore-stock-levels.sql',
    'imports/stop-import',
    'imports/store-batch.sql',
    'imports/undo-items.sql',
    'imports/undo-prices.sql',
    'imports/undo-stock-levels.sql',
    'imports/unfinished-imports.sql',
  ],
  "It belongs to the operator's key": ['retries/find-earlier-operator-answer.sql', 'retries/operator_retry.sql'],
  'Its caller has found and locked the order': ['orders/change_quantity.sql', 'orders/shown_adjustments.sql'],
  'Operators find it by its id, across clients': [
    'access/change-client-key.sql',
    'orders/accept_adjustment.sql',
    'orders/add_line.sql',
    'orders/add_note.sql',
    'orders/change_line.sql',
    'orders/clear_virtual.sql',
    'orders/close_open.sql',
    'orders/find-order-ids',
    'orders/list-pick-list.sql',
    'orders/find-move',
    'orders/find-operator-order.sql',
    'orders/hold_order.sql',
    'orders/list-inbox.sql',
    'orders/list-operator-adjustments.sql',
    'orders/list-operator-order-items',
    'orders/list-operator-orders.sql',
    'orders/move_order.sql',
    'orders/read-counts.sql',
    'orders/search-orders.sql',
    'orders/sort-orders.sql',
    'orders/undo_cancellation.sql',
    'webhooks/pause-webhook.sql',
  ],
  'Covers every client with recent requests': ['access/changed-client-keys.sql', 'access/record-client-key-uses.sql'],
  'Creates the client': ['clients/create-client.sql'],
  "Touches no client's rows": [
    'carts/cart_group_key.sql',
    'functions/refusal_error.sql',
    'orders/order_totals.sql',
    'clients/find-missing-references.sql',
    'access/draw-client-key-id',
    'readiness/find-migrations-table',
    'readiness/list-missing-functions',
    'readiness/list-missing-migrations',
    'worker/claim-jobs.sql',
    'worker/end-job.sql',
    'worker/waiting-jobs',
  ],
  'The key identifies the client': ['access/find-client-key'],
  'Operators see all clients': ['clients/list-clients.sql', 'events/list-all-events.sql', 'events/list-log.sql'],
  'Checks the whole database': ['invariants/invariants.sql'],
  "Operators' own keys and sessions": [
    'access/changed-operator-keys.sql',
    'access/draw-operator-key-id',
    'access/find-operator-key',
    'access/issue-operator-key.sql',
    'access/list-operator-keys.sql',
    'access/record-operator-key-uses.sql',
    'access/revoke-operator-key.sql',
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
    'desk/delete-view',
    'desk/explain-new-view',
    'desk/explain-view.sql',
    'desk/list-views.sql',
    'desk/read-figures.sql',
    'desk/read-reject-reasons',
    'desk/set-reject-reasons',
  ],
  'Covers all clients, after a restore': [
    'events/renumber-restored-events.sql',
    'readiness/read-feed-position',
    'restore/after-restore.sql',
    'restore/read-database-identity.sql',
    'restore/record-database-identity.sql',
  ],
}
