/**
 * `npm run try:image`: builds the image and serves an order from it, as its user and with a read-only root. Needs root,
 * and buildah and debootstrap of Debian. The first run takes some minutes.
 */
import assert from 'node:assert/strict'
import { execFileSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildImage, configOf, image, makeBaseImage, openContainer, type Container } from './buildah.ts'
import { readConfig } from '../../apps/service/src/config.ts'
import { openMainDatabase } from '../../apps/service/src/commands/connection.ts'
import { createEmptyDatabase } from '../../apps/service/src/testing/database.ts'
import { addClient, addFixtures, address } from '../../apps/service/src/testing/fixtures.ts'
import { eventually } from '../../apps/service/src/testing/process.ts'
import { freePort } from '../../packages/pg-statements/src/testing-cluster.ts'
import type { TestService } from '../../apps/service/src/testing/service.ts'

const bytesMax = 150_000_000
const say = (text: string): void => void process.stdout.write(`${text}\n`)

const [option] = process.argv.slice(2)
if (option !== undefined && option !== '--built') {
  say(
    'Usage: npm run try:image [-- --built]\n\nBuilds the image and serves an order from it; --built takes the one that was built last.',
  )
  process.exit(option === '--help' ? 0 : 2)
}
if (option !== '--built') {
  makeBaseImage()
  buildImage()
}
const config = configOf(image)
assert.equal(config.User, '10001:10001')
assert.equal(config.Labels['org.opencontainers.image.title'], 'Parts Ordering Service')
assert.equal(config.Healthcheck.Test[0], 'CMD')
const container = openContainer()
try {
  checkFiles(container.files)
  await serveAnOrder(container)
} finally {
  container.remove()
}
say('The image serves an order.')

function checkFiles(files: string): void {
  const bytes = Number(execFileSync('du', ['-sb', files], { encoding: 'utf8' }).split('\t')[0])
  say(`${(bytes / 1e6).toFixed(1)} MB`)
  assert(bytes < bytesMax, `The image has ${bytes} bytes, more than ${bytesMax}.`)
  for (const absent of ['bin/sh', 'usr/bin/sh', 'usr/local/bin/npm', 'app/apps/service/src/testing', 'app/proof'])
    assert(!existsSync(join(files, absent)), absent)
  const sbom = JSON.parse(readFileSync(join(files, 'app/sbom.cdx.json'), 'utf8')) as { components: { name: string }[] }
  for (const needed of ['fastify', 'pg', 'pg-protocol'])
    assert(
      sbom.components.some(({ name }) => name === needed),
      needed,
    )
}

async function serveAnOrder({ start }: Container): Promise<void> {
  const database = await createEmptyDatabase()
  const [port, metrics, workerPort, workerMetrics] = [await freePort(), await freePort(), await freePort(), await freePort()] // prettier-ignore
  const settings = { DATABASE_URL: database.url, PORT: String(port), METRICS_PORT: String(metrics) }
  const processes: ChildProcess[] = []
  const run = async (args: readonly string[], more: Record<string, string> = {}): Promise<string> => {
    const child = start(args, { ...settings, ...more })
    const output = collect(child)
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0, output())
    return output()
  }
  try {
    const account = await run([
      '-e',
      `try { require('fs').writeFileSync('/app/x', ''); console.log('written') } catch (error) { console.log(process.getuid(), process.getgid(), process.pid, error.code) }`,
    ])
    assert.equal(account.trim(), '10001 10001 1 EROFS')
    say(await run(['/app/apps/service/src/main.ts', 'migrate']))
    const { key: operatorKey } = JSON.parse(
      await run([
        '/app/apps/cli/src/main.ts',
        'operator-key',
        'issue',
        '--first',
        '--name',
        'First',
        '--role',
        'admin',
        '--json',
      ]),
    ) as { key: string }
    const [command] = [config.Cmd.map((word) => (word.startsWith('apps/service/') ? `/app/${word}` : word))]
    const api = start(command, settings)
    const worker = start(['/app/apps/service/src/main.ts', 'worker'], {
      ...settings,
      WORKER_PORT: String(workerPort),
      WORKER_METRICS_PORT: String(workerMetrics),
    })
    processes.push(api, worker)
    const outputs = processes.map(collect)
    const url = `http://127.0.0.1:${port}`
    for (const ready of [`${url}/readyz`, `http://127.0.0.1:${workerPort}/readyz`])
      await eventually(async () => {
        assert(
          processes.every(({ exitCode }) => exitCode === null),
          outputs.map((output) => output()).join('\n'),
        )
        return fetch(ready).then(
          ({ ok }) => ok,
          () => false,
        )
      })
    await run(config.Healthcheck.Test.slice(2))
    await order(url, database)
    const orders = await run(['/app/apps/cli/src/main.ts', 'orders', '--json'], {
      PARTS_URL: url,
      PARTS_KEY: operatorKey,
    })
    assert.match(orders, /"order_id": ?80001/)
    say(await run(['/app/apps/service/src/main.ts', 'invariants']))
    for (const child of processes) {
      const ended = once(child, 'exit')
      // unshare does not pass signals on: process 1 of the namespace is its child.
      const [node] = execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' })
        .trim()
        .split('\n')
      process.kill(Number(node), 'SIGTERM')
      assert.deepEqual(await ended, [0, null])
    }
  } finally {
    for (const child of processes) child.kill('SIGKILL')
    await database.drop()
  }
}

/** Places an order as a client's program does. */
async function order(url: string, database: Awaited<ReturnType<typeof createEmptyDatabase>>): Promise<void> {
  const db = openMainDatabase(readConfig({ DATABASE_URL: database.url }))
  try {
    const service = { db, sql: database.query } as TestService
    await addFixtures(service)
    const { key } = await addClient(service)
    // oxlint-disable-next-line typescript/no-explicit-any -- As Body.data.
    const request = async (method: string, path: string, form?: Record<string, string>): Promise<any> => {
      const answer = await fetch(url + path, {
        method,
        headers: { authorization: key },
        ...(form && { body: new URLSearchParams(form) }),
      })
      const text = await answer.text()
      assert.equal(answer.status, 200, text)
      return (JSON.parse(text) as { data: unknown }).data
    }
    const { cart_id } = await request('PUT', '/api/v1/carts/', { name: 'Image' })
    await request('PUT', `/api/v1/carts/${cart_id}/items/`, { item_id: '1', stock_id: '1', quantity: '2' })
    const [group] = await request('GET', `/api/v1/carts/${cart_id}/items/`)
    const placed = await request('PUT', '/api/v1/orders/', { cart_group_key: group.cart_group_key, ...address })
    assert.equal(placed.created_order_id, 80_001)
  } finally {
    await db.close()
  }
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', (chunk: string) => (text += chunk)) // prettier-ignore
  return () => text
}
