/** Runs the commands of incident.md, in order, against a service in which keys have been used. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { makeOperators, type Operators } from '../../../apps/service/src/testing/operators.ts'
import { makeWorld, type World } from '../../../apps/service/src/testing/world.ts'
import { startService, type TestService } from '../../../apps/service/src/testing/service.ts'
import { addFixtures } from '../../../apps/service/src/testing/fixtures.ts'

const root = join(import.meta.dirname, '../../..')
const ids = 'KEY_ID=17 CLIENT=12 CONTACT=31 OPERATOR_KEY=3 OPERATOR=3'

let service: TestService
let world: World
let operators: Operators
let folder: string

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
  world = await makeWorld(service)
  folder = await mkdtemp(join(tmpdir(), 'parts-incident-'))
})
after(async () => {
  await service.close()
  await rm(folder, { recursive: true })
})

test('every command of the page succeeds, and revokes, shows and keeps what it says', async () => {
  const { me, shop } = world
  await shop.order(await filledCart())
  const decider = Number(/^pso_(\d+)_/.exec(operators.keys.decider)?.[1])
  const [row] = await service.sql('select operator_id from operator_keys where key_id = $1', [decider])
  await writeFile(join(folder, 'log'), service.log.join(''))

  const page = await readFile(join(import.meta.dirname, 'incident.md'), 'utf8')
  const blocks = [...page.matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].map(([, code = '']) => code)
  assert.equal(blocks[0], `${ids}\n`)
  const own = `KEY_ID=${me.key_id} CLIENT=${me.client_id} CONTACT=${me.contact_id} OPERATOR_KEY=${decider} OPERATOR=${String(row?.['operator_id'])}`
  const printed: string[] = []
  for (const block of blocks.slice(1)) printed.push(await run(`${own}\n${block}`))

  const [revoked = '', log = '', requests = '', webhooks = '', operator = '', sessions = '', audit = ''] = printed
  assert.match(revoked, /^pos_\d+_\w{43}_\w{6}$/m) // The new key.
  assert.match(log, /order\.created/)
  assert.match(requests, /"method":"PUT","route":"\/api\/v1\/orders\/","status":200.*"address":"127\.0\.0\.1"/)
  assert.deepEqual(JSON.parse(webhooks).data, [])
  assert.match(operator, /Test decider/)
  assert.deepEqual(JSON.parse(sessions.trim()).data, [])
  assert(audit.length > 0)
  const stored = async (sql: string): Promise<unknown> => (await service.sql(sql))[0]?.['n']
  assert.equal(await stored(`select count(*)::int as n from api_keys where key_id = ${me.key_id} and revoked_at is not null`), 1) // prettier-ignore
  assert.equal(await stored('select count(*)::int as n from operator_keys where revoked_at is null'), 1)
  assert.match(await readFile(join(folder, 'audit.ndjson'), 'utf8'), /"audit_action":"key_revoked"/)
  await service.checkInvariants()
})

async function filledCart(): Promise<number> {
  const cart_id = await world.shop.createCart()
  await world.shop.add(cart_id, { item_id: 2, quantity: 1 })
  return cart_id
}

/** In a folder of its own, with the programs of this repository. */
async function run(code: string): Promise<string> {
  const commands = code.replaceAll(/^( *)npx parts /gm, `$1node ${root}/apps/cli/src/main.ts `).replace('npm run', `npm run --prefix ${root}`) // prettier-ignore
  const { stdout } = await promisify(execFile)('bash', ['--norc', '-euo', 'pipefail', '-c', commands], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      HOME: folder,
      PARTS_URL: `http://127.0.0.1:${service.port}`,
      PARTS_KEY: operators.keys.admin,
      DATABASE_URL: service.databaseUrl,
      LOG: join(folder, 'log'),
    },
  })
  return stdout
}
