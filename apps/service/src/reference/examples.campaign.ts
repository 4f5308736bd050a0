/**
 * Sends every example of the client's reference to a fresh demo: one of each kind as the page has filled it in, in a
 * browser, which takes seconds for each; the others as they stand in the document.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { startDemo, type RunningDemo } from '../commands/start-demo.ts'
import { openBrowser, withoutBrowser } from '../testing/network/browser.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { documents, type DocumentedOperation } from '../testing/documents.ts'

const skip = withoutBrowser
const stepTimeoutMs = 120_000
const operations = Object.entries(documents.client.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

const opened = new AsyncDisposableStack()
let database: TestDatabase
let demo: RunningDemo
let browser: Browser

before(async () => {
  if (skip !== false) return
  database = await createTestDatabase()
  demo = await startDemo(
    { DATABASE_URL: database.url, PORT: '0', RATE_LIMIT: 'off' },
    { fresh: false, say: () => undefined },
    opened,
  )
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  await opened.disposeAsync()
  await database?.drop()
})

test(
  'each example succeeds in the demo, and one of each kind as the page fills it in',
  { skip, timeout: 40 * 60_000 },
  async () => {
    const page = await browser.newPage({ reducedMotion: 'reduce', viewport: { width: 1280, height: 900 } })
    page.setDefaultTimeout(stepTimeoutMs)
    await page.goto(`${demo.baseUrl}/docs/api`)
    await page.getByLabel('Value', { exact: true }).first().fill(demo.keys.client_a) // Of the Authorization header.
    const failed: string[] = []
    const shown = new Set<string>()
    for (const one of operations) {
      const kind = `${one.method} ${one.path.includes('{')} ${Object.keys(one.operation.requestBody?.content ?? {}).join()}`
      const answer = await (shown.has(kind) ? sendDocumented(one) : sendExample(page, one))
      shown.add(kind)
      if (answer.status !== 200) failed.push(`${one.operation.operationId}: ${answer.status} ${answer.text}`)
    }
    assert.deepEqual(failed, [])
    assert(shown.size >= 8)
  },
)

type Answer = { status: number; text: string }

interface Documented {
  readonly path: string
  readonly method: string
  readonly operation: DocumentedOperation
}

const filledPath = ({ path, operation: { parameters = [] } }: Documented): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    String(parameters.find((parameter) => parameter.name === name)?.example),
  )

async function sendDocumented(one: Documented): Promise<Answer> {
  const form = one.operation.requestBody?.content['application/x-www-form-urlencoded']
  const fields = Object.entries(form?.schema.properties ?? {}).map(([name, { examples }]) => [name, examples?.[0]])
  const example = form?.example ?? Object.fromEntries(fields)
  const answer = await fetch(demo.baseUrl + filledPath(one), {
    method: one.method.toUpperCase(),
    headers: { authorization: demo.keys.client_a },
    ...(form && {
      body: new URLSearchParams(
        Object.entries(example).map(([name, value]) => [
          name,
          typeof value === 'string' ? value : JSON.stringify(value),
        ]),
      ),
    }),
  })
  return { status: answer.status, text: await answer.text() }
}

/** Opens the operation in the page, and sends its request as it is filled in. */
async function sendExample(page: Page, { path, method, operation }: Documented): Promise<Answer> {
  const tag = operation.tags[0]?.toLowerCase().replaceAll(' ', '-')
  await page.evaluate(`location.hash = 'tag/${tag}/${method.toUpperCase()}${path}'`)
  await page.getByRole('button', { name: `(${method} ${path})` }).click()
  const dialog = page.getByRole('dialog')
  const answered = page.waitForResponse(
    (response) => response.url().includes('/api/v1/') && response.request().method() === method.toUpperCase(),
  )
  await dialog.getByRole('button', { name: /^send/i }).first().click()
  const answer = await answered
  const text = await answer.text()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  return { status: answer.status(), text }
}

test('each example of an optional query parameter is accepted', { skip, timeout: 10 * 60_000 }, async () => {
  let tried = 0
  for (const { path, method, operation } of operations) {
    const { parameters = [] } = operation
    const filled = filledPath({ path, method, operation })
    for (const { name, examples = {} } of method === 'get' ? parameters : []) {
      const value = examples['filled']?.value
      if (value === undefined) continue
      const query = new URLSearchParams({ [name]: [value].flat().map(String).join(',') }).toString()
      const headers = { authorization: demo.keys.client_a }
      const answer = await fetch(`${demo.baseUrl}${filled}?${query}`, { headers })
      assert.equal(answer.status, 200, `${operation.operationId} ${query}: ${await answer.text()}`)
      tried++
    }
  }
  assert(tried > 15)
})
