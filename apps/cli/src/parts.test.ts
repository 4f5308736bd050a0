/** The program against a real service: its output and exit codes. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify, stripVTControlCharacters } from 'node:util'
import { createTestDatabase } from '../../service/src/testing/database.ts'
import { makeOperators, type Operators } from '../../service/src/testing/operators.ts'
import { order, requestedReturn } from '../../service/src/testing/orders.ts'
import { makeWorld, type World } from '../../service/src/testing/world.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'
import { addFixtures, address } from '../../service/src/testing/fixtures.ts'
import { runOnTerminal, runParts, type Ran } from './testing.ts'
import { widthOf } from './text.ts'

let service: TestService
let operators: Operators
let world: World
let url: string

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeWorld(service)
  url = `http://127.0.0.1:${service.port}`
})
after(() => service.close())

const asAdmin = () => ({ PARTS_URL: url, PARTS_KEY: operators.keys.admin })
const parts = (...args: string[]): Promise<Ran> => runParts(args, asAdmin())
const done = (stdout: string, stderr = ''): Ran => ({ code: 0, stdout, stderr })
const failed = (code: number, stderr: string): Ran => ({ code, stdout: '', stderr })
const maskTimes = ({ code, stdout, stderr }: Ran): Ran => ({
  code,
  stdout: stdout
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/g, 'YYYY-MM-DD HH:MM:SS')
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/g, 'YYYY-MM-DD HH:MM'),
  stderr,
})
const rows = (text: string): string => text.replaceAll(' | ', '\t')

async function numberOf(order_id: number): Promise<number> {
  const [row] = await service.sql('select order_number from orders where order_id = $1', [order_id])
  return Number(row?.['order_number'])
}

async function placed(): Promise<{ id: number; number: number; line: number }> {
  const { order_id, order_item_id } = await order(world)
  return { id: order_id, number: await numberOf(order_id), line: order_item_id }
}

/** An order with an adjustment of its quantity. */
async function adjusted(quantity: number): Promise<{ adjustment: number; number: number }> {
  const { id, number, line } = await placed()
  const made = await world.shop.ok('PATCH', `/api/v1/orders/${id}/items/${line}/`, { quantity })
  return { adjustment: made.adjustment_id as number, number }
}

async function cancellation(): Promise<number> {
  const { id, number } = await placed()
  await world.shop.ok('DELETE', `/api/v1/orders/${id}/`)
  return number
}

const stateOf = async (number: number): Promise<unknown> =>
  (await service.sql('select order_state_id from orders where order_number = $1', [number]))[0]?.['order_state_id']

test('inbox shows open requests completely at every width, and accept and reject take the words shown', async () => {
  assert.deepEqual(await parts('inbox'), done('', 'No requests wait for a decision.\n'))
  assert.deepEqual(await parts('inbox', '--json'), done(''))

  const requested = await cancellation()
  const less = await adjusted(1)
  const tooMany = await adjusted(20_000)
  const kept = await cancellation()
  await service.sql(`update orders set order_update_datetime = order_update_datetime - interval '125 minutes'
    where order_number = $1`, [requested]) // prettier-ignore
  await service.sql(`update adjustments set adjustment_date_create = adjustment_date_create - interval '50 hours'
    where adjustment_id = $1`, [tooMany.adjustment]) // prettier-ignore
  const expected = rows(`AGE | REQUEST | CLIENT | ORDER | BEFORE → AFTER | EFFECT | POSSIBLE
2 d | adjustment ${tooMany.adjustment} | Garage Weber | ${tooMany.number} | BN-280-V 3 → 20000 | takes 19997 of 9988 free; exposure +199970.00 | reject
2 h | cancellation ${requested} | Garage Weber | ${requested} | new → canceled | frees 3 of BN-280-V; exposure -30.00 | accept reject
N s | adjustment ${less.adjustment} | Garage Weber | ${less.number} | BN-280-V 3 → 1 | frees 2 of BN-280-V; exposure -20.00 | accept reject
N s | cancellation ${kept} | Garage Weber | ${kept} | new → canceled | frees 3 of BN-280-V; exposure -30.00 | accept reject
`)
  const piped = await parts('inbox')
  assert.deepEqual({ ...piped, stdout: piped.stdout.replaceAll(/^\d+ s\t/gm, 'N s\t') }, done(expected))

  const json = (await parts('inbox', '--json')).stdout.trimEnd().split('\n')
  const data = (await operators.ok('GET', '/operator/v1/inbox/')) as object[]
  const ageless = (entry: object): object => ({ ...entry, age_seconds: 0 })
  assert.deepEqual(json.map((line) => ageless(JSON.parse(line) as object)), data.map(ageless)) // prettier-ignore

  const words = (text: string): string[] =>
    text
      .replaceAll(/\d+ s\b/g, 'N s')
      .split(/\s+/)
      .filter(Boolean)
      .toSorted()
  for (const columns of [80, 100, 120]) {
    const shown = await runOnTerminal(columns, ['inbox'], { ...asAdmin(), NO_COLOR: '1' })
    const lines = shown.stdout.trimEnd().split('\n')
    assert(lines.every((line) => widthOf(line) <= columns), shown.stdout) // prettier-ignore
    assert.deepEqual(words(shown.stdout), words(expected))
    assert.equal(shown.stdout, stripVTControlCharacters(shown.stdout))
  }
  const coloured = await runOnTerminal(120, ['inbox'], asAdmin())
  assert(coloured.stdout.startsWith('\u001B[1m'))
  assert.match(stripVTControlCharacters(coloured.stdout), /^ *AGE {2}REQUEST/)

  assert.deepEqual(
    await parts('accept', 'cancellation', String(requested)),
    done(`Accepted the cancellation of order ${requested}.\n`),
  )
  assert.deepEqual(
    await parts('accept', 'adjustment', String(less.adjustment)),
    done(`Accepted adjustment ${less.adjustment}: BN-280-V 3 → 1.\n`),
  )
  assert.deepEqual(
    await parts('reject', 'cancellation', String(kept), '--message', 'Already being loaded.'),
    done(`Rejected the cancellation of order ${kept}; its state is new again.\n`),
  )
  assert.deepEqual(
    await parts('accept', 'adjustment', String(tooMany.adjustment)),
    failed(1, 'parts: Stock 1 has only 9993 of item 1 available; 19997 were requested.\n'),
  )
  const rejected = await parts('reject', 'adjustment', String(tooMany.adjustment), '--message', 'No.', '--json')
  assert.equal(JSON.parse(rejected.stdout).adjustment_canceled_message, 'No.')
  assert.equal(rejected.code, 0)

  assert.deepEqual(
    await parts('accept', 'adjustment', String(tooMany.adjustment)),
    failed(1, `parts: Adjustment ${tooMany.adjustment} is already CANCELED: No.\n`),
  )
  const again = await parts('reject', 'cancellation', String(kept), '--message', 'x')
  assert.equal(again.code, 1)
  assert.match(again.stderr, new RegExp(`^parts: Order number ${kept}: Order \\d+ has no pending cancellation request`))
  const inJson = await parts('accept', 'cancellation', String(kept), '--json')
  assert.deepEqual([inJson.code, inJson.stdout], [1, ''])
  assert.equal(JSON.parse(inJson.stderr).errors[0].code, 'cancellation_not_requested')
  assert.deepEqual([await stateOf(requested), await stateOf(kept)], ['canceled', 'new'])
  assert.deepEqual(await parts('inbox'), done('', 'No requests wait for a decision.\n'))
  await service.checkInvariants()
})

test('inbox shows the reason of a request, and that accepting it would cancel the order', async () => {
  const { id, number, line } = await placed()
  const { adjustment_id } = await world.shop.ok('PATCH', `/api/v1/orders/${id}/items/${line}/`, {
    quantity: 0,
    reason: 'Ordered twice.',
  })
  const piped = await parts('inbox')
  const expected = rows(`AGE | REQUEST | CLIENT | ORDER | BEFORE → AFTER | EFFECT | POSSIBLE
N s | adjustment ${adjustment_id} | Garage Weber | ${number} | BN-280-V 3 → 0; order new → canceled; reason: Ordered twice. | frees 3 of BN-280-V; exposure -30.00 | accept reject
`)
  assert.deepEqual({ ...piped, stdout: piped.stdout.replaceAll(/^\d+ s\t/gm, 'N s\t') }, done(expected))
  const accepted = await parts('accept', 'adjustment', String(adjustment_id))
  assert.deepEqual(accepted, done(`Accepted adjustment ${adjustment_id}: BN-280-V 3 → 0.\n`))
  assert.equal(await stateOf(number), 'canceled')

  const more = await adjusted(5)
  const rejected = await parts('reject', 'adjustment', String(more.adjustment), '--message', 'No.')
  assert.deepEqual(rejected, done(`Rejected adjustment ${more.adjustment}: BN-280-V 3 → 5.\n`))
})

test('a return is shown in the inbox, accepted with an instruction, and ends with its arrival', async () => {
  const { order_id, return_request_id } = await requestedReturn(world)
  const number = await numberOf(order_id)
  const id = String(return_request_id)
  const shown = await parts('inbox')
  assert.match(shown.stdout, new RegExp(`\treturn ${id}\tGarage Weber\t${number}\tBN-280-V 1 of 2; reason: Does not fit.\tnone until the goods arrive\taccept reject\n`)) // prettier-ignore
  const missing = await parts('accept', 'return', id)
  assert.deepEqual([missing.code, missing.stderr.split('\n')[0]], [2, 'parts: `parts accept return` requires --instruction.']) // prettier-ignore
  const accepted = await parts('accept', 'return', id, '--instruction', 'To Berlin.')
  assert.deepEqual(accepted, done(`Accepted the return ${id} of 1 pieces.\n`))
  assert.match((await parts('order', String(number))).stdout, /ACCEPTED\t.*To Berlin\./)
  const back = ['return', String(number), '--line', 'BN-280-V=1', '--reason', 'Back.', '--request', id]
  assert.equal((await parts(...back)).code, 0)
  const again = await parts('reject', 'return', id, '--message', 'No.')
  assert.deepEqual(again, failed(1, `parts: The request to return goods ${id} is already RETURNED.\n`))
  for (const state_id of ['shipped', 'completed'])
    // Other tests list what is open.
    await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
})

test('an adjustment far above the quantity is accepted only after a confirmation with the figures', async () => {
  const { adjustment, number } = await adjusted(31)
  const id = String(adjustment)
  assert.deepEqual(
    await parts('accept', 'adjustment', id),
    failed(
      1,
      'parts: Nothing was changed: quantity 3 → 31 must be confirmed.\nCheck the figures, then repeat the command with --yes.\n',
    ),
  )
  const asked = await runOnTerminal(100, ['accept', 'adjustment', id], { ...asAdmin(), NO_COLOR: '1' })
  assert.equal(asked.code, 1)
  assert.match(asked.stdout, /^quantity 3 → 31: far out of the usual\. Continue\? \[y\/N\]/)
  assert.deepEqual(
    await parts('accept', 'adjustment', id, '--yes'),
    done(`Accepted adjustment ${adjustment}: BN-280-V 3 → 31.\n`),
  )
  await parts('move', String(number), 'canceled', '--text', 'Ordered by mistake.')
})

test('an order is shown by its number, listed and moved', async () => {
  const { id, number } = await placed()
  assert.deepEqual(await parts('move', String(number), 'processing'), done(`Moved order ${number} to processing.\n`))
  const moved = await parts('move', String(number), 'fulfilling', '--text', 'By noon.', '--json')
  assert.equal(JSON.parse(moved.stdout).order_state_id, 'fulfilling')
  const shown = rows(`Order ${number}
Client | Garage Weber (client ${world.me.client_id})
Contact | Anna Weber (contact ${world.me.contact_id})
Address | Invalidenstraße 116; 10115 Berlin; DE-BE, DE
State | Being assembled (fulfilling)
Placed | YYYY-MM-DD HH:MM:SS
Updated | YYYY-MM-DD HH:MM:SS
Stock | Berlin (stock 1)
Contract | Standard (contract ${world.me.contract_id}, no limit)
Total | 30.00 EUR (discount 0% 0.00, shipping 0.00, tax 20% included 5.00, rate 1)
Order id | ${id}

ARTICLE | QUANTITY | SHIPPED | OPEN | PRICE | TITLE
BN-280-V | 3 | 0 | 3 | 10.00 | Brake disc front 280 mm vented

DATE | EVENT | STATE | NOTE | BY
YYYY-MM-DD HH:MM:SS | Change of status | fulfilling | By noon. | operator 4 key 4, Test admin
YYYY-MM-DD HH:MM:SS | Change of status | processing |  | operator 4 key 4, Test admin
YYYY-MM-DD HH:MM:SS | Change of status | new |  | key ${world.me.key_id}
`)
  assert.deepEqual(maskTimes(await parts('order', String(number))), done(shown))
  const json = await parts('order', String(number), '--json')
  assert.deepEqual(JSON.parse(json.stdout), await operators.ok('GET', `/operator/v1/orders/${id}/`))
  const narrow = await runOnTerminal(80, ['order', String(number)], { ...asAdmin(), NO_COLOR: '' })
  assert(narrow.stdout.split('\n').every((line) => widthOf(stripVTControlCharacters(line)) <= 80), narrow.stdout) // prettier-ignore

  const listed = rows(`ORDER | PLACED | CLIENT | REFERENCE | STATE | STOCK | TOTAL
${number} | YYYY-MM-DD HH:MM | Garage Weber |  | fulfilling | Berlin | 30.00 EUR
`)
  for (const states of ['fulfilling', 'shipped,Fulfilling'])
    assert.deepEqual(maskTimes(await parts('orders', '--state', states)), done(listed))
  const nowhere = { PARTS_URL: 'http://127.0.0.1:1', PARTS_KEY: operators.keys.admin } // Nothing is sent.
  const unknown = await runParts(['orders', '--state', 'new,nowhere'], nowhere)
  assert.deepEqual([unknown.code, unknown.stdout], [2, ''])
  assert.match(unknown.stderr, /^parts: --state must name states, not 'nowhere'\. The states are new, processing, /)
  const target = await runParts(['move', String(number), 'zayavka-na-otmen'], nowhere)
  assert.deepEqual([target.code, target.stdout], [2, ''])
  assert.match(target.stderr, /^parts: An order cannot be moved to 'zayavka-na-otmen'\. The states are new, /)
  assert.deepEqual(await parts('orders', '--client', '1'), done('', 'No orders found.\n'))
  const two = await parts('orders', '--limit', '2', '--json')
  assert.equal(two.stdout.trimEnd().split('\n').length, 2)
  assert.match(two.stderr, /^There are more rows/)

  const back = await parts('move', String(number), 'new')
  assert.equal(back.code, 1)
  assert.match(back.stderr, /^parts: Order number \d+: Order \d+ cannot move from 'fulfilling'/)
  assert.deepEqual(
    await parts('move', String(number), 'canceled'),
    failed(1, "parts: The field 'text' is required and must not be empty.\n"),
  )
  assert.deepEqual(await parts('order', '1'), failed(1, 'parts: There is no order with number 1.\n'))
  await service.checkInvariants()
})

test('an order is shipped in parts, and its rest is closed', async () => {
  const { number } = await placed()
  const order_number = String(number)
  for (const state of ['processing', 'fulfilling']) await parts('move', order_number, state)
  const one = await parts('ship', order_number, '--line', 'bn-280-v=1', '--carrier', 'DHL', '--tracking', '0034')
  assert.match(one.stdout, new RegExp(`^Shipped order ${number} \\(shipment \\d+\\)\\. 2 still open\\.\n$`))
  const shown = (await parts('order', order_number)).stdout.split('\n')
  assert(
    shown.some((line) => /^\d+\t[-\d: ]+\tDHL\t0034\t1 × BN-280-V$/.test(line)),
    shown.join('\n'),
  )
  assert.deepEqual(
    await parts('ship', order_number, '--line', 'XX=1'),
    failed(1, `parts: Order ${number} has no line 'XX'.\n`),
  )
  assert.match(
    (await parts('ship', order_number, '--line', 'BN-280-V')).stderr,
    /^parts: --line must be ARTICLE=QUANTITY/,
  )
  assert.match((await parts('ship', order_number, '--line', 'BN-280-V=3')).stderr, /has 2 open; 3 cannot be shipped/)
  assert.deepEqual(
    await parts('close-open', order_number, '--reason', 'Sold out.'),
    done(`Closed order ${number}: its state is shipped, its total 10.00 EUR.\n`),
  )
  const other = String((await placed()).number)
  for (const state of ['processing', 'fulfilling']) await parts('move', other, state)
  assert.match((await parts('close-open', other, '--reason', 'No.')).stderr, /Nothing of order \d+ has been shipped/)
  assert.match((await parts('ship', other)).stdout, /Nothing is open\.\n$/)
  await service.checkInvariants()
})

test('an order is put on hold, shown with the reason, not moved, and released', async () => {
  const { number } = await placed()
  const order_number = String(number)
  assert.deepEqual(
    await parts('hold', order_number, '--reason', 'Payment is overdue.'),
    done(`Order ${number} is on hold: Payment is overdue.\n`),
  )
  const shown = (await parts('order', order_number)).stdout.split('\n')
  assert(shown.includes('On hold\tPayment is overdue.'), shown.join('\n'))
  const refused = await parts('move', order_number, 'processing')
  assert.deepEqual([refused.code, refused.stdout], [1, ''])
  assert.match(refused.stderr, /^parts: Order number \d+: Order \d+ is on hold: Payment is overdue\.\n/)
  assert.deepEqual(await parts('release', order_number), done(`Order ${number} is not on hold; its state is new.\n`))
  const json = await parts('hold', order_number, '--reason', 'Payment is overdue.', '--json')
  assert.equal(JSON.parse(json.stdout).hold_reason, 'Payment is overdue.')
  assert.equal(JSON.parse((await parts('release', order_number, '--json')).stdout).hold_reason, null)
  assert.equal((await parts('hold', order_number)).code, 2)
})

test('an order is corrected: notes, lines, shipping date, and a cancellation undone', async () => {
  const { number } = await placed()
  const order_number = String(number)
  assert.deepEqual(
    await parts('note', order_number, 'Call before loading.'),
    done(`Added an internal note to order ${number}.\n`),
  )
  assert.deepEqual(
    await parts('note', order_number, 'One comes later.', '--client'),
    done(`Added a note for the client to order ${number}.\n`),
  )
  const because = ['--reason', 'Damaged.']
  const effect = rows(`Order ${number}
Line | BN-280-V, Brake disc front 280 mm vented, 10.00 each
Quantity | 3 → 2
State | new
Total | 30.00 → 20.00
Tax | 5.00 → 3.33
Discount | 0.00
`)
  const dry = await parts('line', order_number, 'bn280v', '2', ...because, '--dry-run')
  assert(dry.stdout.startsWith(effect), dry.stdout)
  assert.match(dry.stdout, /\nFree after\t\d+\nLimit left\tno limit\n$/)
  assert.deepEqual(
    await parts('line', order_number, 'BN-280-V', '2', ...because),
    done(`Changed order ${number}: BN-280-V 3 → 2, total 20.00, state new.\n`),
  )
  assert.deepEqual(
    await parts('line', order_number, 'FW-2', '4', '--add', ...because),
    done(`Changed order ${number}: FW-2 0 → 4, total 30.00, state new.\n`),
  )
  const none = await parts('line', order_number, 'FW-3', '4', ...because)
  assert.equal(
    none.stderr,
    `parts: Order number ${number} has no line of 'FW-3'.\nRun \`parts order ${number}\` to see its lines, or add one with --add.\n`,
  )
  assert.equal((await parts('line', order_number, 'FW-2', 'four', ...because)).code, 2)
  const day = Temporal.Now.plainDateISO('UTC').add({ days: 5 }).toString()
  assert.deepEqual(await parts('reschedule', order_number, day), done(`Order ${number} ships on ${day}.\n`))
  await parts('move', order_number, 'processing')
  await parts('move', order_number, 'canceled', '--text', 'Sold out.')
  assert.deepEqual(
    await parts('undo', order_number, '--reason', 'A mistake.'),
    done(`Order ${number} is processing again.\n`),
  )
  assert.deepEqual(await parts('move', order_number, 'new'), done(`Moved order ${number} to new.\n`))
  const shown = await parts('order', order_number)
  assert.match(shown.stdout, /\tOne comes later\.\toperator 4 key 4, Test admin\n/)
  assert.match(
    shown.stdout,
    /\nDATE\tAUTHOR\tINTERNAL NOTE\n.*\toperator \d+ key \d+, Test admin\tCall before loading\.\n$/,
  )
  await service.checkInvariants()
})

test('at a terminal a change of a line is shown first, and made only after a yes', async () => {
  const { number } = await placed()
  const change = (typed: string, ...more: string[]): Promise<Ran> =>
    runOnTerminal(
      80,
      ['line', String(number), 'BN-280-V', '2', '--reason', 'Damaged.', ...more],
      { ...asAdmin(), NO_COLOR: '1' },
      typed,
    )
  const no = await change('n\n')
  assert.equal(no.code, 1)
  assert.match(no.stdout, /Total +30\.00 → 20\.00\n[^]*Change the order\? \[y\/N\][^]*Nothing was changed\.\n$/)
  const yes = await change('yes\n')
  assert.equal(yes.code, 0)
  assert.match(yes.stdout, /Change the order\?[^]*Changed order \d+: BN-280-V 3 → 2, total 20\.00, state new\.\n$/)
})

test('a count prints the level and the orders that can no longer be served', async () => {
  const count = (pieces: number): Promise<Ran> => parts('count', '2', '1', String(pieces), '--reason', 'Counted.')
  const cart_id = await world.shop.createCart()
  await world.shop.add(cart_id, { item_id: 1, quantity: 5, stock_id: 2 })
  const id = await world.shop.order(cart_id)
  const number = await numberOf(id)
  assert.deepEqual(await count(20), done('BN-280-V in Hamburg: 20 → 20, 5 reserved.\n'))
  assert.deepEqual(
    maskTimes(await count(3)),
    done(
      rows(`BN-280-V in Hamburg: 20 → 3, 5 reserved.
2 are missing for these orders:
ORDER | PLACED | CLIENT | STATE | OPEN | MISSING
${number} | YYYY-MM-DD HH:MM | Garage Weber | new | 5 | 2
`),
    ),
  )
  assert.equal((await parts('count', '2', '1', 'few', '--reason', 'Counted.')).code, 2)
  const late = await parts('count', '2', '1', '19', '--reason', 'Counted.', '--expected', '20')
  assert.deepEqual([late.code, late.stderr.split('\n')[0]], [1, 'parts: The stock is 3, and 20 was expected.'])
  await parts('move', String(number), 'canceled', '--text', 'Lost.')
  await count(20)
  await service.checkInvariants()
})

test('an order shows where it goes, who placed it, and what the client says about it', async () => {
  const { shop, me } = world
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/`, {
    contact_email: 'anna@weber.example',
  })
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 2, contract_id: me.limited_contract_id })
  const { created_order_id } = await shop.ok('PUT', '/api/v1/orders/', {
    cart_group_key: await shop.groupKey(cart_id),
    ...address,
    room: '3. OG',
    recipient: 'Jonas Weber',
    phone: '+49 30 1234567',
    reference: 'PO-2026-0815',
    comment: 'Please call before delivery.',
  })
  const number = await numberOf(created_order_id)
  const shown = (await parts('order', String(number))).stdout.split('\n')
  for (const line of rows(`Contact | Anna Weber (anna@weber.example, contact ${me.contact_id})
Address | Invalidenstraße 116, 3. OG; 10115 Berlin; DE-BE, DE
Recipient | Jonas Weber, +49 30 1234567
Reference | PO-2026-0815
Comment | Please call before delivery.
Total | 20.90 EUR (discount 5% 1.00, shipping 0.00, tax 10% added 1.90, rate 1)`).split('\n'))
    assert(shown.includes(line), `${line}\nis not in\n${shown.join('\n')}`)
  const listed = await parts('orders', '--client', String(me.client_id), '--limit', '1')
  assert.deepEqual(listed.stdout.split('\n')[1]?.split('\t').slice(2, 4), ['Garage Weber', 'PO-2026-0815'])
})

test('a client is shown, and its references are made unique and again not', async () => {
  const { client_id, contact_id, contract_id, limited_contract_id, special_contract_id } = (await makeWorld(service)).me
  const id = String(client_id)
  const shown = rows(`Client ${id}
Name | Garage Weber
References | any
Stocks | Berlin (stock 1), Hamburg (stock 2)

CONTACT | NAME | EMAIL
${contact_id} | Anna Weber |${' '}

CONTRACT | NAME | DEFAULT | LIMIT | OPEN | DISCOUNT | TAX
${contract_id} | Standard | yes | none | 0.00 | 0% | 20% included
${limited_contract_id} | Limited | no | 1000.00 | 0.00 | 5% | 10% added
${special_contract_id} | Special | no | none | 0.00 | 0% | 0% included
`)
  assert.deepEqual(await parts('client', 'show', id), done(shown))
  assert.deepEqual(
    await parts('client', 'change', id, '--references', 'unique'),
    done(`The references of client ${id}, Garage Weber, are unique now.\n`),
  )
  const json = await parts('client', 'show', id, '--json')
  assert.deepEqual(JSON.parse(json.stdout), await operators.ok('GET', `/operator/v1/clients/${id}/`))
  assert.equal(JSON.parse(json.stdout).unique_references, true)
  const wrong = await parts('client', 'change', id, '--references', 'yes')
  assert.deepEqual([wrong.code, wrong.stdout], [2, ''])
  assert.match(wrong.stderr, /^parts: --references must be 'unique' or 'any', not 'yes'\.\n/)
  const back = await parts('client', 'change', id, '--references', 'any', '--json')
  assert.equal(JSON.parse(back.stdout).unique_references, false)
  assert.equal((await parts('client', 'show', '1')).code, 1)
  await operators.ok('POST', `/operator/v1/clients/${id}/block/`, { reason: 'Payment is overdue.' })
  await operators.ok('POST', `/operator/v1/clients/${id}/contracts/${contract_id}/block/`, { reason: 'Expired.' })
  const blocked = (await parts('client', 'show', id)).stdout.split('\n')
  assert.deepEqual(blocked.slice(2, 4), ['Blocked\tPayment is overdue.', `Contract ${contract_id} blocked\tExpired.`])
})

test("a client's key is issued, listed and revoked, and standard output contains only the key", async () => {
  const { client_id, contact_id, key_id: first } = world.me
  const whose = ['--client', String(client_id), '--contact', String(contact_id)]
  const issued = await parts(
    'key',
    'issue',
    ...whose,
    '--scopes',
    'orders:read, events:read',
    '--expires',
    '2030-01-01',
  )
  const [, id] = /^pos_(\d+)_\w{43}_\w{6}\n$/.exec(issued.stdout) ?? []
  assert(id)
  assert.equal(
    issued.stderr,
    `Issued key ${id} for contact ${contact_id} of client ${client_id}. It is not shown again:\n`,
  )
  const works = await service.request('GET', '/api/v1/orders/', { key: issued.stdout.trim() })
  assert.equal(works.status, 200)

  const every = 'carts:read carts:write orders:read orders:write events:read webhooks:write keys:write'
  const list = (revoked: string): Ran =>
    done(
      rows(`KEY | CONTACT | SCOPES | ISSUED | EXPIRES | REVOKED
${first} | ${contact_id} | ${every} | YYYY-MM-DD HH:MM:SS | never |${' '}
${id} | ${contact_id} | orders:read events:read | YYYY-MM-DD HH:MM:SS | YYYY-MM-DD HH:MM:SS | ${revoked}
`),
    )
  assert.deepEqual(maskTimes(await parts('key', 'list', '--client', String(client_id))), list(''))
  assert.deepEqual(
    maskTimes(await parts('key', 'revoke', id)),
    done(`Revoked key ${id} of client ${client_id} at YYYY-MM-DD HH:MM:SS.\n`),
  )
  assert.deepEqual(maskTimes(await parts('key', 'list', '--client', String(client_id))), list('YYYY-MM-DD HH:MM:SS'))
  const json = await parts('key', 'issue', ...whose, '--json')
  assert.deepEqual(Object.keys(JSON.parse(json.stdout)), ['key_id', 'key'])
  assert.equal(json.stderr, '')
  assert.equal((await parts('key', 'revoke', '999999')).code, 1)
  assert.deepEqual(
    await parts('key', 'issue', ...whose, '--expires', 'soon'),
    failed(
      1,
      "parts: Invalid value 'soon' for 'expires_on': it must be a calendar day as YYYY-MM-DD, without a time of day.\n",
    ),
  )
})

test('the feed is pushed to an endpoint, which is changed, paused, resumed, tested and deleted', async () => {
  const url = 'https://erp.example/events'
  const created = await parts('feed', 'create', url, '--types', 'order.created,order.shipped')
  assert.match(created.stdout, /^whsec_\S+\n$/)
  const [, id = ''] =
    /^Created endpoint (\d+) of the feed\. Its secret is not shown again:\n$/.exec(created.stderr) ?? []
  const listed = async (): Promise<string> =>
    (await parts('feed', 'list')).stdout.split('\n')[1]?.replace(/\t\S*$/, '') ?? ''
  assert.equal(await listed(), [id, url, 'order.created order.shipped', 'active', ''].join('\t'))
  assert.deepEqual(await parts('feed', 'change', id, '--types', 'all'), done(`Changed endpoint ${id} of the feed.\n`))
  assert.deepEqual(await parts('feed', 'pause', id), done(`Paused endpoint ${id} of the feed.\n`))
  assert.equal(await listed(), [id, url, 'all', 'operator', ''].join('\t'))
  assert.deepEqual(await parts('feed', 'resume', id), done(`Resumed endpoint ${id} of the feed.\n`))
  const rotated = await parts('feed', 'rotate', id)
  assert.match(rotated.stdout, /^whsec_\S+\n$/)
  assert.notEqual(rotated.stdout, created.stdout)
  assert.deepEqual(await parts('feed', 'test', id), done(`Requested a test of endpoint ${id} of the feed.\n`))
  const log = await parts('feed', 'log', id)
  assert.deepEqual([log.code, log.stderr], [0, `Nothing was sent to endpoint ${id} in the last 30 days.\n`])
  assert.equal((await parts('feed', 'change', id)).code, 2)
  assert.deepEqual(await parts('feed', 'delete', id), done(`Deleted endpoint ${id} of the feed.\n`))
  assert.deepEqual(await parts('feed', 'delete', id), failed(1, `parts: No such endpoint of the feed: ${id}.\n`))
})

test("a contact's personal data is erased, with what was erased", async () => {
  const { client_id } = world.me
  const { contact_id } = await operators.ok('POST', `/operator/v1/clients/${client_id}/contacts/`, {
    contact_name: 'Former employee',
  })
  const whose = ['--client', String(client_id), '--contact', String(contact_id)]
  await parts('key', 'issue', ...whose)
  assert.deepEqual(
    await parts('contact', 'erase', ...whose),
    done(`Erased contact ${contact_id} of client ${client_id}.
${rows(`Keys revoked | 1
Comments erased | 0
Reasons erased | 0
Events changed | 1
`)}`),
  )
  const again = await parts('contact', 'erase', ...whose, '--json')
  assert.equal(JSON.parse(again.stdout).revoked_keys, 0)
  assert.equal((await parts('contact', 'erase', '--client', String(client_id), '--contact', '1')).code, 1)
})

test('the audit log shows who issued and revoked a key of whom', async () => {
  const { client_id, contact_id } = world.me
  const { stdout } = await parts(
    'key',
    'issue',
    '--client',
    String(client_id),
    '--contact',
    String(contact_id),
    '--json',
  )
  const { key_id } = JSON.parse(stdout) as { key_id: number }
  await parts('key', 'revoke', String(key_id))
  const by = /^operator \d+ key \d+, Test admin$/
  const { stdout: listed } = await parts('audit', '--client', String(client_id), '--limit', '2', '--json')
  const entries = listed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    entries.map((entry) => [entry['audit_action'], entry['key_id'], by.test(String(entry['actor']))]),
    [
      ['key_revoked', key_id, true],
      ['key_issued', key_id, true],
    ],
  )
  assert.deepEqual(
    maskTimes({ ...(await parts('audit', '--limit', '1')), stderr: '' }),
    done(
      rows(`ID | TIME | ACTION | KEY | OF | CHANGE | BY
${String(entries[0]?.['audit_id'])} | YYYY-MM-DD HH:MM:SS | key_revoked | ${key_id} | Anna Weber (contact ${contact_id}) of Garage Weber (client ${client_id}) |  | ${String(entries[0]?.['actor'])}
`),
    ),
  )
})

test('the audit log is exported from a position on, each entry once, and filtered by action and actor', async () => {
  const numbers = ({ stdout }: { stdout: string }): number[] =>
    stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => (JSON.parse(line) as { audit_id: number }).audit_id)
  const all = await parts('audit', 'export', '--after', '0')
  assert.equal(all.code, 0)
  const exported = numbers(all)
  assert.deepEqual(
    exported,
    exported.map((_, n) => n + 1),
  )
  const last = exported.at(-1) ?? assert.fail()
  assert.deepEqual(numbers(await parts('audit', 'export', '--after', String(last - 2))), [last - 1, last])
  assert.deepEqual(await parts('audit', 'export', '--after', String(last)), done(''))
  const wrong = await parts('audit', 'export', '--after', 'x')
  assert.deepEqual([wrong.code, wrong.stderr], [2, "parts: --after must be a position such as 0 or 12, not 'x'.\n"])

  const { client_id } = world.me
  const { body } = await service.request('POST', `/operator/v1/clients/${client_id}/carts/`, {
    key: operators.keys.admin,
    json: { name: 'Old' },
  })
  const path = `/operator/v1/clients/${client_id}/carts/${String(body.data.cart_id)}/`
  await operators.ok('POST', `${path}rename/`, { name: 'New' })
  const [renamed] = (await parts('audit', '--action', 'cart_renamed', '--limit', '1')).stdout.split('\n').slice(1)
  assert.match(
    renamed ?? '',
    new RegExp(`\\{"cart_id":${String(body.data.cart_id)}\\} \\{"cart_name":"Old"\\} → \\{"cart_name":"New"\\}`),
  )
  const [entry] = await operators.ok('GET', '/operator/v1/audit/?audit_action=cart_renamed&limit=1')
  assert.deepEqual(numbers(await parts('audit', '--actor', entry.actor, '--json')), [
    entry.audit_id,
    entry.audit_id - 1,
  ])
})

test('an operator key is issued and revoked; the first key and the migration need only the database', async () => {
  const empty = await createTestDatabase()
  const database = { DATABASE_URL: empty.url }
  const migrated = await runParts(['migrate'], database)
  assert.deepEqual([migrated.code, migrated.stderr], [0, ''])
  const issueFirst = () =>
    runParts(['operator-key', 'issue', '--first', '--name', 'Anna Berg', '--role', 'admin'], database)
  const first = await issueFirst()
  assert.match(first.stdout, /^pso_1_\w{43}_\w{6}\n$/, first.stderr)
  const again = await issueFirst()
  assert.equal(again.code, 3)
  assert.match(again.stderr, /^parts: Operator key 1 exists already: issue further keys with an admin's key/)
  await empty.drop()
  const environment = asAdmin()
  const second = await runParts(['operator-key', 'issue', '--name', 'Ben', '--role', 'viewer', '--json'], environment)
  const { key_id, key } = JSON.parse(second.stdout) as { key_id: number; key: string }
  assert.match(key, /^pso_/)
  const list = await runParts(['operator-key', 'list', '--all'], environment)
  assert(maskTimes(list).stdout.endsWith(rows(`${key_id} | Ben | viewer | YYYY-MM-DD HH:MM:SS | never | \n`)))
  assert.deepEqual(
    maskTimes(await runParts(['operator-key', 'revoke', String(key_id)], environment)),
    done(`Revoked operator key ${key_id} of Ben at YYYY-MM-DD HH:MM:SS.\n`),
  )

  const everybody = await runParts(['operator', 'list', '--all', '--json'], environment)
  const ben = everybody.stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { operator_id: number; operator_name: string })
    .find(({ operator_name }) => operator_name === 'Ben')
  const id = String(ben?.operator_id)
  const further = ['operator-key', 'issue', '--operator', id, '--name', 'Ben', '--role', 'viewer']
  assert.equal((await runParts(further, environment)).code, 0)
  assert.deepEqual(
    await runParts(['operator', 'erase', id], environment),
    done(rows(`Erased operator ${id}.\nKeys revoked | 1\nSessions ended | 0\n`)),
  )
  const remaining = maskTimes(await runParts(['operator', 'list', '--all'], environment)).stdout
  assert(
    remaining.endsWith(rows(`${id} | Erased operator |  |  | 0 | YYYY-MM-DD HH:MM:SS | YYYY-MM-DD HH:MM:SS\n`)),
    remaining,
  )

  const unsafe = ['operator-key', 'issue', '--first', '--name', 'Anna\nBerg', '--role', 'admin']
  assert.equal((await runParts(unsafe, database)).code, 2)
  const wrongRole = await runParts(['operator-key', 'issue', '--first', '--name', 'A', '--role', 'boss'], database)
  assert.equal(wrongRole.code, 2)
  const nowhere = await runParts(['migrate'], { DATABASE_URL: 'postgres://postgres@127.0.0.1:1/none' })
  assert.deepEqual(
    nowhere,
    failed(
      3,
      'parts: PostgreSQL at 127.0.0.1:1 cannot be reached (ECONNREFUSED): check DATABASE_URL, and that the server is running.\n',
    ),
  )
  for (const command of ['migrate', 'after-restore']) {
    const unset = await runParts([command])
    assert.equal(unset.code, 2)
    assert.match(unset.stderr, /DATABASE_URL must be set/)
  }
})

test('after-restore makes a restored database safe, and changes nothing in one that was not restored', async () => {
  const database = { DATABASE_URL: service.databaseUrl }
  const nextOrder = async (): Promise<unknown> =>
    (await service.sql(`select coalesce(last_value, start_value) as last_value from pg_sequences where sequencename = 'orders_order_id_seq'`))[0]?.['last_value'] // prettier-ignore
  const before_ = await nextOrder()
  const nothing = 'The database was not restored: nothing to do.\n'
  assert.deepEqual(await runParts(['after-restore'], database), done(nothing))
  const wrong = await runParts(['after-restore', '--margin', '0'], database)
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /--margin must be a whole number from 1/)
  assert.equal(await nextOrder(), before_)
  const forced = await runParts(['after-restore', '--force', '--margin', '5000'], database)
  assert.equal(forced.code, 0, forced.stderr)
  assert.match(
    forced.stdout,
    /^Nothing shows that the database was restored; forced\. All numbers were advanced by 5000/,
  )
  assert.equal(Number(await nextOrder()), Number(before_) + 5_000)
  assert.deepEqual(await runParts(['after-restore'], database), done(nothing))
})

test('a file is imported completely, row by row, or not at all, and can be imported again', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'parts-import-'))
  const file = join(directory, 'prices.csv')
  const write = (...lines: string[]): void => writeFileSync(file, `price_list_id,item_id,price\n${lines.join('\n')}\n`)
  const withoutProgress = ({ code, stdout, stderr }: Ran): Ran => ({
    code,
    stdout,
    stderr: stderr.replaceAll(/^(sending|waiting|checking|applying): .*\n/gm, ''),
  })
  const imported = async (...options: string[]): Promise<Ran> =>
    withoutProgress(await parts('import', file, ...options))
  const priceOf = async (item_id: number): Promise<unknown> =>
    (await service.sql('select price::float8 from prices where price_list_id = 2 and item_id = $1', [item_id]))[0]?.[
      'price'
    ]
  try {
    write('2,1,9.5', '2,3,0.5')
    assert.deepEqual(await imported(), done('Imported 2 of 2 rows: 1 added, 1 changed, 0 unchanged.\n'))
    assert.deepEqual(await imported(), done('Imported 2 of 2 rows: 0 added, 0 changed, 2 unchanged.\n'))
    write('2,1,8', '2,999999,1', '2,3,cheap')
    const invalid = [
      `${file}:3: No such item: 999999.`,
      `${file}:4: Invalid value 'cheap' for 'price': it must be a number from 0 to 99999999999 with at most 4 decimal places.`,
    ]
    const refused = await imported()
    assert.deepEqual(
      refused,
      failed(4, `${invalid.join('\n')}\nparts: Nothing was imported: 2 of 3 rows of ${file} are invalid.\n`),
    )
    assert.equal(await priceOf(1), 9.5)
    assert.deepEqual(await imported('--rows', '--errors-max', '1'), {
      code: 4,
      stdout: 'Imported 1 of 3 rows: 0 added, 1 changed, 0 unchanged; 2 refused.\n',
      stderr: `${invalid[0]}\nThere are more invalid rows: --errors-max N prints N of them.\n`,
    })
    assert.equal(await priceOf(1), 8)
    const json = await parts('import', file, '--json')
    const { import_id, import_state } = JSON.parse(json.stdout) as { import_id: number; import_state: string }
    assert.deepEqual([json.code, import_state], [4, 'refused'])
    assert.deepEqual(JSON.parse(json.stdout), await operators.ok('GET', `/operator/v1/imports/${import_id}/`))
    assert.deepEqual(
      json.stderr.trimEnd().split('\n').map((line) => JSON.parse(line) as unknown),
      await operators.ok('GET', `/operator/v1/imports/${import_id}/errors/`),
    ) // prettier-ignore
    const viewer = await runParts(['import', file], { PARTS_URL: url, PARTS_KEY: operators.keys.viewer })
    assert.equal(viewer.code, 3)
    assert.match(
      viewer.stderr,
      /parts: The role 'viewer' does not have the permission 'catalogue'\. Roles that have it: cataloguer, admin\.\n/,
    )
  } finally {
    rmSync(directory, { recursive: true })
  }
  await service.checkInvariants()
})

test('check exits with 0 if all invariants hold, and prints the violations and exits with 1 if not', async () => {
  assert.deepEqual(await parts('check'), done('All invariants hold.\n'))
  assert.deepEqual(await parts('check', '--json'), done(''))
  await service.sql('update contracts set exposure = exposure + 1 where contract_id = $1', [world.me.contract_id])
  const [row] = await service.sql('select exposure, exposure - 1 as open from contracts where contract_id = $1', [
    world.me.contract_id,
  ])
  const violation = `client ${world.me.client_id}, contract ${world.me.contract_id}: exposure ${String(row?.['exposure'])}, open ${String(row?.['open'])}`
  const invariant = 'I11 exposure is the sum of open orders'
  const text = await parts('check')
  assert.deepEqual(text, { code: 1, stdout: `INVARIANT\tVIOLATION\n${invariant}\t${violation}\n`, stderr: '' })
  const json = await parts('check', '--json')
  assert.deepEqual([json.code, JSON.parse(json.stdout)], [1, { invariant, violation }])
  await service.sql('update contracts set exposure = exposure - 1 where contract_id = $1', [world.me.contract_id])
  await service.checkInvariants()
})

test('lists follow all pages, and end when the reader closes the pipe', async () => {
  await service.sql(`insert into operator_keys (key_id, operator_name, role, digest, issued_by)
    select 10000 + n, 'Many', 'viewer', sha256(n::text::bytea), 'the tests' from generate_series(1, 1100) n`) // prettier-ignore
  const [counted] = await service.sql('select count(*)::integer as keys from operator_keys')
  const all = await parts('operator-key', 'list', '--all', '--json')
  assert.equal(all.stdout.trimEnd().split('\n').length, counted?.['keys'])
  assert.equal(new Set(all.stdout.trimEnd().split('\n')).size, counted?.['keys'])
  const some = await parts('operator-key', 'list')
  assert.equal(some.stdout.trimEnd().split('\n').length, 101)
  assert.equal(some.stderr, 'There are more rows: use --limit N or --all.\n')
  const piped = await promisify(execFile)(
    'bash',
    [
      '--norc',
      '-c',
      `set -o pipefail; "${process.execPath}" "${join(import.meta.dirname, 'main.ts')}" operator-key list --all | head -n 1`,
    ],
    { env: { PATH: process.env['PATH'], ...asAdmin() } },
  )
  assert.deepEqual(piped, { stdout: 'KEY\tID\tOPERATOR\tROLE\tISSUED\tEXPIRES\tREVOKED\n', stderr: '' })
})

const harmful = /(?![\n\t\r])\p{Cc}|\p{Cf}/u

test('control characters in data of the service do not reach the terminal', async () => {
  await service.sql(`update clients set client_name = E'Evil\\u001b[2J\\u009b31m\\u202eWeber' where client_id = $1`, [world.me.client_id]) // prettier-ignore
  const { number } = await placed()
  for (const shown of [
    await parts('order', String(number)),
    await parts('orders', '--limit', '1'),
    await runOnTerminal(100, ['orders', '--limit', '1'], { ...asAdmin(), NO_COLOR: '1' }),
  ]) {
    assert.match(shown.stdout, /Evil�\[2J�31m�Weber/)
    assert.doesNotMatch(shown.stdout, harmful)
  }
  const json = await parts('order', String(number), '--json')
  assert.doesNotMatch(json.stdout, harmful)
  assert.equal(JSON.parse(json.stdout).client_name, 'Evil\u001B[2J\u009B31m\u202EWeber')
  await service.sql(`update clients set client_name = 'Garage Weber' where client_id = $1`, [world.me.client_id])
})

test('a missing, wrong or insufficient key ends with exit code 3 and advice; nothing changes', async () => {
  const number = await cancellation()
  const accept = ['accept', 'cancellation', String(number)]
  const none = await runParts(accept, { PARTS_URL: url })
  assert.equal(none.code, 3)
  assert.deepEqual(
    await runParts(accept, { PARTS_URL: url, PARTS_KEYFILE: 'key.txt', PARTS_API_HOST: 'of another program' }),
    failed(2, 'parts: PARTS_KEYFILE is not a setting. The settings are PARTS_URL, PARTS_KEY, PARTS_KEY_FILE.\n'),
  )
  assert.match(none.stderr, /^parts: No key is set\.\nSet PARTS_KEY to an operator key/)
  const clients = await runParts(accept, { PARTS_URL: url, PARTS_KEY: world.me.key })
  assert.equal(clients.code, 3)
  assert.match(clients.stderr, /^parts: This is a client's key/)
  const mistyped = await runParts(accept, { PARTS_URL: url, PARTS_KEY: `${operators.keys.admin.slice(0, -1)}!` })
  assert.equal(mistyped.code, 3)
  assert.match(mistyped.stderr, /is mistyped, expired or revoked/)
  const viewer = await runParts(accept, { PARTS_URL: url, PARTS_KEY: operators.keys.viewer })
  assert.deepEqual(
    viewer,
    failed(
      3,
      "parts: The role 'viewer' does not have the permission 'decide'. Roles that have it: decider, admin.\nUse a key with the required role. An admin can issue one with `parts operator-key issue`.\n",
    ),
  )
  assert.equal(await stateOf(number), 'zayavka-na-otmen')

  const directory = mkdtempSync(join(tmpdir(), 'parts-key-'))
  try {
    const file = join(directory, 'key')
    writeFileSync(file, `${operators.keys.decider}\n`)
    assert.equal((await runParts(accept, { PARTS_URL: url, PARTS_KEY_FILE: file })).code, 0)
    assert.deepEqual(
      await runParts(accept, { ...asAdmin(), PARTS_KEY_FILE: file }),
      failed(2, 'parts: PARTS_KEY and PARTS_KEY_FILE are both set. Set one of them.\n'),
    )
    const missing = await runParts(accept, { PARTS_URL: url, PARTS_KEY_FILE: join(directory, 'none') })
    assert.equal(missing.code, 3)
    assert.match(missing.stderr, /^parts: Cannot read PARTS_KEY_FILE: ENOENT/)
  } finally {
    rmSync(directory, { recursive: true })
  }
})

test('a wrong URL ends with exit code 3 and advice', async () => {
  const stranger = http.createServer((request, response) => {
    if (request.url?.startsWith('/old/')) response.writeHead(301, { location: 'https://parts.example/' }).end()
    else response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>Not here</h1>')
  })
  await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve))
  const there = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  const at = (address: string): Promise<Ran> => runParts(['inbox', '--url', address], asAdmin())
  try {
    assert.deepEqual(
      await at(`${there}/`),
      failed(
        3,
        `parts: The server at ${there} is not the Parts Ordering Service (status 404).\nSet PARTS_URL or --url to the URL of the service.\n`,
      ),
    )
    assert.match((await at(`${there}/old`)).stderr, /redirects to https:\/\/parts\.example\/ \(status 301\)/)
  } finally {
    stranger.close()
    stranger.closeAllConnections()
  }
  assert.deepEqual(
    await at(there),
    failed(
      3,
      `parts: Cannot reach the service at ${there}: connection refused.\nCheck that it is running and that PARTS_URL or --url is correct.\n`,
    ),
  )
  const prefixed = await at(`${url}/parts`)
  assert.equal(prefixed.code, 1)
  assert.match(prefixed.stderr, /PARTS_URL may contain an extra path/)
  for (const wrong of ['localhost:8080', 'ftp://x', 'http://a:b@127.0.0.1', ''])
    assert.equal((await at(wrong)).code, 2, wrong)
})

test('a wrong command line ends with exit code 2, without a request to the service', async () => {
  const wrong: [string[], RegExp][] = [
    [[], /^parts: work with the Parts Ordering Service as an operator/],
    [['foo'], /^parts: Unknown command 'foo'\.\n/],
    [['key'], /^parts: `parts key` requires a subcommand: key issue, key list, key revoke\.\n/],
    [['inbox', '--colour'], /^parts: Unknown option '--colour'\.\nRun `parts inbox --help`/],
    [['inbox', 'now'], /^parts: Unexpected argument 'now' for `parts inbox`/],
    [['accept', 'order', '7'], /^parts: The request must be 'cancellation', 'adjustment' or 'return', not 'order'/],
    [['accept', 'adjustment'], /^parts: `parts accept` requires NUMBER\.\n/],
    [['reject', 'adjustment', '88'], /^parts: `parts reject` requires --message\.\n/],
    [['order', '1e5'], /^parts: An order number must be a positive integer, not '1e5'\.\n/],
    [['orders', '--limit', '0'], /^parts: --limit must be a positive integer/],
    [['key', 'issue', '--client', '12'], /^parts: `parts key issue` requires --contact\.\n/],
  ]
  for (const [args, message] of wrong) {
    const ran = await runParts(args)
    assert.deepEqual([ran.code, ran.stdout], [2, ''], args.join(' '))
    assert.match(ran.stderr, message)
  }
})
