import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { addClient, addFixtures, shopper } from '../../../apps/service/src/testing/fixtures.ts'
import { startService } from '../../../apps/service/src/testing/service.ts'

test('readOrder uses at most 20 % more CPU than bare fetch', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const me = await addClient(service)
  const { createCart, add, order } = shopper(service, me)
  const cart_id = await createCart()
  await add(cart_id, { item_id: 1, quantity: 1 })
  const env = { URL: `http://127.0.0.1:${service.port}`, KEY: me.key, ORDER: String(await order(cart_id)) }
  const program = join(import.meta.dirname, '../testing/measure-overhead.ts')
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env })
  const { bare, typed, control } = JSON.parse(stdout) as Record<'bare' | 'typed' | 'control', number>
  const report = `fetch ${Math.round(bare)} µs, readOrder ${typed.toFixed(3)} of it, fetch again ${control.toFixed(3)}`
  t.diagnostic(report)
  assert(typed <= 1.2, report)
})
