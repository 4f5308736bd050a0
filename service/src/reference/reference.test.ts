import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { clientEventTypes } from '../events/event-types.ts'
import { refusals } from '../refusals.ts'

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly examples?: unknown[]
  readonly properties?: Record<string, Schema>
  readonly items?: Schema
}
interface Operation {
  readonly summary?: string
  readonly operationId: string
  readonly parameters?: { name: string; description?: string; example?: unknown }[]
  readonly requestBody?: { content: Record<string, { schema: Schema }> }
  readonly responses: Record<string, { description: string; content: Record<string, { schema: Schema }> }>
}

const text = readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')
const openapi = JSON.parse(text) as {
  openapi: string
  info: { description: string }
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}
const operations = Object.values(openapi.paths).flatMap((methods) => Object.values(methods))

test('every field of every schema is described', () => {
  const bare: string[] = []
  const walk = (schema: Schema, path: string): void => {
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const envelope = /^(status|data|paging|errors)$/.test(name) || name === 'brand' || name === 'adjustment_items'
      if (property.$ref === undefined && property.description === undefined && !envelope) bare.push(`${path}.${name}`)
      walk(property, `${path}.${name}`)
    }
    if (schema.items) walk(schema.items, `${path}[]`)
  }
  for (const [name, schema] of Object.entries(openapi.components.schemas)) walk(schema, name)
  for (const operation of operations) {
    for (const { content } of [
      ...Object.values(operation.responses),
      ...(operation.requestBody ? [operation.requestBody] : []),
    ]) {
      for (const { schema } of Object.values(content)) walk(schema, operation.operationId)
    }
  }
  assert.deepEqual(bare, [])
})

test('every parameter and form field has a description and an example', () => {
  for (const { operationId, parameters = [], requestBody } of operations) {
    for (const { name, description, example } of parameters) {
      assert(description !== undefined && example !== undefined, `${operationId} ${name}`)
    }
    for (const { schema } of Object.values(requestBody?.content ?? {})) {
      for (const [name, { description, examples = [] }] of Object.entries(schema.properties ?? {})) {
        assert(description !== undefined && examples.length > 0, `${operationId} ${name}`)
      }
    }
  }
})

const ajv = new Ajv2020({ strict: false })
ajv.addSchema({ $id: 'openapi', ...openapi })

function assertMatches(example: unknown, name: string): void {
  const check = ajv.getSchema(`openapi#/components/schemas/${name}`)
  assert(check?.(example), `${name}: ${ajv.errorsText(check?.errors)}`)
}

test('every schema has an example, and its examples match it', () => {
  for (const [name, { examples = [] }] of Object.entries(openapi.components.schemas)) {
    assert(examples.length > 0, name)
    for (const example of examples) assertMatches(example, name)
  }
})

test('the reference has an example of every event type, and its data is an Order or an Adjustment where the type says so', () => {
  const { examples = [] } = openapi.components.schemas['Event'] ?? {}
  const events = examples as { event_type: string; data: unknown }[]
  assert.deepEqual(
    events.map(({ event_type }) => event_type),
    Object.keys(clientEventTypes),
  )
  for (const { event_type, data } of events) {
    if (event_type.startsWith('order.')) assertMatches(data, 'Order')
    if (event_type.startsWith('adjustment.')) assertMatches(data, 'Adjustment')
    assert(openapi.info.description.includes(`\`${event_type}\``), event_type)
  }
})

test('every operation has a unique id and a summary, and every error code is in the reference and declared by an operation', () => {
  assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
  assert(operations.every(({ summary }) => summary))
  const onlyOutside = [
    'row_malformed', // In the errors of an import.
    'row_repeated',
    'import_key_missing',
    'route_not_found',
    'method_not_allowed',
    'request_timed_out',
    'headers_too_large',
    'shutting_down',
  ]
  const assigned = JSON.stringify(operations)
  for (const code of Object.keys(refusals)) {
    assert(openapi.info.description.includes(`\`${code}\``), code)
    assert(onlyOutside.includes(code) || assigned.includes(`\`${code}\``), code)
  }
})
