import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import Type from 'typebox'
import { clientEventTypes } from '../events/event-types.ts'
import type { Route } from '../http/routing/route.ts'
import { orderStates } from '../vocabulary/order-states.ts'
import { exampleError, refusals, type RefusalCode } from '../vocabulary/refusals.ts'
import { describeOperation } from './describe-operation.ts'
import { closed, documents, operationsOf, type Document, type Response, type Schema } from '../testing/documents.ts'

const everyDocument = Object.entries(documents)

/** Every schema of a document that is part of a response, with where it is. */
function* responseSchemas({ components, paths }: Document): Generator<[string, Schema]> {
  for (const [name, schema] of Object.entries(components.schemas)) yield* parts(schema, name)
  for (const [path, methods] of Object.entries(paths))
    for (const [method, { responses }] of Object.entries(methods))
      for (const { content = {} } of Object.values(responses))
        for (const { schema } of Object.values(content)) yield* parts(schema, `${method} ${path}`)
}

/** Every schema of a document that is part of a request. */
function* requestSchemas(document: Document): Generator<[string, Schema]> {
  for (const { operationId, parameters = [], requestBody } of operationsOf(document)) {
    for (const { name, schema } of parameters) if (schema !== undefined) yield* parts(schema, `${operationId} ${name}`)
    for (const { schema } of Object.values(requestBody?.content ?? {})) yield* parts(schema, operationId)
  }
}

function* parts(schema: Schema, path: string): Generator<[string, Schema]> {
  yield [path, schema]
  for (const [name, property] of Object.entries(schema.properties ?? {})) yield* parts(property, `${path}.${name}`)
  for (const of of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) yield* parts(of, path)
  if (schema.items) yield* parts(schema.items, `${path}[]`)
}

test('every integer has the format int64, in requests and in responses', () => {
  for (const [, document] of everyDocument) {
    const integers = [...responseSchemas(document), ...requestSchemas(document)].filter(([, { type }]) =>
      [type].flat().includes('integer'),
    )
    assert(integers.length > 100)
    for (const [path, { format }] of integers) assert.equal(format, 'int64', path)
  }
})

test('responses are open, because fields may be added; requests are closed', () => {
  for (const [, document] of everyDocument) {
    for (const [path, schema] of responseSchemas(document)) assert.notEqual(schema.additionalProperties, false, path)
    for (const { operationId, requestBody } of operationsOf(document))
      for (const { schema } of Object.values(requestBody?.content ?? {}))
        if (schema.type !== 'string') assert.equal(schema.additionalProperties, false, operationId) // CSV is a text.
  }
})

test('states, statuses, event types and error codes are enums that may grow', () => {
  const { schemas } = documents.client.components
  assert.deepEqual(
    schemas['OrderState']?.enum,
    orderStates.map(({ state_id }) => state_id),
  )
  assert.deepEqual(schemas['EventType']?.enum, Object.keys(clientEventTypes))
  assert.deepEqual(schemas['AdjustmentStatus']?.enum, ['WAIT', 'ACCEPTED', 'CANCELED'])
  assert.deepEqual(schemas['PausedReason']?.enum, ['owner', 'operator', 'gone', 'failing'])
  for (const [, document] of everyDocument) {
    for (const [name, { enum: words, description }] of Object.entries(document.components.schemas))
      if (words !== undefined) assert.match(description ?? '', /New values may be added/, name)
    for (const [path, { type, enum: words }] of responseSchemas(document)) {
      const isListed = /(^|_)(state|status|code|mode|kind|role|paused_reason|decided_by)(_id)?$/.test(
        path.split('.').at(-1) ?? '',
      )
      const isOther = /country_code|region_code|currency_code|vendor_code|\.status$|^Operator.*\.decided_by$/.test(path)
      if (isListed && !isOther) assert(type !== 'string' || words !== undefined, `${path} is not an enum.`)
    }
  }
})

test('every field of every schema is described', () => {
  const envelope = /^(status|data|paging|errors|brand|adjustment_items)$/
  for (const [, document] of everyDocument)
    for (const [path, { properties = {} }] of responseSchemas(document))
      for (const [name, { $ref, description }] of Object.entries(properties))
        assert($ref !== undefined || description !== undefined || envelope.test(name), `${path}.${name}`)
})

test('every parameter and form field has a description, and an example unless it cannot be known in advance', () => {
  for (const [, document] of everyDocument) {
    for (const { operationId, parameters = [], requestBody } of operationsOf(document)) {
      for (const { $ref, name, description, example, examples = {} } of parameters) {
        if ($ref !== undefined) continue
        const shown = example ?? examples['filled']?.value
        assert(description !== undefined, `${operationId} ${name}`)
        assert.equal(shown === undefined, name === 'cursor', `${operationId} ${name}`)
      }
      for (const { schema } of Object.values(requestBody?.content ?? {})) {
        for (const [name, { description, examples = [] }] of Object.entries(schema.properties ?? {}))
          assert(description !== undefined && examples.length > 0, `${operationId} ${name}`)
      }
    }
  }
})

test('every schema has an example unless it is a list of words, and its examples match it', () => {
  for (const [side, document] of everyDocument) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: side, components: { schemas: closed(document.components.schemas) } })
    for (const [name, { examples = [], enum: words }] of Object.entries(document.components.schemas)) {
      assert(examples.length > 0 || words !== undefined, name)
      const check = ajv.getSchema(`${side}#/components/schemas/${name}`)
      for (const example of examples) assert(check?.(example), `${name}: ${ajv.errorsText(check?.errors)}`)
    }
  }
})

test('each event type has a schema of its own, with its data, and the events of an API are their union', () => {
  for (const [side, union, document] of [
    ['order.created', 'Event', documents.client],
    ['order.created', 'FeedEvent', documents.operator],
  ] as const) {
    const { oneOf = [], examples = [] } = document.components.schemas[union] ?? {}
    assert.equal(oneOf.length, Object.keys(clientEventTypes).length, side)
    assert.deepEqual(
      examples.map((example) => (example as { event_type: string }).event_type),
      Object.keys(clientEventTypes),
    )
  }
  const { OrderCreatedEvent, AdjustmentDecidedEvent, WebhookPausedEvent } = documents.client.components.schemas
  assert.equal(OrderCreatedEvent?.properties?.['data']?.$ref, '#/components/schemas/Order')
  assert.equal(AdjustmentDecidedEvent?.properties?.['data']?.$ref, '#/components/schemas/Adjustment')
  assert(WebhookPausedEvent?.properties?.['data']?.properties?.['paused_reason'])
})

test('the document for clients describes the requests that webhook endpoints receive', () => {
  assert.deepEqual(Object.keys(documents.client.webhooks ?? {}), ['event', 'test'])
  const { requestBody } = documents.client.webhooks?.['event']?.post ?? {}
  const schema = requestBody?.content['application/json']?.schema.$ref
  assert.equal(schema, '#/components/schemas/WebhookMessage')
})

test('responses name their headers', () => {
  const { paths, components } = documents.client
  const of = (path: string, method: string, status: string): string[] =>
    Object.keys(paths[path]?.[method]?.responses[status]?.headers ?? {})
  assert.deepEqual(of('/api/v1/orders/', 'get', '200'), ['X-Request-Id', 'RateLimit', 'RateLimit-Policy', 'Link'])
  assert.deepEqual(of('/api/v1/orders/', 'put', '200'), ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'])
  assert.deepEqual(of('/api/v1/stocks/', 'get', '200').slice(3), ['ETag', 'Cache-Control'])
  assert.deepEqual(Object.keys(components.responses['Refused']?.headers ?? {}), [
    'X-Request-Id',
    'WWW-Authenticate',
    'Allow',
    'Retry-After',
  ])
})

test('a deprecated operation is marked, with its headers, its days and what to use instead', () => {
  const route: Route = {
    method: 'GET',
    path: '/api/v1/baskets/',
    operationId: 'listBaskets',
    tag: 'Carts',
    summary: 'List baskets',
    description: 'The baskets of the client.',
    data: Type.Object({}),
    refusals: [],
    handle: async () => ({}),
  }
  const deprecated = { since: '2027-01-31', sunset: '2028-01-31', link: 'https://parts.example.com/docs/' }
  interface Described {
    readonly deprecated?: boolean
    readonly description: string
    readonly responses: { readonly 200: { readonly headers: Readonly<Record<string, { readonly example?: string }>> } }
  }
  const describe = (of: Route): Described => describeOperation(of, 'form', (schema) => schema) as Described
  const marked = describe({ ...route, deprecated })
  assert.equal(marked.deprecated, true)
  assert.deepEqual(marked.description.split('\n\n').slice(0, 2), [
    'The baskets of the client.',
    'Deprecated since 2027-01-31. It works until 2028-01-31 at least. [What to use instead](https://parts.example.com/docs/).',
  ])
  const { headers } = marked.responses[200]
  assert.deepEqual(
    [headers['Deprecation']?.example, headers['Sunset']?.example],
    ['@1801353600', 'Mon, 31 Jan 2028 23:59:59 GMT'],
  )
  const plain = describe(route)
  assert.deepEqual([plain.deprecated, 'Deprecation' in plain.responses[200].headers], [undefined, false])
})

test('every operation has a unique id, a summary and a tag that its document explains', () => {
  for (const [, document] of everyDocument) {
    const operations = operationsOf(document)
    const tags = document.tags.map(({ name }) => name)
    assert.equal(new Set(operations.map(({ operationId }) => operationId)).size, operations.length)
    assert.deepEqual(new Set(operations.flatMap((operation) => operation.tags)), new Set(tags))
    for (const { summary, operationId } of operations) assert(summary, operationId)
  }
})

test('an operation lists its own errors, and refers to those that many operations share', () => {
  const codesOf = (response: Response | undefined): string[] =>
    Object.keys(response?.content?.['application/json']?.examples ?? {})
  const { paths, components } = documents.client
  const { responses = {} } = paths['/api/v1/carts/{cart_id}/']?.['get'] ?? {}
  assert.deepEqual(Object.keys(responses), ['200', '404', '4XX', '5XX'])
  assert.deepEqual(codesOf(responses['404']), ['cart_not_found'])
  assert.equal(responses['4XX']?.$ref, '#/components/responses/Refused')
  assert.deepEqual(codesOf(components.responses['Failed']), [
    'internal_error',
    'overloaded',
    'busy',
    'database_unavailable',
  ])
  const common = Object.values(components.responses).flatMap(codesOf)
  assert(common.includes('field_invalid'))
  for (const code of common) assert(documents.client.info.description.includes(` \`${code}\`: `), code)
})

test('every error code is listed in a document, and declared by an operation unless it has none', () => {
  const declaredByNone = [
    'row_repeated', // In the errors of an import.
    'import_key_missing',
    'route_not_found',
    'method_not_allowed',
    'expectation_failed',
    'request_timed_out',
    'headers_too_large',
    'not_ready',
    'too_many_connections',
    'too_many_failed_keys',
    'shutting_down',
  ]
  const declared = everyDocument.map(([, { paths, components }]) => JSON.stringify([paths, components.responses]))
  for (const code of Object.keys(refusals)) {
    const isListed = everyDocument.some(([, { components }]) => components.schemas['ErrorCode']?.enum?.includes(code))
    assert(isListed, code)
    const isDeclared = declared.some((text) =>
      [`/components/examples/${code}"`, `\`${code}\``].some((one) => text.includes(one)),
    )
    assert(declaredByNone.includes(code) || isDeclared, code)
  }
  assert(!documents.client.components.schemas['ErrorCode']?.enum?.includes('role_missing'))
})

test('the details of every error have a schema: each member with the codes that carry it', () => {
  for (const [side, document] of everyDocument) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: side, components: { schemas: closed(document.components.schemas) } })
    const check = ajv.getSchema(`${side}#/components/schemas/ErrorDetails`)
    const members = document.components.schemas['ErrorDetails']?.properties ?? {}
    const codes = (document.components.schemas['ErrorCode']?.enum ?? []) as RefusalCode[]
    assert(codes.length > 50)
    for (const code of codes) {
      const { details = {} } = exampleError(code)
      assert(check?.(details), `${code}: ${ajv.errorsText(check?.errors)}`)
      for (const name of Object.keys(details))
        assert(members[name]?.description?.includes(`\`${code}\``), `${code}: ${name}`)
    }
  }
})
