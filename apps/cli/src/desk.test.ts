/** Commands of the order desk and the stock against a real service: returns, blocks, levels, many orders at once. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openUnreliableProxy } from '../../../packages/client/testing/unreliable-proxy.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { order } from '../../service/src/testing/orders.ts'
import { makeWorld, type World } from '../../service/src/testing/world.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { addFixtures } from '../../service/src/testing/fixtures.ts'
import { runParts, type Ran } from './testing.ts'

let service: TestService
let operators: Operators
let world: World
let folder: string

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeWorld(service)
  folder = mkdtempSync(join(tmpdir(), 'parts-desk-'))
})
after(async () => {
  rmSync(folder, { recursive: true })
  await service.close()
})

const asAdmin = () => ({ PARTS_URL: `http://127.0.0.1:${service.port}`, PARTS_KEY: operators.keys.admin })
const parts = (...args: string[]): Promise<Ran> => runParts(args, asAdmin())
const done = (stdout: string, stderr = ''): Ran => ({ code: 0, stdout, stderr })

/** Three brake discs each. */
async function placed(): Promise<number> {
  const { order_id } = await order(world)
  const { order_number } = await operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  return order_number as number
}

const read = (number: number): Promise<Record<string, unknown>> =>
  operators.ok('GET', `/operator/v1/orders/number-${number}/`)

test('move, hold, release and ship take many orders, from a list or a file, and report each that is refused', async () => {
  const numbers = [await placed(), await placed(), await placed()]
  const [first = 0, second = 0, third = 0] = numbers
  const moved = numbers.map((number) => `Moved order ${number} to processing.\n`).join('')
  assert.deepEqual(await parts('move', numbers.join(','), 'processing'), done(moved, '3 of 3 orders.\n'))

  const file = join(folder, 'numbers.txt')
  writeFileSync(file, `${first}\n\n# not this one\n${second}\n999999999\n${first}\n`)
  const some = await parts('move', `@${file}`, 'fulfilling')
  assert.deepEqual(some, {
    code: 1,
    stdout: `Moved order ${first} to fulfilling.\nMoved order ${second} to fulfilling.\n`,
    stderr: 'parts: Order number 999999999: No order has the number 999999999.\n2 of 3 orders.\n',
  })
  assert.equal((await read(third))['order_state_id'], 'processing')

  const held = await parts('hold', `${first},999999999,${third}`, '--reason', 'Payment is overdue.')
  assert.deepEqual(held, {
    code: 1,
    stdout: `Order ${first} is on hold: Payment is overdue.\nOrder ${third} is on hold: Payment is overdue.\n`,
    stderr: 'parts: There is no order with number 999999999.\n2 of 3 orders.\n',
  })
  const loaded = await parts('ship', `${first},${second}`, '--carrier', 'DHL')
  assert.equal(loaded.code, 1)
  assert.match(loaded.stdout, new RegExp(`^Shipped order ${second} \\(shipment \\d+\\)\\. Nothing is open\\.\n$`))
  assert.match(loaded.stderr, new RegExp(`^parts: Order number ${first}: .*hold.*\n1 of 2 orders\\.\n$`))
  assert.equal((await read(second))['order_state_id'], 'shipped')

  const released = await parts('release', `${first},${third}`, '--json')
  assert.deepEqual(released.stdout.trimEnd().split('\n').map((line) => JSON.parse(line).hold_reason), [null, null]) // prettier-ignore
  const both = await parts('ship', `${first},${third}`, '--line', 'BN-280-V=1')
  assert.deepEqual([both.code, both.stdout], [2, ''])
  const none = await parts('move', '@/nowhere/numbers.txt', 'new')
  assert.deepEqual([none.code, none.stdout], [2, ''])
  await service.checkInvariants()
})

test('a return is recorded by article, with or without restocking, and not beyond what was shipped', async () => {
  const number = await placed()
  for (const state of ['processing', 'fulfilling', 'shipped']) await parts('move', String(number), state)
  const back = await parts('return', String(number), '--line', 'bn-280-v=2', '--reason', 'Does not fit.', '--restock')
  assert.match(back.stdout, new RegExp(`^Recorded return \\d+ of order ${number}: 2 pieces, back in the stock\\.\n$`))
  const more = await parts('return', String(number), '--line', 'BN-280-V=2', '--reason', 'Damaged.')
  assert.equal(more.code, 1)
  assert.match(more.stderr, new RegExp(`^parts: Order number ${number}: `))
  const { returns } = await read(number)
  assert.deepEqual((returns as { restocked: boolean }[]).map(({ restocked }) => restocked), [true]) // prettier-ignore
  assert.equal((await parts('return', String(number), '--reason', 'Damaged.')).code, 2)
  await service.checkInvariants()
})

test('block and unblock work on a client and on a contract', async () => {
  const { client_id, contract_id } = world.me
  const who = `Client ${client_id}, Garage Weber,`
  const reason = ['--reason', 'Payment is overdue.']
  assert.deepEqual(await parts('block', String(client_id), ...reason), done(`${who} is blocked: Payment is overdue.\n`))
  assert.deepEqual(await parts('unblock', String(client_id)), done(`${who} is not blocked.\n`))
  const contract = ['--contract', String(contract_id)]
  const terms = `Contract ${contract_id}, Standard,`
  const blocked = await parts('block', String(client_id), ...contract, ...reason)
  assert.deepEqual(blocked, done(`${terms} is blocked: Payment is overdue.\n`))
  assert.deepEqual(await parts('unblock', String(client_id), ...contract), done(`${terms} is not blocked.\n`))
})

test('stock commands list, set and add to levels, and close and open days', async () => {
  const set = await parts('stock', 'set', '3', '1', '30', '--back-order', 'no')
  assert.match(set.stdout, /^BN-280-V in .*: 30 there, 0 reserved, 30 free\.\n$/)
  const arrive = ['stock', 'arrive', '3', '1', '12', '--import-key', 'delivery-1']
  for (const _ of [1, 2]) assert.match((await parts(...arrive)).stdout, /: 42 there, 0 reserved, 42 free\.\n$/)
  const unknown = await parts('stock', 'arrive', '3', '999999', '1')
  assert.deepEqual(unknown, { code: 1, stdout: '', stderr: 'parts: No such item: 999999.\n' })
  const levels = await parts('stock', 'levels', '--stock', '3', '--item', '1', '--json')
  assert.equal(JSON.parse(levels.stdout).available, 42)
  assert.match(
    (await parts('stock', 'levels', '--stock', '3')).stdout,
    /^STOCK\tITEM\tARTICLE\tTHERE\tRESERVED\tFREE\t/,
  )
  assert.match((await parts('stock', 'list')).stdout, /^STOCK\tNAME\tLEAD DAYS\tCUT-OFF\tCLOSED ON\n1\tBerlin\t/)

  assert.deepEqual(await parts('stock', 'closures', '3'), done('', 'The stock is not closed on any day.\n'))
  assert.deepEqual(await parts('stock', 'close', '3', '2031-12-24'), done('Stock 3 is closed on 2031-12-24.\n'))
  assert.deepEqual(await parts('stock', 'closures', '3'), done('CLOSED\n2031-12-24\n'))
  assert.deepEqual(await parts('stock', 'open', '3', '2031-12-24'), done('Stock 3 is open on 2031-12-24.\n'))
  assert.equal((await parts('stock', 'close', '3', 'tomorrow')).code, 2)
})

test('stock commands set what is expected, and the times of a stock; what is not given stays', async () => {
  const expect = ['stock', 'expect', '3', '1']
  assert.deepEqual(await parts(...expect), done('Nothing is expected.\n'))
  const shown = done('EXPECTED\tPIECES\n2031-11-24\t200\n2031-12-08\t50\n')
  assert.deepEqual(await parts(...expect, '--arrival', '2031-12-08=50', '--arrival', '2031-11-24=200'), shown)
  assert.deepEqual(await parts(...expect), shown)
  for (const wrong of [
    ['--arrival', '2031-12-08'],
    ['--none', '--arrival', '2031-12-08=1'],
  ])
    assert.equal((await parts(...expect, ...wrong)).code, 2)
  assert.deepEqual(await parts(...expect, '--none'), done('Nothing is expected.\n'))

  const times = async (...options: string[]) => (await parts('stock', 'times', '3', ...options)).stdout.split('\n')[1]
  assert.equal(await times('--lead-days', '2', '--cut-off', '14:30'), '3\tRiga\t2\t14:30\t')
  assert.equal(await times('--lead-days', '0'), '3\tRiga\t0\t14:30\t')
  assert.equal(await times('--cut-off', 'none'), '3\tRiga\t0\t\t')
  for (const wrong of [[], ['--lead-days', 'two']]) assert.equal((await parts('stock', 'times', '3', ...wrong)).code, 2)
  assert.equal((await parts('stock', 'times', '99', '--lead-days', '1')).stderr, 'parts: There is no stock 99.\n')
})

test('substitutes of an item are set, shown and removed', async () => {
  const shown = done('Replaced by 3.\nSubstitutes: 2, 1.\n')
  assert.deepEqual(
    await parts('substitutes', '5', '--replaced-by', '3', '--substitute', '2', '--substitute', '1'),
    shown,
  )
  assert.deepEqual(await parts('substitutes', '5'), shown)
  assert.equal((await parts('substitutes', '5', '--none', '--substitute', '2')).code, 2)
  assert.deepEqual(await parts('substitutes', '5', '--none'), done('No item replaces it.\nNo substitutes.\n'))
})

test('documents are put on an order, shown, replaced and removed', async () => {
  const number = String(await placed())
  const put = (url: string, ...more: string[]) => parts('document', number, 'invoice', 'R 1', '--link', url, ...more)
  assert.deepEqual(await put('https://erp.example/1', '--issued', '2026-11-20'), done(`Put invoice R 1 on order ${number}.\n`)) // prettier-ignore
  assert.match((await parts('order', number)).stdout, /\ninvoice\tR 1\t2026-11-20\thttps:\/\/erp\.example\/1\n/)
  const { documents } = JSON.parse((await put('https://erp.example/2', '--json')).stdout)
  assert.deepEqual(documents, [{ kind: 'invoice', number: 'R 1', url: 'https://erp.example/2', issued_on: null }])
  const remove = ['document', number, 'invoice', 'R 1', '--remove']
  assert.deepEqual(await parts(...remove), done(`Removed invoice R 1 from order ${number}.\n`))
  const again = await parts(...remove)
  assert.deepEqual([again.code, again.stderr.split('\n')[0]?.replace(/order \d+/, 'order N')], [1, 'parts: No such document of order N: invoice R 1.']) // prettier-ignore
  assert.equal((await parts('document', number, 'bill', 'R 1', '--remove')).code, 2)
  assert.equal((await parts('document', number, 'invoice', 'R 1')).code, 2)
})

test('metadata is kept with orders, clients and items, and orders are found by it', async () => {
  const number = String(await placed())
  assert.deepEqual(await parts('metadata', 'order', number), done('None.\n'))
  const set = await parts('metadata', 'order', number, '--set', `erp=A=${number}`, '--set', 'tour=7')
  assert.deepEqual(set, done(`erp=A=${number}, tour=7\n`))
  assert.deepEqual(await parts('metadata', 'order', number, '--set', 'tour='), done(`erp=A=${number}\n`))
  const found = JSON.parse((await parts('orders', '--metadata', `erp:A=${number}`, '--json')).stdout)
  assert.deepEqual([String(found.order_number), found.metadata], [number, { erp: `A=${number}` }])
  assert.match((await parts('order', number)).stdout, /\nMetadata\s+erp=A=\d+\n/)
  assert.deepEqual(await parts('metadata', 'item', '3', '--set', 'shelf=C 14'), done('shelf=C 14\n'))
  assert.deepEqual(await parts('metadata', 'item', '3'), done('shelf=C 14\n'))
  assert.equal((await parts('metadata', 'cart', '3')).code, 2)
  assert.equal((await parts('metadata', 'item', '3', '--set', 'shelf')).code, 2)
})

test('what a command adds is added once, although the response to its first request is lost', async (t) => {
  const number = await placed()
  for (const state of ['processing', 'fulfilling']) await parts('move', String(number), state)
  let lost = false
  const proxy = await openUnreliableProxy(service.port, ({ method }) => {
    if (method !== 'POST' || lost) return 'pass'
    lost = true
    return 'cut after'
  })
  t.after(() => proxy.close())
  const losing = (...args: string[]): Promise<Ran> => {
    lost = false
    return runParts(args, { ...asAdmin(), PARTS_URL: proxy.url })
  }
  const order_number = String(number)
  const note = await losing('note', order_number, 'Call before loading.')
  assert.deepEqual(note, done(`Added an internal note to order ${number}.\n`))
  const shipped = await losing('ship', order_number, '--line', 'BN-280-V=2')
  assert.match(shipped.stdout, /1 still open\.\n$/)
  const returned = await losing('return', order_number, '--line', 'BN-280-V=1', '--reason', 'Does not fit.')
  assert.match(returned.stdout, /: 1 pieces, not in the stock\.\n$/)
  const { notes, shipments, returns } = (await read(number)) as Record<string, object[]>
  assert.deepEqual([notes?.length, shipments?.length, returns?.length], [1, 1, 1])
  const [before] = await service.sql('select on_hand from stock_levels where stock_id = 1 and item_id = 2')
  assert.equal((await losing('stock', 'arrive', '1', '2', '7')).code, 0)
  const [after] = await service.sql('select on_hand from stock_levels where stock_id = 1 and item_id = 2')
  assert.equal(Number(after?.['on_hand']), Number(before?.['on_hand']) + 7)
  const { client_id, contact_id } = world.me
  const key = await losing('key', 'issue', '--client', String(client_id), '--contact', String(contact_id))
  assert.deepEqual([key.code, key.stdout], [1, ''])
  assert.match(key.stderr, /^parts: .*key \d+/)
  assert.equal(proxy.met['cut after'], 5)
  await service.checkInvariants()
})
