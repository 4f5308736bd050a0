/** What an installation costs while nothing happens, and that it is awake when something does. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { addClient, addFixtures } from '../testing/fixtures.ts'
import { startReceiver, type Receiver } from '../testing/network/receiver.ts'
import { eventually, startProcess } from '../testing/process.ts'
import { startService, type TestService } from '../testing/service.ts'

let service: TestService // Prepares the data only.
let receiver: Receiver

before(async () => {
  service = await startService()
  await addFixtures(service)
  receiver = await startReceiver()
})
after(async () => {
  receiver.close()
  await service.close()
})

const settings = (): Record<string, string> => ({
  DATABASE_URL: service.databaseUrl,
  PORT: '0',
  METRICS_PORT: '0',
  WORKER_PORT: '0',
  WORKER_METRICS_PORT: '0',
  WEBHOOKS_ALLOW_HTTP: 'true',
  WEBHOOKS_ALLOW_PRIVATE: 'true',
})

/** Transactions of this database, those of this test's own session included. */
async function transactions(): Promise<number> {
  await service.sql('select pg_stat_clear_snapshot()')
  const [row] = await service.sql(
    'select xact_commit::int as n from pg_stat_database where datname = current_database()',
  )
  return Number(row?.['n'])
}

for (const commands of [['api', 'worker'], ['all']])
  test(`while nothing happens, ${commands.join(' and ')} ask the database seldom, and a change is sent on at once`, async (t) => {
    const running = await Promise.all(commands.map((command) => startProcess(command, settings())))
    t.after(() => running.forEach(({ child }) => child.kill('SIGKILL')))
    const [api] = running
    const { key } = await addClient(service)
    const send = (method: string, path: string, form: Record<string, string>) =>
      fetch(`${api?.address}${path}`, { method, headers: { authorization: key }, body: new URLSearchParams(form) })
    const made = await send('PUT', '/api/v1/webhooks/', { url: receiver.url })
    assert.equal(made.status, 200)
    const { data } = (await made.json()) as { data: { webhook_id: number } }
    await service.sql('delete from feed_endpoints')
    await service.sql(
      `insert into feed_endpoints (url, secret, generation, after_transaction, after_client, after_number)
       select $1, 'whsec_' || repeat('A', 32), 0, max(event_transaction), 0, 0 from clients`,
      [`${receiver.url}/feed`],
    )
    await sleep(8_000) // Until they are idle, and the statistics of what was before are published.

    const before_ = await transactions()
    for (let n = 0; n < 40; n++) {
      assert.equal((await fetch(`${api?.address}/readyz`)).status, 200)
      await sleep(500)
    }
    const sent = (await transactions()) - before_
    // 1,000 if they always asked. Some jobs are due each minute, most every ten minutes.
    assert(sent <= 200, `${sent} transactions in 20 seconds`)

    receiver.received.length = 0
    const startedAt = performance.now()
    const changed = await send('PATCH', `/api/v1/webhooks/${data.webhook_id}/`, { event_types: '*' })
    assert.equal(changed.status, 200)
    await eventually(async () => new Set(receiver.received.map((got) => got.path)).size === 2)
    const tookMs = performance.now() - startedAt
    assert(tookMs < 8_000, `The event arrived after ${tookMs} ms`) // Without a hint it takes up to ten seconds.
    for (const { child } of running) {
      const exit = once(child, 'exit')
      child.kill('SIGTERM')
      assert.deepEqual(await exit, [0, null])
    }
  })
