/** OPERATOR_PORT: each side on a port of its own. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, type TestClient } from '../testing/fixtures.ts'
import { makeOperators, type Operators } from '../testing/operators.ts'
import { startProcess, type Running } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService
let me: TestClient
let operators: Operators
let running: Running
let addressOf: Record<'clients' | 'operators', string>

before(async () => {
  service = await startService()
  await addFixtures(service)
  me = await addClient(service)
  operators = await makeOperators(service)
  running = await startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    OPERATOR_PORT: '0',
    METRICS_PORT: '0',
  })
  const ready = running.log.find(({ msg }) => msg === 'ready')
  addressOf = { clients: running.address, operators: String(ready?.['operators']) }
})
after(async () => {
  running.child.kill('SIGKILL')
  await service.close()
})

const statusOf = async (side: 'clients' | 'operators', path: string): Promise<number> => {
  const key = path.startsWith('/operator/') ? operators.keys.admin : me.key
  const answer = await fetch(addressOf[side] + path, { headers: { authorization: key } })
  await answer.arrayBuffer()
  return answer.status
}

test('each port serves its side and its documents, and answers 404 for the other', async () => {
  assert.notEqual(addressOf.clients, addressOf.operators)
  const own = {
    clients: ['/api/v1/carts/', '/openapi.json'],
    operators: ['/operator/v1/inbox/', '/operator/openapi.json'],
  }
  for (const path of own.clients)
    assert.deepEqual([await statusOf('clients', path), await statusOf('operators', path)], [200, 404], path)
  for (const path of own.operators)
    assert.deepEqual([await statusOf('clients', path), await statusOf('operators', path)], [404, 200], path)
  for (const path of ['/healthz', '/readyz', '/docs/installation.json', '/'])
    assert.deepEqual([await statusOf('clients', path), await statusOf('operators', path)], [200, 200], path)
})

test('the root of each port leads to its own reference', async () => {
  for (const [side, prefix] of [
    ['clients', ''],
    ['operators', '/operator'],
  ] as const) {
    const answer = await fetch(addressOf[side])
    assert.deepEqual(await answer.json(), {
      status: 'ok',
      data: { reference: `${prefix}/docs/`, openapi: `${prefix}/openapi.json` },
    })
  }
})

test('on SIGTERM both ports close and the process exits with 0', async () => {
  const exit = new Promise((resolve) => running.child.once('exit', resolve))
  running.child.kill('SIGTERM')
  assert.equal(await exit, 0)
})
