import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { clientSideRoutes, operatorSideRoutes, type FeatureParts } from '../app.ts'
import { readConfig } from '../config.ts'
import type { Route } from '../http/routing/route.ts'
import { pageOf } from './paging.ts'
import { operatorRouteCases, routeCases } from '../route-cases.ts'
import { addFixtures } from '../testing/fixtures.ts'
import { makeOperators, makeOperatorWorld, type Operators } from '../testing/operators.ts'
import { order } from '../testing/orders.ts'
import { startService, type TestService } from '../testing/service.ts'
import { makeWorld } from '../testing/world.ts'

let service: TestService
let operators: Operators
const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
const isPaged = ({ query = {} }: Route): boolean => 'cursor' in query
const clientLists = clientSideRoutes({ config } as FeatureParts).filter(isPaged)
const operatorLists = operatorSideRoutes({ config } as FeatureParts).filter(isPaged)

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

/** The lists whose positions are not one id. */
const positions: Readonly<Record<string, string>> = {
  '/operator/v1/events/': '0-0-0-0',
  '/operator/v1/inbox/': '1-adjustment-1',
  '/operator/v1/log/': '1-1-1',
  '/operator/v1/stock-levels/': '1-1',
  '/operator/v1/stocks/{stock_id}/closures/': '2026-12-24',
  '/operator/v1/imports/{import_id}/changes/': '1-0',
  '/operator/v1/imports/{import_id}/errors/': '1-0',
}

interface Target {
  readonly route: Route
  /** The path of an existing list. */
  readonly path: string
  readonly key: string
  readonly client_id?: number
}

/** The values of the path's parameters, which are all ids. */
function paramsOf({ route, path }: Target): Record<string, number> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '')
  const form = new RegExp(route.path.replaceAll(/\{\w+\}/g, '(\\d+)'))
  return Object.fromEntries((form.exec(path) ?? []).slice(1).map((value, n) => [names[n] ?? '', Number(value)]))
}

const cursorOf = (target: Target, changed: Partial<Parameters<typeof pageOf>[0]> = {}): string => {
  const list = { path: target.route.path, client_id: target.client_id, params: paramsOf(target), query: {} }
  return pageOf({ ...list, ...changed }, []).cursorAt(positions[target.route.path] ?? 1)
}

async function answerTo({ path, key }: Target, query: string): Promise<unknown> {
  const { status, body } = await service.request('GET', `${path}?${query}`, { key })
  const error = body.errors?.[0]
  return [status, error === undefined ? undefined : `${error.code} ${error.field ?? ''}`]
}

const accepted = [200, undefined]
const refused = [400, 'field_invalid cursor']

async function checkList(target: Target, { query = {} }: Route, lists: readonly Route[]): Promise<void> {
  const own = cursorOf(target)
  assert.deepEqual(await answerTo(target, `cursor=${own}`), accepted, target.path)
  assert.deepEqual(await answerTo(target, `limit=7&cursor=${own}`), accepted, 'limit is no filter')
  for (const { path } of lists.filter((list) => list !== target.route))
    assert.deepEqual(await answerTo(target, `cursor=${cursorOf(target, { path })}`), refused, `${path} ${target.path}`)
  assert.deepEqual(await answerTo(target, `cursor=${cursorOf(target, { client_id: 999_999 })}`), refused)
  assert.deepEqual(await answerTo(target, `cursor=${cursorOf(target, { params: { order_id: 999_999 } })}`), refused)
  for (const [name, { schema }] of Object.entries(query)) {
    if (['limit', 'cursor', 'wait', 'include', 'from'].includes(name) || name.startsWith('csv_')) continue
    const [example] = schema['examples'] as [string | number]
    assert.deepEqual(await answerTo(target, `${name}=${encodeURIComponent(example)}&cursor=${own}`), refused, name)
  }
}

for (const route of clientLists) {
  test(`GET ${route.path} refuses the cursors of other lists, clients and filters`, async () => {
    const world = await makeWorld(service)
    const { path } = (await routeCases[`GET ${route.path}`]?.success(world)) ?? { path: '' }
    const { key, client_id } = world.me
    await checkList({ route, path: withoutQuery(path), key, client_id }, route, [...clientLists, ...operatorLists])
  })
}

for (const route of operatorLists) {
  test(`GET ${route.path} refuses the cursors of other lists and filters`, async () => {
    const world = await makeOperatorWorld(service, operators)
    const { path } = (await operatorRouteCases[`GET ${route.path}`]?.success(world)) ?? { path: '' }
    const target = { route, path: withoutQuery(path), key: operators.keys.admin }
    await checkList(target, route, [...clientLists, ...operatorLists])
  })
}

const withoutQuery = (path: string): string => path.split('?', 1)[0] ?? ''

test('a real cursor of one list is refused by every other, and its own list continues', async () => {
  const world = await makeWorld(service)
  const { me } = world
  await order(world)
  await order(world)
  const first = await service.request('GET', '/api/v1/orders/?limit=1', { key: me.key })
  const cursor = first.body.paging?.next_cursor ?? ''
  const second = await service.request('GET', `/api/v1/orders/?limit=1&cursor=${cursor}`, { key: me.key })
  assert(first.body.data[0].order_id > second.body.data[0].order_id)
  assert.equal(second.body.paging?.next_cursor ?? null, null)
  const items = await service.request('GET', `/api/v1/items/?cursor=${cursor}`, { key: me.key })
  assert.deepEqual(items.body.errors, [
    {
      code: 'field_invalid',
      message: `Invalid value '${cursor}' for 'cursor': it must be the next_cursor of a page of this list with the same filters.`,
      field: 'cursor',
      details: { value: cursor, rule: 'the next_cursor of a page of this list with the same filters' },
    },
  ])
})

test('a position of another form is refused, even with the right fingerprint', async () => {
  const key = operators.keys.admin
  for (const [path, position] of [
    ['/operator/v1/clients/', '1-1'],
    ['/operator/v1/clients/', '0'],
    ['/operator/v1/clients/', '9007199254740992'],
    ['/operator/v1/stock-levels/', '1'],
    ['/operator/v1/inbox/', '1-order-1'],
  ] as const) {
    const cursor = pageOf({ path, params: {}, query: {} }, []).cursorAt(position)
    const { status, body } = await service.request('GET', `${path}?cursor=${cursor}`, { key })
    assert.deepEqual([status, body.errors[0]?.field], [400, 'cursor'], position)
  }
})

test('an invalid filter is reported alone: whether the cursor belongs to it cannot be told', async () => {
  const { me } = await makeWorld(service)
  const { body } = await service.request('GET', '/api/v1/items/?brand_id=x&cursor=MTIz', { key: me.key })
  assert.deepEqual(
    body.errors.map(({ field }) => field),
    ['brand_id'],
  )
})
