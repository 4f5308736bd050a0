/**
 * The README's first example with the installed package, on every runtime that it names: versions of Node, Bun, Deno, and
 * a page in a browser. Installs the missing ones from npm, except for the browser.
 */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { createReadStream, existsSync } from 'node:fs'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { openBrowser, withoutBrowser } from '../../../apps/service/src/testing/network/browser.ts'
import { addClient, addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'
import { firstExample, packClient, runFirstExample, type Packed } from '../testing/packed.ts'

const run = promisify(execFile)
let service: TestService
let packed: Packed
let shop: http.Server

before(async () => {
  packed = await packClient()
  shop = await serveShop()
  service = await startService({ settings: { CORS_ORIGINS: originOf(shop) } })
  await addFixtures(service)
})
after(async () => {
  await service.close()
  await new Promise((resolve) => shop.close(resolve))
  await packed.remove()
})

const originOf = (server: http.Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`

/** The number of the order that the example has printed is that of the client's only order. */
async function checkPlaced(printed: string, client_id: number): Promise<void> {
  const orders = await service.sql(`select order_id::text from orders where client_id = ${client_id}`)
  assert.equal(orders.length, 1)
  assert.equal(printed, `20 EUR\nOrder ${String(orders[0]?.['order_id'])}\n`)
}

interface Runtime {
  readonly name: string
  readonly version: string
  /** What `--version` prints. */
  readonly printed: string
  /** The npm package with the program for this platform, and where the program is in it. */
  readonly from: readonly [name: string, program: string]
  readonly options?: readonly string[]
}

const nodeFrom = [`node-${process.platform}-${process.arch}`, 'bin/node'] as const
const nodes = ['20.3.0', '20.20.2', '22.23.3', process.versions.node].map((version): Runtime => ({
  name: 'Node',
  version,
  printed: `v${version}`,
  from: nodeFrom,
}))
const runtimes: readonly Runtime[] = [
  ...nodes,
  // The baseline build also runs on processors without AVX2.
  {
    name: 'Bun',
    version: '1.4.4',
    printed: '1.4.4',
    from: [`@oven/bun-${process.platform}-${process.arch}-baseline`, 'bin/bun'],
  },
  {
    name: 'Deno',
    version: '2.9.6',
    printed: 'deno 2.9.6',
    from: [`@deno/${process.platform}-${process.arch}-glibc`, 'deno'],
    options: ['run', '--allow-env=URL,KEY', '--allow-net=127.0.0.1'],
  },
]

for (const runtime of runtimes) {
  test(`the first example places an order on ${runtime.name} ${runtime.version}`, async () => {
    const program = await programOf(runtime)
    const version = (await run(program, ['--version'])).stdout
    assert.equal(version.slice(0, runtime.printed.length + 1).trim(), runtime.printed)
    const { client_id, key } = await addClient(service)
    const url = `http://127.0.0.1:${service.port}`
    await checkPlaced(await runFirstExample(packed, { program, options: runtime.options, url, key }), client_id)
  })
}

test('the first example places an order from a page of another origin', { skip: withoutBrowser }, async (t) => {
  const { client_id, key } = await addClient(service)
  const browser = await openBrowser()
  t.after(() => browser.close())
  const page = await browser.newPage()
  const printed: string[] = []
  page.on('console', (message) => void printed.push(`${message.text()}\n`))
  page.on('pageerror', (error) => void printed.push(`${String(error)}\n`))
  const ended = page.waitForEvent('console', { predicate: (message) => message.text() === 'The end', timeout: 60_000 })
  await page.goto(
    `${originOf(shop)}/?${new URLSearchParams({ url: `http://127.0.0.1:${service.port}`, key }).toString()}`,
  )
  await ended
  assert.equal(printed.pop(), 'The end\n')
  await checkPlaced(printed.join(''), client_id)
})

/** A shop whose page runs the example as it is, with the files of the installed package. */
async function serveShop(): Promise<http.Server> {
  const html = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "@parts-ordering/client": "/index.js" } }</script>
<script>
  const given = new URLSearchParams(location.search)
  globalThis.process = { env: { URL: given.get('url'), KEY: given.get('key') } }
  addEventListener('unhandledrejection', ({ reason }) => console.log(String(reason)))
</script>
<script type="module">
${await firstExample()}
console.log('The end')
</script>`
  const server = http.createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/?')) return response.writeHead(200, { 'content-type': 'text/html' }).end(html)
    const file = createReadStream(join(packed.project, 'node_modules/@parts-ordering/client', path))
    file.on('error', () => response.destroy())
    return file.pipe(response.writeHead(200, { 'content-type': 'text/javascript' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** In the cache of `.ci/run`. */
async function programOf({ name, version, from: [from, program] }: Runtime): Promise<string> {
  if (name === 'Node' && version === process.versions.node) return process.execPath
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  const folder = join(cache, 'parts-ordering-ci', `${name.toLowerCase()}-${version}`)
  const path = join(folder, 'node_modules', from, program)
  if (!existsSync(path))
    await run('npm', ['install', '--prefix', folder, '--no-save', '--ignore-scripts', `${from}@${version}`])
  return path
}
