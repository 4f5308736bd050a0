/** Imports that are interrupted: by the end of a process, by a slow sender, by two processes at once. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import http from 'node:http'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { finishImports, runImport } from './run-import.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { onlyLong } from '../testing/racing.ts'
import { startService, type TestService } from '../testing/service.ts'
import { addFixtures } from '../testing/fixtures.ts'

const items = 6_000
const main = fileURLToPath(new URL('../main.ts', import.meta.url))

let service: TestService
let operators: Operators

before(async () => {
  service = await startService({ settings: { REQUEST_TIMEOUT_MS: '1000' } })
  await addFixtures(service)
  operators = await makeOperators(service)
  await service.sql(
    `insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select n, 11, 1, n::text, n::text, 'Part' from generate_series(10001, 10000 + $1::int) n`,
    [items],
  )
  await service.sql(
    'insert into stock_levels (stock_id, item_id, on_hand) select 3, item_id, 100 from items where item_id > 10000',
  )
})
after(() => service.close())

/** Every second level rises by 7, and the others sink by 3. */
const rows = (): string =>
  Array.from(
    { length: items },
    (_, n) => `${JSON.stringify({ stock_id: 3, item_id: 10_001 + n, difference: n % 2 === 0 ? 7 : -3 })}\n`,
  ).join('')

async function addOnHand(times: number): Promise<void> {
  const found = await service.sql(
    'select on_hand::int, count(*)::int from stock_levels where stock_id = 3 and item_id > 10000 group by 1 order by 1',
  )
  const expected = [
    { on_hand: 100 - 3 * times, count: items / 2 },
    { on_hand: 100 + 7 * times, count: items / 2 },
  ]
  assert.deepEqual(found, times === 0 ? [{ on_hand: 100, count: items }] : expected)
}

async function received(address: string, import_key: string): Promise<number> {
  const answer = await fetch(`${address}/operator/v1/imports/stock-levels?wait=0&import_key=${import_key}`, {
    method: 'POST',
    headers: { authorization: operators.keys.admin, 'content-type': 'application/x-ndjson' },
    body: rows(),
  })
  const body = (await answer.json()) as { data: { import_id: number } }
  return body.data.import_id
}

const stateOf = async (import_id: number): Promise<unknown> =>
  (await service.sql('select import_state from imports where import_id = $1', [import_id]))[0]?.['import_state']

test(
  'when a process is killed during an import, another completes it and every row counts once',
  onlyLong,
  async () => {
    let interrupted = 0
    for (let round = 1; round <= 10; round++) {
      const child = spawn(process.execPath, [main, 'api'], {
        env: {
          PATH: process.env['PATH'],
          DATABASE_URL: service.databaseUrl,
          PORT: '0',
          METRICS_PORT: '0',
          SHED_AFTER_MS: 'off',
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const address = await new Promise<string>((resolve) => {
        child.stdout.on('data', (text: Buffer) => {
          const found = /"address":"(http[^"]+)"/.exec(text.toString())?.[1]
          if (found !== undefined) resolve(found)
        })
      })
      const import_id = await received(address, `killed-${round}`)
      await sleep(Math.random() * 60)
      child.kill('SIGKILL')
      if ((await stateOf(import_id)) !== 'done') interrupted++
      await service.sql("update imports set updated_at = now() - interval '1 minute' where import_id = $1", [import_id])
      while ((await stateOf(import_id)) !== 'done')
        await finishImports(service.db, { kept_days: 90, stopping: () => false })
      await addOnHand(round)
    }
    assert(interrupted > 0, 'No process was killed in time.')
    assert.deepEqual(await service.sql('select 1 from import_batches'), [])
    await service.checkInvariants()
  },
)

test('two processes running the same import handle every batch once', async () => {
  await service.sql('update stock_levels set on_hand = 100 where item_id > 10000')
  for (let round = 1; round <= 10; round++) {
    const import_id = await received(`http://127.0.0.1:${service.port}`, `twice-${round}`)
    const run = { stopping: () => false, waiting: true }
    await Promise.all([runImport(service.db, import_id, run), runImport(service.db, import_id, run)])
    await addOnHand(round)
  }
})

test('a body of rows may take longer than a form; a form that does is refused with 408', async () => {
  const slowly = async (method: string, path: string, type: string, parts: string[]): Promise<string> => {
    const headers = { authorization: operators.keys.admin, 'content-type': type }
    const request = http.request({ host: '127.0.0.1', port: service.port, method, path, headers })
    const answered = new Promise<string>((resolve, reject) => {
      request.on('response', (response) => {
        let text = `${response.statusCode} `
        response.on('data', (chunk: Buffer) => (text += chunk.toString())).on('end', () => resolve(text))
      })
      request.on('error', reject)
    })
    for (const part of parts) {
      request.write(part)
      await sleep(400)
    }
    request.end()
    return answered
  }
  const price = `${JSON.stringify({ price_list_id: 1, item_id: 1, price: 10 })}\n`
  const rowsAnswer = await slowly('POST', '/operator/v1/imports/prices', 'application/x-ndjson', [
    price.slice(0, 10),
    price.slice(10),
    ' ',
    ' ',
    '\n',
  ])
  assert.match(rowsAnswer, /^200 .*"import_state":"done"/)
  const formAnswer = await slowly('PUT', '/operator/v1/currencies/EUR', 'application/json', [
    '{',
    ' ',
    ' ',
    ' ',
    '}',
  ]).catch((error: Error) => error.message)
  assert.match(formAnswer, /^408 .*request_timed_out|EPIPE|ECONNRESET/)
})

test('imports interrupted long ago are deleted, and recent ones are not', async () => {
  await service.sql(
    `insert into imports (import_kind, mode, actor, request_id, updated_at)
     values ('items', 'all', '', 'old', now() - interval '2 hours'), ('items', 'all', '', 'new', now() - interval '1 minute')`,
  )
  await finishImports(service.db, { kept_days: 90, stopping: () => false })
  assert.deepEqual(await service.sql("select request_id from imports where request_id in ('old', 'new')"), [
    { request_id: 'new' },
  ])
})

test('an import stopped by a bug during the check leaves every level unchanged', async () => {
  await service.sql('update stock_levels set on_hand = 100 where item_id > 10000')
  await service.sql(`
    create function fault() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$;
    create trigger fault before update on stock_levels for each row when (new.item_id = 13501) execute function fault()`)
  const lowered = rows().replaceAll('"difference":7', '"difference":-1')
  const answer = await fetch(`http://127.0.0.1:${service.port}/operator/v1/imports/stock-levels?import_key=fault`, {
    method: 'POST',
    headers: { authorization: operators.keys.admin, 'content-type': 'application/x-ndjson' },
    body: lowered,
  })
  const { data } = (await answer.json()) as { data: Record<string, unknown> }
  assert.deepEqual([data['import_state'], data['rows_changed']], ['failed', 0])
  await service.sql('drop trigger fault on stock_levels')
  await addOnHand(0)
  assert.deepEqual(await service.sql('select 1 from import_batches'), [])
})
