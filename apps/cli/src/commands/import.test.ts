/** Imports against a stub of the service, which can fail in ways that the real one does not. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { runOnTerminal, runParts, type Ran } from '../testing.ts'

interface ReceivedRequest {
  readonly call: string
  readonly query: Readonly<Record<string, string>>
  readonly type: string | undefined
  /** The name of the file. */
  readonly name: string | undefined
  readonly body: string
}

/** The status and body of a response, or a closed connection. */
type StubResponse = readonly [status: number, body: object] | 'close'

let server: http.Server
let url: string
let directory: string
let received: ReceivedRequest[] = []
let responses: StubResponse[] = []
const key = 'pso_1_a_key'

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parts-import-'))
  server = http.createServer((request, response) => void respond(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.close()
  server.closeAllConnections()
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  received = []
})

async function respond(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', url)
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
  received.push({
    call: `${request.method} ${pathname}`,
    query: Object.fromEntries(searchParams),
    type: request.headers['content-type'],
    name: nameIn(request.headers['content-disposition']),
    body: Buffer.concat(chunks).toString(),
  })
  const next = request.headers.authorization === key ? responses.shift() : 'close'
  if (next === undefined || next === 'close') request.socket.destroy()
  else response.writeHead(next[0], { 'content-type': 'application/json' }).end(JSON.stringify(next[1]))
}

const nameIn = (disposition: string | undefined): string | undefined =>
  disposition && decodeURIComponent(disposition.replace(/^attachment; filename\*=UTF-8''/, ''))

const done = {
  import_id: 12,
  import_kind: 'items',
  mode: 'all',
  import_key: 'k',
  import_state: 'done',
  rows: 3,
  rows_done: 3,
  rows_added: 2,
  rows_changed: 1,
  rows_unchanged: 0,
  rows_refused: 0,
  created_at: '2026-11-15 09:30:00',
  finished_at: '2026-11-15 09:30:01',
  actor: 'operator 1 key 1, Anna Berg',
}
const unfinished = (import_state: string, rows_done: number) => ({
  ...done,
  import_state,
  rows_done,
  finished_at: null,
})
const ok = (data: unknown, next_cursor?: string | null): StubResponse => [
  200,
  { status: 'ok', data, ...(next_cursor !== undefined && { paging: { next_cursor } }) },
]
const fail = (status: number, ...errors: object[]): StubResponse => [
  status,
  { status: 'fail', errors, request_id: 'r' },
]
const invalidRow = (line: number) => ({
  line,
  code: 'field_invalid',
  message: `The price of line ${line} is no number.`,
  field: 'price',
})

/** All responses must be used. */
async function parts(given: StubResponse[], args: readonly string[]): Promise<Ran> {
  responses = given
  const ran = await runParts(['import', ...args], environment())
  assert.equal(responses.length, 0, ran.stderr)
  return ran
}
const environment = () => ({ PARTS_URL: url, PARTS_KEY: key })

function fileOf(name: string, text = 'item_id\n1\n2\n3\n'): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

test('a file is sent unchanged, with the kind and type of its name, and the command waits until it is imported', async () => {
  const large = `item_id\n${'1234567\n'.repeat(200_000)}`
  const file = fileOf('Items_2026.csv', large)
  const ran = await parts(
    [
      ok(unfinished('waiting', 0)),
      ok(unfinished('checking', 1)),
      ok(unfinished('applying', 2)),
      ok({ ...done, rows: 1_200_000, rows_added: 1_199_999 }),
    ],
    [file, '--import-key', 'november 1'],
  )
  assert.deepEqual(
    { code: ran.code, stdout: ran.stdout },
    { code: 0, stdout: 'Imported 1,200,000 of 1,200,000 rows: 1,199,999 added, 1 changed, 0 unchanged.\n' },
  )
  assert.match(
    ran.stderr,
    /^sending: 0%, 0 B of 1\.6 MB\nwaiting: 0%, 0 of 3 rows\nchecking: 33%, 1 of 3 rows\napplying: 66%, 2 of 3 rows\n$/,
  )
  assert.deepEqual(received, [
    {
      call: 'POST /operator/v1/imports/items/',
      query: { mode: 'all', import_key: 'november 1', wait: '1' },
      type: 'text/csv',
      name: 'Items_2026.csv',
      body: large,
    },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, name: undefined, body: '' },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, name: undefined, body: '' },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, name: undefined, body: '' },
  ])
})

test('kind and format come from the file name or from options', async () => {
  const cases: [string, string[], string, string][] = [
    ['prices.ndjson', [], 'prices', 'application/x-ndjson'],
    ['stock_levels.jsonl', ['--rows'], 'stock-levels', 'application/x-ndjson'],
    ['dump.txt', ['--kind', 'items', '--format', 'csv'], 'items', 'text/csv'],
  ]
  for (const [name, options, kind, type] of cases) {
    received = []
    assert.equal((await parts([ok(done)], [fileOf(name), ...options])).code, 0)
    const [sent] = received
    assert.deepEqual([sent?.call, sent?.type], [`POST /operator/v1/imports/${kind}/`, type])
    const mode = options.includes('--rows') ? 'rows' : 'all'
    assert.deepEqual([sent?.query, sent?.name], [{ mode, wait: '1' }, name])
  }
})

test('with an invalid row nothing is imported, every invalid row is printed with file and line, and the exit code is 4', async () => {
  const file = fileOf('items.csv')
  const refused = { ...done, import_state: 'refused', rows_refused: 3, rows_added: 0, rows_changed: 0 }
  const error = { code: 'import_refused', message: '…', details: { import_id: 12, rows: 3, rows_refused: 3 } }
  const twoPages = [ok([invalidRow(2), invalidRow(3)], 'next'), ok([invalidRow(4)], null)]
  const ran = await parts(
    [fail(409, error, { ...invalidRow(2), details: { line: 2 } }), ok(refused), ...twoPages],
    [file],
  )
  assert.deepEqual({ ...ran, stderr: ran.stderr.replace(/^sending: .*\n/, '') }, {
    code: 4,
    stdout: '',
    stderr: `${[2, 3, 4].map((line) => `${file}:${line}: The price of line ${line} is no number.\n`).join('')}parts: Nothing was imported: 3 of 3 rows of ${file} are invalid.\n`,
  }) // prettier-ignore
  assert.deepEqual(
    received.slice(2).map(({ call, query }) => [call, query['cursor']]),
    [
      ['GET /operator/v1/imports/12/errors/', undefined],
      ['GET /operator/v1/imports/12/errors/', 'next'],
    ],
  )

  // The same, if the service finds the invalid row later.
  const later = await parts(
    [ok(unfinished('checking', 0)), ok(refused), ok([invalidRow(2)], 'next')],
    [file, '--errors-max', '1'],
  )
  assert.equal(later.code, 4)
  assert.match(
    later.stderr,
    /:2: The price of line 2 is no number\.\nThere are more invalid rows: --errors-max N prints N of them\.\nparts: Nothing was imported/,
  )
})

test('with --rows the valid rows are imported, the invalid ones printed, and the exit code is 4', async () => {
  const file = fileOf('items.csv')
  const ran = await parts(
    [ok({ ...done, mode: 'rows', rows_added: 1, rows_refused: 1 }), ok([invalidRow(3)], null)],
    [file, '--rows'],
  )
  assert.deepEqual([ran.code, ran.stdout], [4, 'Imported 2 of 3 rows: 1 added, 1 changed, 0 unchanged; 1 refused.\n'])
  assert(ran.stderr.endsWith(`${file}:3: The price of line 3 is no number.\n`))
})

test('--json prints only the import, and invalid rows as JSON to standard error, without progress', async () => {
  const finished = { ...done, mode: 'rows', rows_refused: 1 }
  const ran = await parts(
    [ok(unfinished('applying', 1)), ok(finished), ok([invalidRow(3)], null)],
    [fileOf('items.csv'), '--rows', '--json'],
  )
  assert.deepEqual([ran.code, JSON.parse(ran.stdout), JSON.parse(ran.stderr)], [4, finished, invalidRow(3)])
})

test('another refusal ends with its own message and exit code, even while the file is still being sent', async () => {
  const role = {
    code: 'role_missing',
    message: "The role 'viewer' does not have the permission 'catalogue'. Roles that have it: cataloguer, admin.",
  }
  const refused = await parts([fail(403, role)], [fileOf('items.csv')])
  assert.equal(refused.code, 3)
  assert.match(
    refused.stderr,
    /parts: The role 'viewer' does not have the permission 'catalogue'\. Roles that have it: cataloguer, admin\.\nUse a key with the required role/,
  )

  const early = http.createServer((_request, response) => {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify({ status: 'fail', errors: [{ code: 'unauthorized', message: 'No.' }], request_id: 'r' }),
    )
  })
  await once(early.listen(0, '127.0.0.1'), 'listening')
  try {
    const file = fileOf('prices.csv', 'x'.repeat(20_000_000))
    const address = `http://127.0.0.1:${(early.address() as AddressInfo).port}`
    const ran = await runParts(['import', file, '--url', address], environment())
    assert.equal(ran.code, 3)
    assert.match(ran.stderr, /parts: No\.\nThe key in PARTS_KEY/)
  } finally {
    early.close()
    early.closeAllConnections()
  }
})

test('a short outage does not end the command; after a lost response it advises how to continue', async () => {
  const busy = fail(503, { code: 'busy', message: 'Busy.' })
  const outlasted = await parts([ok(unfinished('applying', 1)), 'close', busy, ok(done)], [fileOf('items.csv')])
  assert.deepEqual([outlasted.code, outlasted.stdout.startsWith('Imported 3 of 3')], [0, true])

  const lost = await parts(['close'], [fileOf('items.csv')])
  assert.equal(lost.code, 3)
  assert.match(
    lost.stderr,
    /Cannot reach the service at .*\n.* The import may continue in the service\. Running the same command again applies nothing twice\.\n$/,
  )
  const unavailable = await parts(
    [fail(503, { code: 'database_unavailable', message: 'Gone.' })],
    [fileOf('items.csv')],
  )
  assert.equal(unavailable.code, 3)
  assert.match(
    unavailable.stderr,
    /parts: Gone\.\nThe import may continue in the service\. Running the same command again/,
  )
  const turnedAway = await parts([busy], [fileOf('items.csv')])
  assert.match(turnedAway.stderr, /parts: Busy\.\nTry again in a few seconds\.\n$/)
})

test('an import that the service could not finish ends with exit code 3', async () => {
  const failed = await parts([ok({ ...done, import_state: 'failed' })], [fileOf('items.csv')])
  assert.deepEqual([failed.code, failed.stdout], [3, ''])
  assert.match(failed.stderr, /parts: The service could not finish import 12; some rows may have been written\.\n/)
})

test('Ctrl-C stops waiting and prints advice on how to continue', async () => {
  responses = Array.from({ length: 1_000 }, () => ok(unfinished('applying', 1)))
  const ran = await runParts(['import', fileOf('items.csv')], environment(), (child) => {
    const watching = setInterval(() => {
      if (received.length < 3) return
      clearInterval(watching)
      child.kill('SIGINT')
    }, 20)
  })
  assert.deepEqual([ran.code, ran.stdout], [130, ''])
  assert.match(
    ran.stderr,
    /\nThe import may continue in the service\. Running the same command again applies nothing twice\.\n$/,
  )
})

test('a file that cannot be sent ends with exit code 2, before any request', async () => {
  const wrong: [string[], RegExp][] = [
    [[join(directory, 'no-items.csv')], /^parts: Cannot read '.*no-items\.csv': ENOENT/],
    [[fileOf('goods.csv')], /^parts: Cannot derive the kind from the file name '.*goods\.csv': use --kind items/],
    [
      [fileOf('items.xlsx')],
      /^parts: Cannot derive the format from the file name '.*items\.xlsx': use --format csv or --format ndjson/,
    ],
    [[fileOf('items-and-prices.csv')], /Cannot derive the kind from the file name/],
    [
      [fileOf('items.csv'), '--kind', 'goods'],
      /^parts: --kind must be one of items, prices, stock-levels, arrivals, substitutes, not 'goods'/,
    ],
    [[fileOf('items.csv'), '--format', 'constructor'], /^parts: --format must be csv or ndjson, not 'constructor'/],
    [[directory, '--kind', 'items', '--format', 'csv'], /^parts: Cannot read '.*': it is a directory/],
    [[fileOf('items.csv'), '--errors-max', 'many'], /^parts: --errors-max must be a positive integer/],
  ]
  for (const [args, message] of wrong) {
    const ran = await parts([], args)
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, message)
  }
  assert.deepEqual(received, [])
})

test('on a terminal there is one line of progress, which is removed at the end', async () => {
  responses = [ok(unfinished('checking', 1)), ok(unfinished('applying', 2)), ok(done)]
  const ran = await runOnTerminal(80, ['import', fileOf('items.csv')], { ...environment(), NO_COLOR: '1' })
  const shown = ran.stdout.split('\r').map((line) => stripVTControlCharacters(line).trimEnd())
  assert(shown.every((line) => line.length < 80))
  assert(
    shown.some((line) => /^checking {3}█+░+ {3}33% {2}1 of 3 rows/.test(line)),
    ran.stdout,
  )
  assert(
    shown.some((line) => /^applying {3}█+░+ {3}66% {2}2 of 3 rows/.test(line)),
    ran.stdout,
  )
  assert.equal(shown.at(-1), 'Imported 3 of 3 rows: 2 added, 1 changed, 0 unchanged.')
  assert.equal(ran.code, 0)
})
