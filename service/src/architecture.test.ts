import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { test } from 'node:test'

const src = import.meta.dirname

/** Which folders a folder may import from, besides itself. The root wires everything and may import all. */
const mayImport: Record<string, readonly string[]> = {
  input: ['.'],
  http: ['access', 'input', 'retries', '.'],
  access: ['http', 'input', '.'],
  catalogue: ['access', 'http', 'input', '.'],
  clients: ['access', 'catalogue', 'http', 'input', '.'],
  imports: ['access', 'catalogue', 'http', 'input', '.'],
  retries: ['http', 'input', '.'],
  carts: ['access', 'catalogue', 'clients', 'retries', 'http', 'input', '.'],
  events: ['access', 'clients', 'orders', 'http', 'input', '.'],
  orders: ['access', 'carts', 'catalogue', 'clients', 'http', 'input', '.'],
  invariants: ['http', '.'],
  reference: ['access', 'events', 'http', '.'],
  webhooks: ['access', 'events', 'orders', 'retries', 'http', 'input', '.'],
  worker: ['access', 'carts', 'clients', 'events', 'imports', 'orders', 'retries', 'webhooks', '.'],
  demo: ['access', '.'],
}

/** Of the root, features and the two ground rooms may use the refusal table, and nothing that wires. */
const rootForAll = ['refusals.ts', 'paging.ts', 'schema-ref.ts']

interface Import {
  readonly from: string
  readonly to: string
}

const files = globSync('**/*.ts', { cwd: src })
const imports: Import[] = files.flatMap((from) =>
  [...readFileSync(join(src, from), 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)].map(([, to = '']) => ({
    from,
    to: relative(src, join(src, dirname(from), to)),
  })),
)
const folderOf = (file: string): string => dirname(file).split('/')[0] ?? '.'

test('imports point one way: door and database know no feature, features know only those below them', () => {
  assert(imports.length > 100)
  const wrong = imports.filter(({ from, to }) => {
    const [room, target] = [folderOf(from), folderOf(to)]
    if (from.endsWith('.test.ts') || room === target || room === '.' || room === 'testing' || room === 'commands')
      return false
    if (target === '.') return room !== 'demo' && !rootForAll.includes(to)
    return !(mayImport[room] ?? []).includes(target)
  })
  assert.deepEqual(wrong, [])
})

test("nothing but app.ts imports a feature's routes", () => {
  assert.deepEqual(
    imports.filter(({ from, to }) => to.endsWith('routes.ts') && from !== 'app.ts'),
    [],
  )
})

test('only config.ts reads the environment, except where a command hands it over', () => {
  const readers = files.filter(
    (file) =>
      !/^(main|testing\/.*|.*\.test)\.ts$|^testing\//.test(file) &&
      readFileSync(join(src, file), 'utf8').includes('process.env'),
  )
  assert.deepEqual(readers, ['demo/run-as.ts']) // Hands it on to PostgreSQL, and reads nothing of it.
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
    'demo/claim-database.ts', // Holds the lock of the demo as long as it runs.
    'migrate.ts', // Runs statements that are not part of the service, on a connection of their own.
  ])
})

test('every statement names the client in its where, or is listed here with its reason', () => {
  const without = globSync('**/*.sql', { cwd: src }).filter(
    (file) => !file.endsWith('.part.sql') && !readFileSync(join(src, file), 'utf8').includes(':client_id'),
  )
  assert.deepEqual(without.filter((file) => folderOf(file) !== 'demo').toSorted(), [
    'access/change-client-key.sql', // By key: an operator names no client.
    'access/changed-client-keys.sql', // The keys of all clients.
    'access/changed-operator-keys.sql', // Operators' keys belong to no client.
    'access/draw-client-key-id.sql', // Draws from a sequence.
    'access/draw-operator-key-id.sql',
    'access/find-client-key.sql', // The key identifies the client.
    'access/find-operator-key.sql',
    'access/issue-operator-key.sql',
    'access/list-operator-keys.sql',
    'access/record-client-key-uses.sql', // The keys of all clients.
    'access/record-expired-keys.sql', // The worker goes through all clients.
    'access/record-operator-key-uses.sql',
    'access/revoke-client-key.sql', // By key: an operator names no client.
    'access/revoke-operator-key.sql',
    'carts/sweep-cart-groups.sql', // The worker goes through all clients.
    'catalogue/explain-price-list.sql', // The catalogue belongs to the distributor.
    'catalogue/explain-price.sql',
    'catalogue/explain-stock-level.sql',
    'catalogue/list-all-stocks.sql',
    'catalogue/list-catalogue-changes.sql',
    'catalogue/list-currencies.sql',
    'catalogue/list-price-lists.sql',
    'catalogue/list-stock-levels.sql',
    'catalogue/put-currency.sql',
    'catalogue/put-price-list.sql',
    'catalogue/put-stock.sql',
    'catalogue/read-currency.sql',
    'catalogue/read-operator-item.sql',
    'catalogue/set-stock-level.sql',
    'catalogue/write-items.sql',
    'catalogue/write-prices.sql',
    'clients/create-client.sql', // Creates one.
    'clients/find-missing-references.sql', // Price lists and stocks belong to no client.
    'clients/list-clients.sql', // All clients, for operators.
    'events/expire-events.sql', // The worker goes through all clients.
    'events/list-all-events.sql', // For the distributor.
    'imports/advance-import.sql', // As the catalogue.
    'imports/check-prices.sql',
    'imports/complete-import.sql',
    'imports/drop-cut-off-imports.sql',
    'imports/drop-import.sql',
    'imports/fail-import.sql',
    'imports/find-import-by-key.sql',
    'imports/keep-alive.sql',
    'imports/list-import-errors.sql',
    'imports/list-imports.sql',
    'imports/lower-stock-levels.sql',
    'imports/open-import.sql',
    'imports/pending-batches.sql',
    'imports/raise-stock-levels.sql',
    'imports/read-batch.sql',
    'imports/read-import.sql',
    'imports/restore-stock-levels.sql',
    'imports/store-batch.sql',
    'imports/unfinished-imports.sql',
    'invariants/invariants.sql', // Looks at everything.
    'orders/accept-adjustment.sql', // The distributor sees all clients: from here on, by the id alone.
    'orders/archive-orders.sql',
    'orders/clear-virtual.sql',
    'orders/explain-decision.sql',
    'orders/explain-move.sql',
    'orders/explain-virtual.sql',
    'orders/find-move.sql',
    'orders/find-operator-order.sql',
    'orders/list-inbox.sql',
    'orders/list-operator-order-items.sql',
    'orders/list-operator-orders.sql',
    'orders/move-order.sql',
    'orders/reject-adjustment.sql',
    'http/listening/ping.sql',
    'events/renumber-restored-events.sql', // All clients', after a restore.
    'retries/sweep-idempotency-keys.sql', // Of all clients.
    'webhooks/claim-webhooks.sql', // The worker delivers to all clients.
    'webhooks/find-due-webhooks.sql',
    'webhooks/list-operator-webhooks.sql', // For the distributor.
    'webhooks/pause-webhook.sql', // The distributor's own, by the id alone.
    'webhooks/renew-leases.sql',
    'webhooks/scan-webhooks.sql',
    'webhooks/sweep-webhook-deliveries.sql',
    'webhooks/take-webhook-tests.sql',
    'worker/claim-jobs.sql', // The schedule of the jobs; touches no client's rows.
    'worker/end-job.sql',
    'worker/waiting-jobs.sql',
  ])
})
