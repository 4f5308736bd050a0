/** Every operation of both sides: its method sends what the route's success case sends, and returns the same data. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { createClient } from '@parts-ordering/client'
import { createOperatorClient } from '@parts-ordering/client/operator'
import { operatorRouteCases, routeCases } from '../../../apps/service/src/route-cases.ts'
import { addFixtures } from '../../../apps/service/src/testing/fixtures.ts'
import { maskVolatile } from '../../../apps/service/src/testing/mask-volatile.ts'
import {
  expectedKey,
  keyForm,
  makeOperators,
  makeOperatorWorld,
  type Operators,
} from '../../../apps/service/src/testing/operators.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'
import { makeWorld } from '../../../apps/service/src/testing/world.ts'

let service: TestService
let operators: Operators
let url: string

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  url = `http://127.0.0.1:${service.port}`
})
after(() => service.close())

interface Documented {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>
}

type Methods = Readonly<Record<string, (params: object, options: object) => Promise<unknown>>>

/** The operations that the document publishes as JSON. */
function operationsOf(file: string): { operationId: string; method: string; path: string }[] {
  const { paths } = JSON.parse(readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8')) as Documented
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => JSON.stringify(operation).includes('"const":"ok"'))
      .map(([method, { operationId }]) => ({ operationId, method: method.toUpperCase(), path })),
  )
}

interface Sent {
  readonly path: string
  readonly form?: object
  readonly json?: object | undefined
  readonly rows?: readonly object[]
  readonly headers?: Record<string, string>
}

/** The fields of a case's request, as a caller of the method passes them. */
function paramsOf(template: string, { path, form, json, rows }: Sent): object {
  const [bare = '', search = ''] = path.split('?')
  const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const values = new RegExp(`^${template.replace(/\{\w+\}/g, '([^/]+)')}$`).exec(bare)?.slice(1) ?? []
  const fields = names.map((name, n) => [name, decodeURIComponent(values[n] ?? '')])
  return {
    ...Object.fromEntries(fields),
    ...Object.fromEntries(new URLSearchParams(search)),
    ...form,
    ...json,
    ...(rows && { rows }),
  }
}

async function call(methods: Methods, operation: { operationId: string; path: string }, sent: Sent): Promise<unknown> {
  const method = methods[operation.operationId]
  assert(method, operation.operationId)
  const idempotencyKey = sent.headers?.['idempotency-key']
  const result = await method(paramsOf(operation.path, sent), { retries: 0, idempotencyKey })
  return result
}

const isPage = (value: unknown): value is { data: unknown[] } =>
  typeof value === 'object' && value !== null && 'next_cursor' in value && 'data' in value

for (const operation of operationsOf('openapi.json')) {
  const cases = routeCases[`${operation.method} ${operation.path}`]
  test(`${operation.operationId} returns the promised data`, async () => {
    assert(cases)
    const world = await makeWorld(service)
    const { data, ...sent } = await cases.success(world)
    const client = createClient({ url, key: world.me.key }) as unknown as Methods
    const result = await call(client, operation, sent)
    assert.deepEqual(maskVolatile(isPage(result) ? result.data : result, data), data)
  })
}

for (const operation of operationsOf('operator-openapi.json')) {
  const cases = operatorRouteCases[`${operation.method} ${operation.path}`]
  test(`${operation.operationId} returns the promised data to an operator`, async () => {
    assert(cases)
    const { data, ...sent } = await cases.success(await makeOperatorWorld(service, operators))
    const client = createOperatorClient({ url, key: operators.keys.admin }) as unknown as Methods
    const result = (await call(client, operation, sent)) as { key?: string; import_key?: string | null }
    if (result.key !== undefined && keyForm.test(result.key)) result.key = expectedKey
    // The client makes a key for each import, so that repeating it is safe.
    if (operation.operationId.startsWith('import')) {
      assert.match(result.import_key ?? '', /^[\d-]{20,}$/)
      result.import_key = null
    }
    const found = isPage(result) ? result.data : result
    assert.deepEqual(maskVolatile(found, data), data)
  })
}

test('nothing of what the client sent has violated an invariant', () => service.checkInvariants())
