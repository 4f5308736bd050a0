/** The built site, as the service serves it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { addressOf, clientTags, operatorTags, readers, sitePages } from '../site-map.ts'
import { isSiteBuilt } from '../../service/src/reference/serve-site.ts'
import { documents } from '../../service/src/testing/documents.ts'
import { startService, type TestService } from '../../service/src/testing/service.ts'

const root = join(import.meta.dirname, '../../..')
const dist = join(import.meta.dirname, '../dist')
let service: TestService

before(async () => {
  if (!isSiteBuilt()) execFileSync('npm', ['run', 'build:docs'], { cwd: root }) // .ci/run has built it.
  service = await startService()
})
after(() => service.close())

/** The reference to try is shown by its script; the operations have pages beside it. */
const isScripted = (path: string): boolean => path.endsWith('api')

const get = (path: string, headers: Record<string, string> = {}) =>
  service.app.inject({ method: 'GET', url: path, headers })

const statuses = new Map<string, Promise<number>>()
/** Each address is requested once: all pages have the same sidebar. */
function statusOf(path: string): Promise<number> {
  const known = statuses.get(path) ?? get(path).then(({ statusCode }) => statusCode)
  statuses.set(path, known)
  return known
}

test('every page of docs/ has its place in the sidebar, and the list of pages in docs/README.md names it', () => {
  const written = globSync('docs/**/*.md', { cwd: root }).filter((file) => file !== 'docs/README.md')
  const listed = sitePages.flatMap(({ from }) => (from?.startsWith('docs/') === true ? [from] : []))
  assert.deepEqual(listed.toSorted(), written.toSorted())
  const list = readFileSync(join(root, 'docs/README.md'), 'utf8')
  const folders = /^docs\/(how-to\/engineer\/alerts|explanation\/decisions)\/(?!README)/ // They have lists of their own.
  assert.deepEqual(
    listed.filter((file) => !folders.test(file) && !list.includes(`](${file.replace('docs/', '')}`)),
    [],
  )
})

test('the operations of every tag have a page', () => {
  for (const [document, tags] of [
    [documents.client, clientTags],
    [documents.operator, operatorTags],
  ] as const)
    assert.deepEqual(
      document.tags.map(({ name }) => name),
      tags,
    )
})

test('every page is served at its address and as Markdown, and has one title', async () => {
  for (const page of sitePages) {
    const { statusCode, headers, body } = await get(addressOf(page))
    assert.deepEqual([statusCode, headers['content-type']], [200, 'text/html; charset=utf-8'], page.path)
    if (isScripted(page.path)) continue // Shown by a script.
    assert.equal(body.match(/<h1[ >]/g)?.length, 1, page.path)
    const plain = await get(`/docs/${page.path}.md`)
    assert.deepEqual(
      [plain.statusCode, plain.headers['content-type']],
      [200, 'text/markdown; charset=utf-8'],
      page.path,
    )
    assert.match(plain.body, /^# \S/, page.path)
    assert.doesNotMatch(plain.body, /^:::|pathname:/m, page.path)
  }
})

test('/llms.txt has every page for each reader, and every address in it and in the Markdown exists', async () => {
  const list = (await get('/llms.txt')).body
  for (const { title } of readers) assert(list.includes(`\n## ${title}: `), title)
  for (const { path } of sitePages) assert(isScripted(path) || list.includes(`](/docs/${path}.md): `), path)
  const missing: string[] = []
  const check = async (text: string, base: string): Promise<void> => {
    const prose = text.replaceAll(/^```[^]*?^```$/gm, '')
    for (const [, href = ''] of prose.matchAll(/\]\(([^)\s]+)\)/g)) {
      const { origin, pathname } = new URL(href, `http://here${base}`)
      if (origin === 'http://here' && (await statusOf(pathname)) !== 200) missing.push(`${base}: ${href}`)
    }
  }
  await check(list, '/llms.txt')
  for (const { path } of sitePages)
    if (!isScripted(path)) await check((await get(`/docs/${path}.md`)).body, `/docs/${path}.md`)
  assert.deepEqual(missing, [])
})

test('every link of every page leads to a page and a heading that exist, and nothing is loaded from elsewhere', async () => {
  const pages = new Map<string, string>()
  for (const page of sitePages) pages.set(addressOf(page), (await get(addressOf(page))).body)
  const wrong: string[] = []
  for (const [from, html] of pages) {
    for (const [, name = '', value = ''] of html.matchAll(/\s(href|src)="([^"]*)"/g)) {
      const { origin, pathname, hash } = new URL(value.replaceAll('&amp;', '&'), `http://here${from}`)
      const isElsewhere = origin !== 'http://here' && !value.startsWith('data:') && !value.startsWith('mailto:')
      if (isElsewhere ? name === 'src' : origin === 'http://here' && (await statusOf(pathname)) !== 200)
        wrong.push(`${from}: ${value}`)
      const target = hash === '' || hash.startsWith('#tag/') ? undefined : pages.get(pathname)
      const id = decodeURIComponent(hash.slice(1))
      if (target !== undefined && !target.includes(`id="${id}"`)) wrong.push(`${from}: ${value}`)
    }
  }
  assert.deepEqual([...new Set(wrong)], [])
})

test('pages allow the scripts of this service only: by digest where they are inline', async () => {
  for (const path of ['/docs/', '/docs/api', '/docs/tutorial/first-order']) {
    const { headers, body } = await get(path)
    const policy = String(headers['content-security-policy'])
    assert.match(policy, /^default-src 'none'; script-src 'self'( 'sha256-[\w+/]{43}=')+; style-src /)
    assert.doesNotMatch(policy, /unsafe-eval|upgrade-insecure-requests|https?:|\*/)
    assert.doesNotMatch(body, /\son[a-z]+="/)
  }
})

test('pages may be kept as long as their ETag is confirmed, and are compressed for those who accept it', async () => {
  for (const path of ['/docs/', '/docs/reference/errors', '/docs/scalar.js', '/llms.txt']) {
    const first = await get(path)
    const etag = String(first.headers.etag)
    assert.deepEqual([first.statusCode, first.headers['cache-control']], [200, 'no-cache'], path)
    assert.equal((await get(path, { 'if-none-match': etag })).statusCode, 304, path)
    const packed = await get(path, { 'accept-encoding': 'gzip' })
    assert.equal(packed.headers['content-encoding'], 'gzip', path)
    assert.equal(gunzipSync(packed.rawPayload).equals(first.rawPayload), true, path)
  }
})

test('an address that no page has gets 404: a page for browsers, the usual failure for programs', async () => {
  const browser = await get('/docs/nothing', { accept: 'text/html' })
  assert.deepEqual([browser.statusCode, browser.headers['content-type']], [404, 'text/html; charset=utf-8'])
  for (const path of ['/docs/nothing', '/docs/../package.json', '/docs/%2e%2e/package.json', '/docs/constructor']) {
    const program = await get(path)
    assert.deepEqual([program.statusCode, program.json().errors[0].code], [404, 'route_not_found'], path)
  }
})

test('a guide loads neither the reference nor the search before the reader wants them', () => {
  const loaded = (page: string): string =>
    [...readFileSync(join(dist, page), 'utf8').matchAll(/(?:src|href)="\/docs\/([^"]+\.(?:js|css))"/g)]
      .map(([, file = '']) => file)
      .join(' ')
  assert.match(loaded('how-to/integrator/webhooks.html'), /app\.\S+\.js/)
  assert.doesNotMatch(loaded('how-to/integrator/webhooks.html'), /scalar|[sS]earch/)
})

test('the package of the client is there to install, with its README', async () => {
  const { statusCode, rawPayload } = await get('/docs/client/parts-ordering-client.tgz')
  assert.equal(statusCode, 200)
  const names = execFileSync('tar', ['-tz'], { input: rawPayload, encoding: 'utf8' }).split('\n')
  for (const name of ['package.json', 'README.md', 'index.js', 'index.d.ts', 'webhooks.js'])
    assert(names.includes(`package/${name}`), name)
})

test('pictures of the console are shown', () => {
  assert(readdirSync(join(dist, 'images/console')).length > 5)
})
