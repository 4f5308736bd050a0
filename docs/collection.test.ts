/**
 * Sends every request of the collection to a fresh demo. Bruno's own runner would add 600 packages to the installation, so
 * this reads the few kinds of blocks that the generated files have.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { startDemo } from '../apps/service/src/commands/start-demo.ts'
import { createTestDatabase } from '../apps/service/src/testing/database.ts'
import { documents, operationsOf } from '../apps/service/src/testing/documents.ts'

const folder = join(import.meta.dirname, 'collection')
const blocksIn = (file: string): Map<string, string> =>
  new Map(
    [...readFileSync(join(folder, file), 'utf8').matchAll(/^([\w:-]+) \{\n([^]*?)^\}$/gm)].map(
      ([, name = '', text = '']) => [name, text],
    ),
  )

const requests = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /^(?!environments).+\/(?!folder).+\.bru$/.test(file))
  .map((file) => ({ file, blocks: blocksIn(file) }))
  .toSorted((a, b) => sequenceOf(a.blocks) - sequenceOf(b.blocks))

test('the collection has one request for each operation of the reference', () => {
  const named = requests.map(({ file }) => file.replace(/^.*\/|\.bru$/g, ''))
  assert.deepEqual(
    named,
    operationsOf(documents.client).map(({ operationId }) => operationId),
  )
})

test('every request of the collection succeeds in a fresh demo', async () => {
  await using opened = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opened.defer(() => database.drop())
  const environment = { DATABASE_URL: database.url, PORT: '0' }
  const { baseUrl } = await startDemo(environment, { fresh: false, say: () => undefined }, opened)
  const collection = blocksIn('collection.bru')
  const variables: Record<string, string> = { ...entriesOf(blocksIn('environments/demo.bru').get('vars')) }
  assert.equal(variables['url'], 'http://127.0.0.1:8080')
  variables['url'] = baseUrl
  // oxlint-disable-next-line typescript/no-implied-eval -- Runs the script of the collection, as Bruno does.
  const script = new Function('bru', collection.get('script:pre-request') ?? '') as (bru: object) => void
  script({ setVar: (name: string, value: string) => (variables[name] = value) })
  const filled = (text = ''): string =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) =>
      name === '$randomUUID' ? randomUUID() : (variables[name] ?? assert.fail(`No variable ${name}.`)),
    )

  for (const { file, blocks } of requests) {
    const method = ['get', 'put', 'patch', 'delete'].find((one) => blocks.has(one)) ?? assert.fail(file)
    const { url = '' } = entriesOf(filled(blocks.get(method)))
    const path = entriesOf(filled(blocks.get('params:path')))
    const json = blocks.get('body:json')
    const form = blocks.has('body:form-urlencoded') && entriesOf(filled(blocks.get('body:form-urlencoded')))
    const response = await fetch(
      url.replaceAll(/\/:(\w+)/g, (_, name: string) => `/${path[name] ?? assert.fail(name)}`),
      {
        method: method.toUpperCase(),
        headers: {
          ...entriesOf(filled(collection.get('headers'))),
          ...entriesOf(filled(blocks.get('headers'))),
          ...(json !== undefined && { 'content-type': 'application/json' }),
        },
        ...(json !== undefined && { body: json }),
        ...(form && { body: new URLSearchParams(form) }),
      },
    )
    assert.deepEqual(entriesOf(blocks.get('assert')), { 'res.status': 'eq 200' }, file)
    assert.equal(response.status, 200, `${file}: ${await response.text()}`)
  }
})

/** Lines with `~` are switched off. */
function entriesOf(block = ''): Record<string, string> {
  const lines = [...block.matchAll(/^ {2}([^~\s][^:]*): (.*)$/gm)]
  return Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]))
}

function sequenceOf(blocks: Map<string, string>): number {
  return Number(entriesOf(blocks.get('meta'))['seq'])
}
