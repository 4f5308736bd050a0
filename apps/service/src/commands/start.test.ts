/** Every fault at the start is one sentence that says what to fix, with exit code 1. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { readSettings } from './read-settings.ts'
import { migrationNames } from '../migrations/migration-files.ts'
import { createEmptyDatabase, createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { mainFile } from '../testing/process.ts'

let migrated: TestDatabase
let empty: TestDatabase
let incomplete: TestDatabase
let busy: Server

before(async () => {
  migrated = await createTestDatabase()
  incomplete = await createTestDatabase()
  await incomplete.query(`delete from migrations where name = '${migrationNames.at(-1)}'`)
  empty = await createEmptyDatabase()
  busy = await listen(createServer())
})
after(async () => {
  busy.close()
  await Promise.all([migrated, empty, incomplete].map((database) => database.drop()))
})

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

type Environment = Record<string, string>

/** Starts the process and waits for its end. */
async function start(
  command: string,
  environment: Environment,
): Promise<{ code: unknown; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [mainFile, ...command.split(' ')], {
    env: {
      PATH: process.env['PATH'],
      PORT: '0',
      METRICS_PORT: '0',
      WORKER_PORT: '0',
      WORKER_METRICS_PORT: '0',
      ...environment,
    },
  })
  const ended = once(child, 'exit')
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)])
  const [code] = await ended
  return { code, stdout, stderr }
}

async function expectSentence(command: string, environment: Environment, sentence: string | RegExp): Promise<void> {
  const { code, stdout, stderr } = await start(command, environment)
  const context = `${command} ${JSON.stringify(environment)}`
  if (typeof sentence === 'string') assert.equal(stderr, `${sentence}\n`, context)
  else assert.match(stderr, sentence, context)
  assert.deepEqual([code, stdout, stderr.includes('    at ')], [1, '', false], context)
}

/** A PostgreSQL that refuses every connection with the code and the message. */
async function refusingServer(code: string, message: string): Promise<Server> {
  return listen(
    createServer((socket) => {
      socket.on('error', () => undefined)
      socket.once('data', () => {
        const fields = ['SFATAL', 'VFATAL', `C${code}`, `M${message}`].map((field) => `${field}\0`).join('')
        const body = Buffer.from(`${fields}\0`)
        const head = Buffer.alloc(5)
        head.write('E')
        head.writeInt32BE(body.length + 4, 1)
        socket.end(Buffer.concat([head, body]))
      })
    }),
  )
}

const at = (database: TestDatabase, change: (url: URL) => void = () => undefined): Environment => {
  const url = new URL(database.url)
  change(url)
  return { DATABASE_URL: url.href }
}

test('settings that are missing, invalid or misspelt are all named', async () => {
  await expectSentence(
    'api',
    { DATABSE_URL: 'postgres://localhost/parts', PORT: 'x', SHUTDOWN_GRACE_SECONDS: '5' },
    [
      'Invalid settings:',
      '  DATABASE_URL must be set.',
      "  PORT must be a whole number from 0 to 65535, not 'x'.",
      '  DATABSE_URL is not a setting. Did you mean DATABASE_URL? If DATABSE_URL belongs to another program, set DATABASE_URL too.',
      '  SHUTDOWN_GRACE_SECONDS is not a setting. Did you mean SHUTDOWN_GRACE_MS? If SHUTDOWN_GRACE_SECONDS belongs to another program, set SHUTDOWN_GRACE_MS too.',
    ].join('\n'),
  )
})

test('a database on another machine is refused without TLS by every command, unless DATABASE_TLS is off', async () => {
  const sentence = (host: string): string =>
    `Invalid settings:\n  DATABASE_URL leads to ${host} without TLS, so passwords and orders would cross the network in plain text: add sslmode=verify-full to it, or set DATABASE_TLS=off if the network is trusted.`
  for (const command of ['api', 'worker', 'migrate', 'invariants', 'after-restore', 'first-key --name=A --role=admin'])
    await expectSentence(command, { DATABASE_URL: 'postgres://parts:secret@db.invalid/parts' }, sentence('db.invalid'))

  const read =
    (url: string, more: Environment = {}) =>
    () =>
      readSettings({ DATABASE_URL: url, ...more })
  const plain: [string, string][] = [
    ['postgres://one.invalid,127.0.0.1/parts', 'one.invalid'],
    ['postgres://127.0.0.1,two.invalid:5433/parts?target_session_attrs=read-write', 'two.invalid'],
    ['postgres://parts@/parts?host=db.invalid', 'db.invalid'],
    ['postgres://127.evil.invalid/parts', '127.evil.invalid'],
    ['postgres://10.0.0.8/parts', '10.0.0.8'],
    ['postgres://[2001:db8::1]/parts', '[2001:db8::1]'],
    ...['disable', 'allow', 'prefer'].map((mode): [string, string] => [`postgres://db/parts?sslmode=${mode}`, 'db']),
  ]
  for (const [url, host] of plain) {
    assert.throws(read(url), { message: sentence(host) })
    assert.equal(read(url, { DATABASE_TLS: 'off' })().databaseUrl, url)
  }
  assert.throws(read('postgres:///parts', { PGHOST: 'db.invalid' }), { message: sentence('db.invalid') })
  assert(read('postgres:///parts', { PGHOST: 'db.invalid', PGSSLMODE: 'verify-full' })())
  for (const url of [
    'postgres://127.0.0.1/parts',
    'postgres://localhost:5432,127.0.0.2/parts?sslmode=disable',
    'postgres://[::1]/parts',
    'postgres:///parts',
    'postgres:///parts?host=/run/postgresql',
    'postgres://%2Frun%2Fpostgresql/parts',
    ...['require', 'verify-ca', 'verify-full', 'no-verify'].map((mode) => `postgres://db/parts?sslmode=${mode}`),
  ])
    assert.equal(read(url)().databaseUrl, url)
})

test('a database that cannot be reached, or refuses the connection, is named', async () => {
  const wrongPassword = await refusingServer('28P01', 'password authentication failed for user "parts"')
  const starting = await refusingServer('57P03', 'the database system is starting up')
  const url = (server: Server): Environment => ({
    DATABASE_URL: `postgres://parts:secret@127.0.0.1:${portOf(server)}/parts`,
  })
  const cases: [Environment, string | RegExp][] = [
    [
      { DATABASE_URL: 'postgres://parts:secret@127.0.0.1:1/parts' },
      'PostgreSQL at 127.0.0.1:1 cannot be reached (ECONNREFUSED): check DATABASE_URL, and that the server is running.',
    ],
    [
      { DATABASE_URL: 'postgres://parts:secret@nowhere.invalid/parts?sslmode=verify-full' },
      /^The host in DATABASE_URL cannot be found: nowhere\.invalid \((ENOTFOUND|EAI_AGAIN)\)\.\n$/,
    ],
    [
      url(wrongPassword),
      'PostgreSQL refused the user or the password in DATABASE_URL: password authentication failed for user "parts".',
    ],
    [url(starting), 'PostgreSQL is starting or stopping: the database system is starting up.'],
    [
      at(migrated, (database) => (database.pathname = '/no_such_database')),
      'The database in DATABASE_URL does not exist: database "no_such_database" does not exist.',
    ],
    [
      at(migrated, (database) => (database.search = '?sslmode=verify-full&sslrootcert=/no/such/file.pem')),
      'Cannot read /no/such/file.pem, which DATABASE_URL names (ENOENT).',
    ],
    [
      at(migrated, (database) => (database.search = '?options=-c%20default_transaction_read_only%3Don')),
      'PostgreSQL accepts no changes: cannot execute INSERT in a read-only transaction.',
    ],
  ]
  const commands = ['api', 'worker', 'migrate'] // All connect in the same way, so each is tried with two of the faults.
  await Promise.all(
    cases.map(([environment, sentence], n) =>
      expectSentence(commands[n % commands.length] ?? '', environment, sentence),
    ),
  )
  wrongPassword.close()
  starting.close()
})

test('a database that is not migrated for this version is refused, and nothing is served', async () => {
  const last = migrationNames.at(-1)
  const unmigrated = 'The database has not been migrated: run npm run migrate.'
  const lacking = `The database lacks 1 of ${migrationNames.length} migrations (${last}): run npm run migrate.`
  await Promise.all([
    expectSentence('api', at(empty), unmigrated),
    expectSentence('api', { ...at(empty), PROCESSES: '2' }, unmigrated),
    expectSentence('worker', at(incomplete), lacking),
    expectSentence(
      'invariants',
      at(empty),
      /^The database has not been migrated: run npm run migrate: relation "\w+" does not exist\.\n$/,
    ),
  ])
})

test('a port that another program uses is named with its setting', async () => {
  const port = String(portOf(busy))
  const cases: [command: string, variable: string, more?: Environment][] = [
    ['api', 'PORT'],
    ['api', 'METRICS_PORT'],
    ['api', 'PORT', { PROCESSES: '2' }],
    ['worker', 'WORKER_PORT'],
    ['worker', 'WORKER_METRICS_PORT'],
  ]
  await Promise.all(
    cases.map(([command, variable, more]) =>
      expectSentence(
        command,
        { ...at(migrated), ...more, [variable]: port },
        `Port ${port} of 127.0.0.1 is in use by another program: set ${variable} to another port, or to 0 for any free one.`,
      ),
    ),
  )
  await expectSentence(
    'api',
    { ...at(migrated), HOST: '203.0.113.1' },
    'Cannot listen on port 0 of 203.0.113.1 (EADDRNOTAVAIL): set HOST and METRICS_PORT.',
  )
})
