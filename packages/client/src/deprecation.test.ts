/** A deprecated operation, in an app of its own: no route of the service is deprecated today. */
import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { createClient, InvalidRequestError, type DeprecationNotice } from '@parts-ordering/client'
import { openDatabase } from 'pg-statements/database.ts'
import Type from 'typebox'
import type { Route } from '../../../apps/service/src/http/routing/route.ts'
import { makeServer } from '../../../apps/service/src/http/listening/server.ts'
import { serveRoutes } from '../../../apps/service/src/http/routing/serve-routes.ts'
import { id } from '../../../apps/service/src/input/fields.ts'
import { makeLogger } from '../../../apps/service/src/log.ts'

const cart: Route = {
  method: 'GET',
  path: '/api/v1/carts/{cart_id}/',
  operationId: 'readCart',
  tag: 'Carts',
  summary: 'Read a cart',
  params: { cart_id: id('The cart.', 1) },
  data: Type.Object({}),
  refusals: [],
  handle: async () => ({}),
}
const carts: Route = {
  ...cart,
  path: '/api/v1/carts/',
  operationId: 'listCarts',
  params: {},
  paged: true,
  handle: async () => ({ data: [], next_cursor: null }),
}
const deprecated = { since: '2027-01-31', sunset: '2028-01-31', link: 'https://parts.example.com/docs/baskets' }

test('the client reports each deprecated operation once, whatever it answers, and no other', async (t) => {
  // Nothing listens there; these routes send no statements.
  const db = openDatabase({ url: 'postgres://nowhere/none', poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 1_000 })
  const app = makeServer({ requestTimeoutMs: 60_000, logger: makeLogger('silent') })
  t.after(async () => {
    await app.close()
    await db.close()
  })
  serveRoutes(app, [{ ...cart, deprecated }, carts], {
    db,
    shareOf: () => 'me',
    authenticate: () => ({ key_id: 1, client_id: 2 }),
    permit: () => undefined,
    body: 'form',
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const notices: DeprecationNotice[] = []
  const client = createClient({
    url: `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`,
    key: 'key',
    onDeprecated: (notice) => void notices.push(notice),
  })
  const expected = {
    operation: 'readCart',
    since: new Date('2027-01-31T00:00:00Z'),
    sunset: new Date('2028-01-31T23:59:59Z'),
    link: 'https://parts.example.com/docs/baskets',
  }
  await client.listCarts()
  assert.deepEqual(notices, [])
  await assert.rejects(client.readCart({ cart_id: 'x' as unknown as number }), InvalidRequestError)
  assert.deepEqual(notices, [expected])
  await client.readCart({ cart_id: 7 })
  await client.fetch('GET', '/api/v1/carts/7/')
  await client.request('GET', '/api/v1/carts/8/')
  assert.deepEqual(notices, [expected, { ...expected, operation: 'GET /api/v1/carts/…/' }])
})
