/** Follow events on every way in which they can be read, as programs do that remember where they were. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestClient } from '../../apps/service/src/testing/fixtures.ts'
import type { Receiver } from '../../apps/service/src/testing/network/receiver.ts'
import type { History, SeenEvent } from './history.ts'
import type { DealerRequests } from './requests.ts'

interface EventAnswer {
  readonly client_id?: number
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
}

const waitSeconds = 2
const pauseMs = 200

export async function followClientEvents(
  { client_id, key }: TestClient,
  requests: DealerRequests,
  history: History,
  isStopped: () => boolean,
): Promise<void> {
  let after = 0
  while (!isStopped()) {
    const path = `/api/v1/events/?limit=100&wait=${waitSeconds}&after=${after}`
    const answer = await requests.send({ operation: 'events', method: 'GET', path, key })
    if (answer?.status !== 200) {
      await sleep(pauseMs)
      continue
    }
    for (const event of answer.data as EventAnswer[]) {
      history.events.client.push(seen(event, client_id))
      after = event.event_number
    }
  }
}

export async function followOperatorEvents(
  key: string,
  requests: DealerRequests,
  history: History,
  isStopped: () => boolean,
): Promise<void> {
  let cursor = ''
  while (!isStopped()) {
    const path = `/operator/v1/events/?limit=100&wait=${waitSeconds}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
    const answer = await requests.send({ operation: 'feed', method: 'GET', path, key })
    if (answer?.status !== 200) {
      await sleep(pauseMs)
      continue
    }
    const { events, next_cursor } = answer.data as { events: EventAnswer[]; next_cursor: string }
    for (const event of events) history.events.operator.push(seen(event, event.client_id ?? 0))
    cursor = next_cursor
  }
}

/** What the receiver got. The path ends with the client's id. */
export function readWebhooks({ received }: Receiver, history: History): void {
  for (const { path, body } of received)
    history.events.webhook.push(seen((JSON.parse(body) as { data: EventAnswer }).data, Number(path.slice(1))))
}

const seen = ({ event_number, event_type, order_id }: EventAnswer, client_id: number): SeenEvent => ({
  client_id,
  event_number,
  event_type,
  order_id,
})
