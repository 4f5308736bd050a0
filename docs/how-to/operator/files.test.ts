/** Runs the commands of docs/how-to/operator/files.md, in order, and the same with `parts`. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { runParts, type Ran } from '../../../apps/cli/src/testing.ts'
import { addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../../../apps/service/src/testing/operators.ts'
import { order } from '../../../apps/service/src/testing/orders.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('files.md', import.meta.url), 'utf8')
const commands = [...page.matchAll(/^```sh\n([^`]*)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))

let service: TestService
let operators: Operators
let placed: { order_id: number; order_item_id: number }
let shipment_id: number
const directory = mkdtempSync(join(tmpdir(), 'parts-files-'))

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  const world = await makeOperatorWorld(service, operators)
  await order(world)
  placed = await order(world)
  for (const state_id of ['processing', 'fulfilling'])
    await operators.ok('POST', `/operator/v1/orders/${placed.order_id}/move/`, { state_id })
  const lines = [{ order_item_id: placed.order_item_id, quantity: 2 }]
  const shipped = await operators.ok('POST', `/operator/v1/orders/${placed.order_id}/shipments/`, { lines })
  shipment_id = shipped.shipments[0].shipment_id
})
after(async () => {
  rmSync(directory, { recursive: true })
  await service.close()
})

const imported = async (price: number): Promise<number> =>
  (
    await service.request('POST', '/operator/v1/imports/prices/', {
      key: operators.keys.admin,
      body: JSON.stringify({ price_list_id: 1, item_id: 2, price }),
      headers: { 'content-type': 'application/x-ndjson' },
    })
  ).body.data.import_id

test('the commands export, try, stop and undo imports, and print', async () => {
  const [stopped] = await service.sql(
    `insert into imports (import_kind, mode, import_state, finished_at, actor, request_id)
     values ('items', 'all', 'stopped', now(), '', '') returning import_id::int`,
  )
  const env: Record<string, string | undefined> = {
    PATH: process.env['PATH'],
    URL: `http://127.0.0.1:${service.port}`,
    KEY: operators.keys.admin,
    ORDER: String(placed.order_id),
    SHIPMENT: String(shipment_id),
    STOPPED: String(stopped?.['import_id']),
    WRONG: String(await imported(99)),
  }
  const shown = async (command = 'exit 1'): Promise<string> => (await run('bash', ['-euc', command], { env })).stdout
  assert.equal(commands.length, 8)
  const [orders, prices, tried, changes, stop, undo, pick, slip] = commands
  assert.match(await shown(orders), /^client_id,client_name,.*\r\n(.*\r\n){1}$/)
  assert.match(await shown(prices), /^\u{FEFF}item_id;.*\r\n1;BN-280-V;[^\r]*;true;10;\[\]\r\n/u)
  const { data } = JSON.parse(await shown(tried)) as { data: { import_id: number; file_format: object } }
  assert.deepEqual(data.file_format, { encoding: 'utf-8', separator: ';', decimal: 'comma' })
  env['DRY_RUN'] = String(data.import_id)
  const [change] = (JSON.parse(await shown(changes)) as { data: object[] }).data
  assert.deepEqual(change, {
    item_id: 1,
    item_vendor_code: 'BN-280-V',
    item_title: 'Brake disc front 280 mm vented',
    price_list_id: 1,
    stock_id: null,
    change: 'changed',
    before: { price: 10 },
    after: { price: 12.9 },
  })
  assert.match(await shown(stop), /"import_state":"stopped"/)
  assert.match(await shown(undo), /"import_state":"undone"/)
  assert.match(await shown(pick), /^<!doctype html>.*Pick list of stock 1/s)
  assert.match(await shown(slip), /^<!doctype html>.*Packing slip/s)
})

test('parts does the same', async () => {
  const parts = (...args: string[]): Promise<Ran> =>
    runParts(args, { PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: operators.keys.admin })
  const file = join(directory, 'prices.csv')
  writeFileSync(file, 'price_list_id;article;price\r\n1;FW-2;2,75\r\n')
  const dry = await parts('import', file, '--dry-run')
  assert.match(dry.stdout, /^Dry run, nothing was imported: 0 rows would be added, 1 changed, 0 unchanged\./)
  const done = await parts('import', file)
  assert.deepEqual([done.code, done.stdout], [0, 'Imported 1 of 1 rows: 0 added, 1 changed, 0 unchanged.\n'])
  const listed = await parts('imports', 'list', '--limit', '1')
  const id = /^(\d+)\tprices\tdone\t1\t0\t1\t0\t[\d :-]+\tprices\.csv\t/m.exec(listed.stdout)?.[1] ?? ''
  assert.match((await parts('imports', 'show', id)).stdout, /^read as\tutf-8 ; comma$/m)
  assert.match((await parts('imports', 'changes', id)).stdout, /^2\t1\t\tchanged\tprice=2.5\tprice=2.75$/m)
  assert.equal((await parts('imports', 'stop', id)).code, 1)
  assert.match((await parts('imports', 'undo', id)).stdout, /^Import \d+ is undone: 0 added, 1 changed/)
  const out = join(directory, 'out.csv')
  assert.equal((await parts('export', 'prices', '--id', '1', '--decimal-comma', '--out', out)).code, 0)
  assert.match(readFileSync(out, 'utf8'), /^item_id;.*\r\n2;FW-2;Oil filter F2;true;2,5;\[\]\r\n/s)
  assert.match((await parts('export', 'orders', '--filter', 'state=new')).stdout, /^client_id,/)
  assert.deepEqual((await parts('export', 'orders', '--filter', 'state=new', '--filter', 'state=canceled')).code, 2)
  assert.deepEqual((await parts('export', 'prices', '--id', '99')).code, 1)
  assert.deepEqual((await parts('export', 'nothing')).code, 2)
  const [{ order_number }] = (await service.sql('select order_number::int from orders where order_id = $1', [
    placed.order_id,
  ])) as [{ order_number: number }]
  assert.match((await parts('slip', String(order_number))).stdout, /^BN-280-V\t.*\t3\t2\t1$/m)
  assert.match((await parts('slip', String(order_number), '--html')).stdout, /^<!doctype html>/)
  assert.match((await parts('pick-list', '1')).stdout, /\tBN-280-V\t.*\t1\n$/)
  assert.match((await parts('pick-list', '1', '--html')).stdout, /^<!doctype html>/)
})
