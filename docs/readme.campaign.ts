/** Runs the commands of the README in a copy of the repository that has the same files as a clone. */
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../apps/service/src/testing/database.ts'

const root = dirname(import.meta.dirname)
const readme = readFileSync(join(root, 'README.md'), 'utf8')
const blocks = [...readme.matchAll(/^```sh\n([^`]*)^```/gm)].map(([, block = '']) => block.trim().split('\n'))
const [start = [], order = [], ...others] = blocks

/** CI runs them itself. */
const notHere = ['npm test', 'npm run check']

let clone: string
let database: TestDatabase

before(async () => {
  clone = mkdtempSync(join(tmpdir(), 'parts-readme-'))
  chmodSync(clone, 0o755) // Like a clone. When root runs the demo, its PostgreSQL runs as another user, who must read it.
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of files.toString().split('\0').filter(Boolean)) {
    mkdirSync(join(clone, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(clone, file))
  }
  database = await createTestDatabase()
})
after(async () => {
  rmSync(clone, { recursive: true, force: true })
  await database.drop()
})

test(
  'npm ci and npm run demo: the five lines of the README place an order, the five printed commands also cancel one',
  { timeout: 600_000 },
  async () => {
    assert.deepEqual([start, order.length], [['npm ci', 'npm run demo'], 5])
    const started = performance.now()
    run('npm ci')
    const installed = performance.now()
    const environment = { PORT: '0', DEMO_DATA_DIR: join(clone, '.data', 'readme') }
    const demo = launch('npm run demo', environment)
    const printed = await outputUntil(demo, /Ctrl-C stops everything/)
    const ready = performance.now()
    const address = /http:\/\/127\.0\.0\.1:\d+/.exec(printed)?.[0] ?? ''
    const placed = bash(order.join('\n').replace('http://127.0.0.1:8080', address))
    assert.match(placed, /\{"status":"ok","data":\{"created_order_id":\d+\}\}$/)
    const seconds = (from: number, to: number): string => ((to - from) / 1000).toFixed(1)
    process.stdout.write(
      `From npm ci to the first order: ${seconds(started, performance.now())} s (npm ci ${seconds(started, installed)} s, demo ${seconds(installed, ready)} s)\n`,
    )
    const curls = printed.split('\n').filter((line) => line.includes('curl '))
    assert.equal(curls.length, 5)
    const journey = bash(curls.join('\n'))
    assert.match(journey, /"created_order_id":\d+/)
    assert.match(journey, /"order_state_id":"zayavka-na-otmen"/)
    const ended = once(demo, 'exit')
    process.kill(-(demo.pid ?? 0), 'SIGINT')
    await ended
  },
)

test('the other commands of the README work with a given PostgreSQL', { timeout: 600_000 }, async () => {
  const operatorKey = 'npx parts operator-key issue --first --name "Anna Berg" --role admin'
  assert.deepEqual(
    others.flat().filter((command) => !notHere.includes(command)),
    ['npm run migrate', 'npm start', 'npm run worker', 'npm run invariants', operatorKey],
  )
  const anyPorts = { PORT: '0', METRICS_PORT: '0', WORKER_PORT: '0', WORKER_METRICS_PORT: '0' }
  const environment = { DATABASE_URL: database.url, ...anyPorts }
  run('npm run migrate', environment)
  const processes = [launch('npm start', environment), launch('npm run worker', environment)]
  for (const child of processes) await outputUntil(child, /"msg":"ready"/)
  assert.match(run('npm run invariants', environment), /All invariants hold/)
  assert.match(run(operatorKey, environment), /^pso_1_\w{43}_\w{6}\n$/)
  for (const child of processes) {
    const ended = once(child, 'exit')
    process.kill(-(child.pid ?? 0), 'SIGTERM')
    await ended
  }
})

/** What a shell prints that gets these lines pasted. */
function bash(lines: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-euo', 'pipefail'], { input: lines, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  return stdout
}

function run(command: string, environment: Record<string, string> = {}): string {
  const done = spawnSync('bash', ['-c', command], {
    cwd: clone,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  })
  assert.equal(done.status, 0, `${command}: ${done.stdout}${done.stderr}`)
  return done.stdout
}

/** Starts a process group, so that a signal reaches all of it, as Ctrl-C does. */
function launch(command: string, environment: Record<string, string>): ChildProcess {
  return spawn('bash', ['-c', command], {
    cwd: clone,
    env: { ...process.env, ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

async function outputUntil(child: ChildProcess, sign: RegExp): Promise<string> {
  let text = ''
  assert(child.stdout)
  for await (const chunk of child.stdout.iterator({ destroyOnReturn: false })) {
    text += String(chunk)
    if (sign.test(text)) {
      child.stdout.resume()
      return text
    }
  }
  throw new Error(`It exited too early: ${text}`)
}
