/** The command against a small loaded database: every list is measured, and the export is complete. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { databaseUrl, createDatabase, dropDatabase } from '../load/databases.ts'
import { load } from '../load/load.ts'
import { sizesOf } from '../load/sizes.ts'
import { measureFinding, read } from './finding.ts'
import { findingRequests, type OpenapiPaths } from '../finding/requests.ts'
import document from '../../../operator-openapi.json' with { type: 'json' }

const server = process.env['TEST_DATABASE_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres'
const database = new URL(server)
database.pathname = `/bench_test_finding_${process.pid}`
const url = databaseUrl(database.href)
const orders = 1_200 // Two pages of an export and a part of the third.

before(async () => {
  await createDatabase(url, true)
  await load(url, sizesOf(orders, 20, 1_000))
})
after(() => dropDatabase(url))

test('every list, search and count is measured, and those of orders find rows', async () => {
  const { found } = await measureFinding(url, { requests: 1, rate: 100, show: () => undefined })
  const measured = new Set(found.map(({ operation }) => operation))
  const lists = Object.values((document as unknown as OpenapiPaths).paths).flatMap(({ get }) =>
    get !== undefined && 'text/csv' in get.responses[200].content ? [get.operationId] : [],
  )
  assert.deepEqual(
    lists.filter((name) => !measured.has(name)),
    ['listFeedDeliveries', 'checkInvariants'], // Nothing is loaded for the first, and the second reads all on purpose.
  )
  assert(measured.has('readCounts') && measured.has('followEvents'))
  const rowsOf = (operation: string, variant: string): number | undefined =>
    found.find((one) => one.operation === operation && one.variant === variant)?.rows
  assert.deepEqual(
    ['', 'next page', 'held=true', 'sort=ship_date', 'search by city', 'search of nothing'].map((variant) =>
      rowsOf('listClientOrders', variant),
    ),
    [100, 100, rowsOf('listClientOrders', 'held=true'), 100, 100, 0],
  )
  assert((rowsOf('listClientOrders', 'held=true') ?? 0) > 0)
  assert.deepEqual([rowsOf('listImportChanges', ''), rowsOf('listImportChanges', 'limit=500')], [100, 500])
  assert.equal(rowsOf('listLog', 'operator_id'), 100)
})

test('the export has every order, with its size, its time and the memory of the service', async () => {
  const { exported } = await measureFinding(url, { requests: 1, rate: 1, withExport: true, show: () => undefined })
  assert(exported)
  assert.equal(exported.rows, orders)
  assert(exported.bytes > orders * 1_000 && exported.seconds > 0 && exported.service_cpu_seconds > 0)
  assert(exported.before_mb > 20 && exported.peak_mb >= Math.max(...exported.tenths_mb) && exported.heap_peak_mb > 10)
})

test('a list, a filter or a read that the command does not know is an error', () => {
  const of = (operationId: string, content: object, parameters: object[] = []): OpenapiPaths =>
    ({ paths: { '/operator/v1/new/': { get: { operationId, parameters, responses: { 200: { content } } } } } }) as never
  const csv = { 'text/csv': {} }
  assert.throws(() => findingRequests(of('readNew', {}), {}, {}), /does not know readNew/)
  const filter = { name: 'colour', in: 'query', schema: { type: 'string' } }
  assert.throws(() => findingRequests(of('listNew', csv, [filter]), {}, {}), /no values for the parameter colour/)
  assert.deepEqual(findingRequests(of('listNew', csv, [filter]), {}, { colour: { '': ['red'] } }), [
    { operation: 'listNew', variant: '', paths: ['/operator/v1/new/'] },
    { operation: 'listNew', variant: 'colour', paths: ['/operator/v1/new/?colour=red'] },
  ])
})

test('what is measured is not compressed', async () => {
  const server = createServer(({ headers }, response) => {
    const accepted = headers['accept-encoding'] === 'identity'
    response.end(JSON.stringify({ data: accepted ? [{}] : [] }))
  }).listen(0)
  await once(server, 'listening')
  const { rows } = await read(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, 'key')
  server.close()
  assert.equal(rows, 1)
})
