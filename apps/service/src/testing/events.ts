/** Reads the operators' event feed. */
import type { Operators } from './operators.ts'
import type { TestService } from './service.ts'

/**
 * Reads the feed up to the newest event. The feed shows an event when all older transactions of the server have ended,
 * and other tests run transactions on the same server, so it reads until it has seen every stored event.
 */
export async function lastEvents({ sql }: TestService, { ok }: Operators): Promise<{ next_cursor: string }> {
  let page = await ok('GET', '/operator/v1/events/?limit=500')
  for (let seen = page.events.length; ; seen += page.events.length) {
    const [row] = await sql('select count(*)::integer as events from events')
    if (seen === row?.['events']) return page
    page = await ok('GET', `/operator/v1/events/?limit=500&wait=1&cursor=${page.next_cursor}`)
  }
}

/** Reads `count` events after the cursor, or from the oldest on, however long they take to appear. */
export async function eventsAfter<E>({ ok }: Operators, cursor: string | undefined, count: number): Promise<E[]> {
  const events: E[] = []
  for (let next = cursor; events.length < count;) {
    const page = await ok('GET', `/operator/v1/events/?limit=500&wait=1${next === undefined ? '' : `&cursor=${next}`}`)
    events.push(...page.events)
    next = page.next_cursor
  }
  return events
}
