import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addClient, addFixtures, shopper } from '../../testing/fixtures.ts'
import { makeOperators } from '../../testing/operators.ts'
import { startService } from '../../testing/service.ts'

test('operators list the endpoints of all clients or of one, those that are paused or those that are not', async (t) => {
  const service = await startService()
  t.after(() => service.close())
  await addFixtures(service)
  const operators = await makeOperators(service)
  const [first, second] = [await addClient(service), await addClient(service)]
  const create = async (client: typeof first): Promise<number> =>
    (await shopper(service, client).ok('PUT', '/api/v1/webhooks/', { url: 'https://dealer.example/events' })).webhook_id
  const [a, b, c, d] = [await create(first), await create(second), await create(first), await create(second)]
  for (const webhook_id of [b, c])
    await operators.ok('POST', `/operator/v1/webhooks/${webhook_id}/pause/`, { text: 'Wait.' })
  const listed = async (query: string): Promise<number[]> =>
    (await operators.ok('GET', `/operator/v1/webhooks/${query}`)).map(
      ({ webhook_id }: { webhook_id: number }) => webhook_id,
    )
  assert.deepEqual(await listed(''), [a, b, c, d])
  assert.deepEqual(await listed('?paused=true'), [b, c])
  assert.deepEqual(await listed('?paused=false'), [a, d])
  assert.deepEqual(await listed(`?client_id=${first.client_id}`), [a, c])
  assert.deepEqual(await listed(`?client_id=${first.client_id}&paused=true`), [c])
  assert.deepEqual(await listed(`?client_id=${second.client_id}&paused=false`), [d])
  assert.deepEqual(await listed('?client_id=999999'), [])

  const page = await service.request('GET', '/operator/v1/webhooks/?paused=true&limit=1', { key: operators.keys.admin })
  assert.deepEqual([page.body.data[0].webhook_id, page.body.data.length], [b, 1])
  const next = /^<(.+)>; rel="next"$/.exec(String(page.headers.link))?.[1] ?? ''
  const rest = await service.request('GET', next, { key: operators.keys.admin })
  assert.deepEqual([rest.body.data[0].webhook_id, rest.body.data.length], [c, 1])
})
