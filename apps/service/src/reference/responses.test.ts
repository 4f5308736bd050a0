/** The documents tell the truth: responses and events match their schemas, and have no field that is not described. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { operatorRouteCases, routeCases } from '../route-cases.ts'
import { closed, documents } from '../testing/documents.ts'
import { lastEvents } from '../testing/events.ts'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, sendAsOperator, type Operators } from '../testing/operators.ts'
import { startService, type TestService } from '../testing/service.ts'
import { makeWorld, type World } from '../testing/world.ts'

let service: TestService
let operators: Operators
const worlds: World[] = []

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const ajv = new Ajv2020({ strict: false, validateFormats: false })
for (const [side, document] of Object.entries(documents)) {
  ajv.addSchema({ $id: side, ...closed(document) })
  ajv.addSchema({ $id: `${side}-open`, ...document })
}

function checkOf(document: string, ...path: string[]): ValidateFunction {
  const pointer = path.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
  const check = ajv.getSchema(`${document}#/${pointer}`)
  assert(check, pointer)
  return check
}

const responseOf = (side: keyof typeof documents, name: string): ValidateFunction => {
  const [method = '', path = ''] = name.split(' ')
  const at = ['paths', path, method.toLowerCase(), 'responses', '200', 'content', 'application/json', 'schema']
  return checkOf(side, ...at)
}

function assertMatches(check: ValidateFunction, value: unknown, name: string): void {
  assert(check(value), `${name}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(value)}`)
}

test("every client operation's response matches the document", async () => {
  for (const [name, { success }] of Object.entries(routeCases)) {
    const world = await makeWorld(service)
    const { data: _, ...request } = await success(world)
    const { body } = await service.request(name.split(' ')[0] ?? '', request.path, { ...request, key: world.me.key })
    assertMatches(responseOf('client', name), body, name)
    worlds.push(world)
  }
})

test("every operator operation's response matches the document", async () => {
  for (const [name, { success }] of Object.entries(operatorRouteCases)) {
    const request = await success(await makeOperatorWorld(service, operators))
    const { body } = await sendAsOperator(service, name.split(' ')[0] ?? '', request, operators.keys.admin)
    assertMatches(responseOf('operator', name), body, name)
  }
})

/** Operators see every stored field of an event, so theirs may have more than the document names. */
test('every event that these operations caused matches the schema of its type, for clients and for operators', async () => {
  const types = new Set<string>()
  const check = checkOf('client', 'components', 'schemas', 'Event')
  for (const { me } of worlds) {
    const { body } = await service.request('GET', '/api/v1/events/', { key: me.key })
    for (const event of body.data) {
      types.add(event.event_type)
      assertMatches(check, event, event.event_type)
    }
  }
  const checkFeed = checkOf('operator-open', 'components', 'schemas', 'FeedEvent')
  await lastEvents(service, operators)
  let path = '/operator/v1/events/'
  for (;;) {
    const { body } = await service.request('GET', path, { key: operators.keys.admin })
    if (body.data.events.length === 0) break
    for (const event of body.data.events) {
      types.add(event.event_type)
      assertMatches(checkFeed, event, event.event_type)
    }
    path = `/operator/v1/events/?cursor=${body.data.next_cursor}`
  }
  // By the worker, an arrival of goods, a large order, or a restore.
  const byNoCase = ['order.archived', 'return_request.arrived', 'contract.limit_low', 'key.expired', 'service.restored']
  const all = documents.client.components.schemas['EventType']?.enum ?? []
  assert.deepEqual(
    all.filter((type) => !types.has(String(type))),
    byNoCase,
  )
})
