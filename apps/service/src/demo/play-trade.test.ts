import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { playTrade } from './play-trade.ts'
import { startDemo } from '../commands/start-demo.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { createTestDatabase } from '../testing/database.ts'
import { eventually } from '../testing/process.ts'

interface Happened {
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
  readonly data: { order_state_id?: string; reference?: string | null; adjustment_status?: string }
}

test('a live demo shows orders from new to completed, accepted changes and cancellations, and leaves the examples alone', async () => {
  await using opened = new AsyncDisposableStack()
  const database = await createTestDatabase()
  opened.defer(() => database.drop())
  const environment = { DATABASE_URL: database.url, PORT: '0', RATE_LIMIT: 'off' }
  const { baseUrl, keys } = await startDemo(environment, { fresh: false, say: () => undefined }, opened)
  opened.defer(playTrade(baseUrl, keys, { orderEveryMs: 20, decideAfterMs: 20 }))
  const eventsOf = async (key: string): Promise<Happened[]> => {
    const events: Happened[] = []
    for (;;) {
      const after = events.at(-1)?.event_number ?? 0
      const headers = { authorization: key }
      const response = await fetch(`${baseUrl}/api/v1/events/?limit=500&after=${after}`, { headers })
      if (response.ok) {
        const { data } = (await response.json()) as { data: Happened[] }
        events.push(...data)
        if (data.length < 500) return events
      } else {
        assert.equal(response.status, 503, await response.text()) // The trade keeps a slow machine busy.
        await sleep(100)
      }
    }
  }
  for (const key of [keys.client_a, keys.client_b]) {
    await eventually(async () => {
      const events = await eventsOf(key)
      const isLive = ({ data }: Happened): boolean => data.reference?.startsWith('LIVE-') ?? false
      const states = new Set(events.filter(isLive).map(({ data }) => data.order_state_id))
      const decided = events.some(({ data }) => data.adjustment_status === 'ACCEPTED')
      return ['processing', 'shipped', 'completed', 'canceled'].every((state) => states.has(state)) && decided
    })
  }
  const ofExample = (await eventsOf(keys.client_a)).filter(({ order_id }) => order_id === exampleIds.order_id)
  assert.deepEqual(
    ofExample.map(({ event_type }) => event_type),
    ['order.created', 'adjustment.created', 'adjustment.created'],
  )
})
