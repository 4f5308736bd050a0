/** Imports, against a small server that answers as the service does: what goes wrong on the way cannot be had from the real one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, beforeEach, test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { onTerminal, runParts, type Ran } from '../testing.ts'

interface Asked {
  readonly call: string
  readonly query: Readonly<Record<string, string>>
  readonly type: string | undefined
  readonly body: string
}

/** The status and the body of an answer; or the connection is cut. */
type Answer = readonly [status: number, body: object] | 'cut'

let server: http.Server
let url: string
let directory: string
let asked: Asked[] = []
let answers: Answer[] = []
const key = 'pso_1_a_key'

before(async () => {
  directory = mkdtempSync(join(tmpdir(), 'parts-import-'))
  server = http.createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.close()
  server.closeAllConnections()
  rmSync(directory, { recursive: true })
})
beforeEach(() => {
  asked = []
})

async function answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '', url)
  const chunks = await Array.fromAsync(request as AsyncIterable<Buffer>)
  asked.push({
    call: `${request.method} ${pathname}`,
    query: Object.fromEntries(searchParams),
    type: request.headers['content-type'],
    body: Buffer.concat(chunks).toString(),
  })
  const next = request.headers.authorization === key ? answers.shift() : 'cut'
  if (next === undefined || next === 'cut') request.socket.destroy()
  else response.writeHead(next[0], { 'content-type': 'application/json' }).end(JSON.stringify(next[1]))
}

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
  actor: 'operator key 1, Anna Berg',
}
const underWay = (import_state: string, rows_done: number) => ({ ...done, import_state, rows_done, finished_at: null })
const ok = (data: unknown, next_cursor?: string | null): Answer => [
  200,
  { status: 'ok', data, ...(next_cursor !== undefined && { paging: { next_cursor } }) },
]
const fail = (status: number, ...errors: object[]): Answer => [status, { status: 'fail', errors, request_id: 'r' }]
const badRow = (line: number) => ({
  line,
  code: 'field_invalid',
  message: `The price of line ${line} is no number.`,
  field: 'price',
})

/** All answers must have been asked for. */
async function parts(given: Answer[], args: readonly string[]): Promise<Ran> {
  answers = given
  const ran = await runParts(['import', ...args], environment())
  assert.equal(answers.length, 0, ran.stderr)
  return ran
}
const environment = () => ({ PARTS_URL: url, PARTS_KEY: key })

function fileOf(name: string, text = 'item_id\n1\n2\n3\n'): string {
  const file = join(directory, name)
  writeFileSync(file, text)
  return file
}

test('a file is sent as it is, under the kind and type that its name tells, and followed to its end', async () => {
  const large = `item_id\n${'1234567\n'.repeat(200_000)}`
  const file = fileOf('Items_2026.csv', large)
  const ran = await parts(
    [
      ok(underWay('waiting', 0)),
      ok(underWay('checking', 1)),
      ok(underWay('applying', 2)),
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
  assert.deepEqual(asked, [
    {
      call: 'POST /operator/v1/imports/items/',
      query: { mode: 'all', import_key: 'november 1', wait: '1' },
      type: 'text/csv',
      body: large,
    },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, body: '' },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, body: '' },
    { call: 'GET /operator/v1/imports/12/', query: { wait: '1' }, type: undefined, body: '' },
  ])
})

test('kind and format are told by name or by option', async () => {
  const cases: [string, string[], string, string][] = [
    ['prices.ndjson', [], 'prices', 'application/x-ndjson'],
    ['stock_levels.jsonl', ['--rows'], 'stock-levels', 'application/x-ndjson'],
    ['dump.txt', ['--kind', 'items', '--format', 'csv'], 'items', 'text/csv'],
  ]
  for (const [name, options, kind, type] of cases) {
    asked = []
    assert.equal((await parts([ok(done)], [fileOf(name), ...options])).code, 0)
    const [sent] = asked
    assert.deepEqual([sent?.call, sent?.type], [`POST /operator/v1/imports/${kind}/`, type])
    assert.deepEqual(sent?.query, { mode: options.includes('--rows') ? 'rows' : 'all', wait: '1' })
  }
})

test('one bad row: nothing is imported, every bad row is printed with file and line, and the exit code is 4', async () => {
  const file = fileOf('items.csv')
  const refused = { ...done, import_state: 'refused', rows_refused: 3, rows_added: 0, rows_changed: 0 }
  const error = { code: 'import_refused', message: '…', details: { import_id: 12, rows: 3, rows_refused: 3 } }
  const inTwoPages = [ok([badRow(2), badRow(3)], 'next'), ok([badRow(4)], null)]
  const ran = await parts(
    [fail(409, error, { ...badRow(2), details: { line: 2 } }), ok(refused), ...inTwoPages],
    [file],
  )
  assert.deepEqual({ ...ran, stderr: ran.stderr.replace(/^sending: .*\n/, '') }, {
    code: 4,
    stdout: '',
    stderr: `${[2, 3, 4].map((line) => `${file}:${line}: The price of line ${line} is no number.\n`).join('')}parts: Nothing was imported: 3 of 3 rows of ${file} are bad.\n`,
  }) // prettier-ignore
  assert.deepEqual(
    asked.slice(2).map(({ call, query }) => [call, query['cursor']]),
    [
      ['GET /operator/v1/imports/12/errors/', undefined],
      ['GET /operator/v1/imports/12/errors/', 'next'],
    ],
  )

  // The same found out only while it was being followed.
  const later = await parts(
    [ok(underWay('checking', 0)), ok(refused), ok([badRow(2)], 'next')],
    [file, '--errors-max', '1'],
  )
  assert.equal(later.code, 4)
  assert.match(
    later.stderr,
    /:2: The price of line 2 is no number\.\n… and more: --errors-max N prints N of them\.\nparts: Nothing was imported/,
  )
})

test('row by row: the good rows are imported, the bad ones printed, and the exit code is 4 all the same', async () => {
  const file = fileOf('items.csv')
  const ran = await parts(
    [ok({ ...done, mode: 'rows', rows_added: 1, rows_refused: 1 }), ok([badRow(3)], null)],
    [file, '--rows'],
  )
  assert.deepEqual([ran.code, ran.stdout], [4, 'Imported 2 of 3 rows: 1 added, 1 changed, 0 unchanged; 1 refused.\n'])
  assert(ran.stderr.endsWith(`${file}:3: The price of line 3 is no number.\n`))
})

test('--json prints the import alone, and bad rows as JSON to standard error, without progress', async () => {
  const finished = { ...done, mode: 'rows', rows_refused: 1 }
  const ran = await parts(
    [ok(underWay('applying', 1)), ok(finished), ok([badRow(3)], null)],
    [fileOf('items.csv'), '--rows', '--json'],
  )
  assert.deepEqual([ran.code, JSON.parse(ran.stdout), JSON.parse(ran.stderr)], [4, finished, badRow(3)])
})

test('a refusal that is not about rows ends with its own sentence and code, also while the file is still being sent', async () => {
  const role = {
    code: 'role_missing',
    message: "The role 'viewer' does not have the permission 'catalogue'. Roles that have it: cataloguer, admin.",
  }
  const refused = await parts([fail(403, role)], [fileOf('items.csv')])
  assert.equal(refused.code, 3)
  assert.match(
    refused.stderr,
    /parts: The role 'viewer' does not have the permission 'catalogue'\. Roles that have it: cataloguer, admin\.\nUse the key/,
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

test('a moment without the service does not end the following; a lost answer tells how to go on', async () => {
  const busy = fail(503, { code: 'busy', message: 'Busy.' })
  const patient = await parts([ok(underWay('applying', 1)), 'cut', busy, ok(done)], [fileOf('items.csv')])
  assert.deepEqual([patient.code, patient.stdout.startsWith('Imported 3 of 3')], [0, true])

  const lost = await parts(['cut'], [fileOf('items.csv')])
  assert.equal(lost.code, 3)
  assert.match(
    lost.stderr,
    /cannot be reached: .*\n.* It may go on in the service\. The same command again does nothing twice\.\n$/,
  )
})

test('an import that the service could not finish is told with 3', async () => {
  const failed = await parts([ok({ ...done, import_state: 'failed' })], [fileOf('items.csv')])
  assert.deepEqual([failed.code, failed.stdout], [3, ''])
  assert.match(failed.stderr, /parts: The service could not finish import 12; a part of it may have been written\.\n/)
})

test('Ctrl-C ends the waiting, and tells how to go on', async () => {
  answers = Array.from({ length: 1_000 }, () => ok(underWay('applying', 1)))
  const ran = await runParts(['import', fileOf('items.csv')], environment(), (child) => {
    const watching = setInterval(() => {
      if (asked.length < 3) return
      clearInterval(watching)
      child.kill('SIGINT')
    }, 20)
  })
  assert.deepEqual([ran.code, ran.stdout], [130, ''])
  assert.match(ran.stderr, /\nIt may go on in the service\. The same command again does nothing twice\.\n$/)
})

test('what cannot be sent is told with 2, before anything is asked', async () => {
  const wrong: [string[], RegExp][] = [
    [[join(directory, 'no-items.csv')], /^parts: '.*no-items\.csv' cannot be read: ENOENT/],
    [[fileOf('goods.csv')], /^parts: The name '.*goods\.csv' does not tell what is in the file: say --kind items/],
    [[fileOf('items.xlsx')], /^parts: The name '.*items\.xlsx' ends neither in \.csv nor in \.ndjson/],
    [[fileOf('items-and-prices.csv')], /does not tell what is in the file/],
    [
      [fileOf('items.csv'), '--kind', 'goods'],
      /^parts: --kind must be one of items, prices, stock-levels, not 'goods'/,
    ],
    [[fileOf('items.csv'), '--format', 'constructor'], /^parts: --format must be csv or ndjson, not 'constructor'/],
    [[directory, '--kind', 'items', '--format', 'csv'], /cannot be read: it is a directory/],
    [[fileOf('items.csv'), '--errors-max', 'many'], /^parts: --errors-max must be a positive whole number/],
  ]
  for (const [args, message] of wrong) {
    const ran = await parts([], args)
    assert.equal(ran.code, 2)
    assert.match(ran.stderr, message)
  }
  assert.deepEqual(asked, [])
})

test('on a terminal there is one line of progress, which is gone at the end', async () => {
  answers = [ok(underWay('checking', 1)), ok(underWay('applying', 2)), ok(done)]
  const ran = await onTerminal(80, ['import', fileOf('items.csv')], { ...environment(), NO_COLOR: '1' })
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
