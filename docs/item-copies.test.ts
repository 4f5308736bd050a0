/**
 * The programs of keep-a-copy.md are killed at random while orders are placed and prices and levels change: in the end
 * their copies are what the service shows. COPY_ITEMS=1000000 measures a large catalogue.
 */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocksOf } from './testing/guide-blocks.ts'
import { workingDirectory } from './testing/run-guide.ts'
import { publishItemChanges } from '../apps/service/src/catalogue/changes/publish-item-changes.ts'
import { addClient, addFixtures, shopper, type TestClient } from '../apps/service/src/testing/fixtures.ts'
import { startProcess, type Running } from '../apps/service/src/testing/process.ts'
import { startService, type TestService } from '../apps/service/src/testing/service.ts'

const itemCount = Number(process.env['COPY_ITEMS'] ?? 3_000)
const changed = Math.min(10_000, itemCount)
const half = Math.floor(itemCount / 2) // Orders take the first half; of the others, some are taken off sale.
const kills = 6
const page = readFileSync(join(import.meta.dirname, 'how-to/integrator/keep-a-copy.md'), 'utf8')

let service: TestService
let api: Running | undefined
let me: TestClient

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  await service.sql(`update api_keys set rate_per_second = 1000, rate_burst = 10000`)
  const items = `generate_series(1001, ${1_000 + itemCount}) n`
  await service.sql(
    `insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
     select n, i.product_id, i.brand_id, 'C-' || n, n, 'Copied item ' || n
     from ${items}, (select product_id, brand_id from items where item_id = 1) i`,
  )
  await service.sql(`insert into prices (price_list_id, item_id, price) select 1, n, n from ${items}`)
  await service.sql(`insert into stock_levels (stock_id, item_id, on_hand) select 1, n, 1000000 from ${items}`)
  await service.sql('delete from changed_goods')
  await service.sql('analyze')
  api = await startProcess('api', { DATABASE_URL: service.databaseUrl, PORT: '0', METRICS_PORT: '0', POOL_SIZE: '4' })
})
after(async () => {
  api?.child.kill('SIGKILL')
  await service.close()
})

/** The copy as it would be if it had been read whole, by the list of items. */
async function expected(): Promise<string> {
  const rows: unknown[] = []
  for (let query: string | null = 'limit=500'; query !== null;) {
    const { body } = await service.request('GET', `/api/v1/items/?${query}`, { key: me.key })
    rows.push(...body.data)
    const cursor: string | null = body.paging?.next_cursor ?? null
    query = cursor === null ? null : `limit=500&cursor=${cursor}`
  }
  return rows.map((row) => JSON.stringify(row)).join('\n')
}

const publish = (): Promise<number[]> => Array.fromAsync(publishItemChanges(service.db))

for (const [program, file, database] of [
  ['node', 'keep-copy.ts', 'items.db'],
  ['python3', 'keep_copy.py', 'items-python.db'],
] as const)
  test(`${file}: killed ${kills} times while orders run, its copy of ${itemCount} items equals the catalogue`, async (t) => {
    const directory = workingDirectory()
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    writeFileSync(join(directory, file), blocksOf(page).find((block) => block.file === file)?.code ?? '')
    const env = { ...process.env, URL: api?.address, KEY: me.key, PAUSE_MS: '50' }
    const start = (): ChildProcess =>
      spawn(program, [file], { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] })
    /** Runs the program until it waits for changes, and compares. */
    const becomesEqual = async (what: string): Promise<void> => {
      const wanted = await expected()
      const started = performance.now()
      const child = spawn(program, [file], { cwd: directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
      let read = 0
      for await (const line of createInterface(child.stdout)) {
        const [stored = 0, gone = 0] = line.split(' ').map(Number).filter(Number.isInteger)
        read += stored + gone
        if (stored + gone === 0) break
      }
      t.diagnostic(`${what}: ${read} rows in ${Math.round(performance.now() - started)} ms`)
      child.kill('SIGKILL')
      await once(child, 'exit')
      assert(copied().join('\n') === wanted, what)
    }
    const killAfter = async (child: ChildProcess, ms: number): Promise<void> => {
      await sleep(ms)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    const copied = (): string[] => {
      const copy = new DatabaseSync(join(directory, database), { timeout: 5_000 })
      const rows = copy.prepare('select item from items order by item_id').all()
      copy.close()
      return rows.map(({ item }) => JSON.stringify(JSON.parse(String(item))))
    }

    const done = new AbortController()
    const shop = shopper(service, me)
    const trade = async (): Promise<void> => {
      for (let n = 0; !done.signal.aborted; n++) {
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id: 1001 + (n % half), quantity: 1 })
        await shop.order(cart_id)
        await service.request('DELETE', `/api/v1/carts/${cart_id}/`, { key: me.key })
        const [hidden, priced] = [1001 + half + ((n * 7) % half), 1001 + ((n * 13) % itemCount)]
        await service.sql('update items set on_sale = not on_sale where item_id = $1', [hidden])
        await service.sql('update prices set price = price + 1 where price_list_id = 1 and item_id = $1', [priced])
        await publish()
        await sleep(20)
      }
    }
    const trading = trade()
    for (let n = 0; n < kills; n++) await killAfter(start(), 300 + Math.random() * 700)
    done.abort()
    await trading
    await service.sql('update items set on_sale = true where not on_sale and item_id > 1000')

    await publish()
    await becomesEqual('the rest')
    await service.sql(`update prices set price = price + 1 where price_list_id = 1 and item_id between 1001 and $1`, [
      1_000 + changed,
    ])
    await service.sql(
      `with l as (update stock_levels set on_hand = on_hand + 1 where stock_id = 1 and item_id between 1001 and $1
         returning item_id)
       insert into changed_goods (kind, of_id, item_id) select 's', 1, item_id from l`,
      [1_000 + changed],
    )
    await publish()
    await becomesEqual(`${changed} prices and ${changed} levels`)
    rmSync(join(directory, database))
    await becomesEqual('all again')
    t.diagnostic(`the database of the copy has ${statSync(join(directory, database)).size} bytes`)
  })
