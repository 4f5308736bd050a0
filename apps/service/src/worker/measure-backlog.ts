/** Gauges of what waits in the database, read by the worker when its metrics are requested. */
import { Gauge } from 'prom-client'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { int8, numeric, plainJsonOf, text } from 'pg-statements/types.ts'

const measureBacklogSql = statement(new URL('measure-backlog.sql', import.meta.url), {
  parameters: { most: int8 },
  columns: {
    cancellations: int8,
    oldest_cancellation_seconds: numeric,
    adjustments: int8,
    oldest_adjustment_seconds: numeric,
    returns: int8,
    oldest_return_seconds: numeric,
    hidden_event_seconds: numeric,
    feed_endpoints: plainJsonOf<{ endpoint_id: number; seconds: number }[]>(),
    schema: text,
  },
})
type Backlog = Values<(typeof measureBacklogSql)['columns']>

export const openRequestsMax = 1_000 // Counting them takes less than a millisecond; nobody decides more in a day.
const cachedMs = 1_000 // However many programs read the metrics, there is one statement a second.

const openRequests = new Gauge({
  name: 'parts_open_requests',
  help: `Requests of clients that wait for a decision, by kind (cancellation, adjustment, return); at most ${openRequestsMax}. Each worker reports them: use max.`,
  labelNames: ['kind'],
})
const oldestRequest = new Gauge({
  name: 'parts_oldest_open_request_seconds',
  help: 'The age of the oldest request of a client that waits for a decision, by kind; 0 when none is waiting.',
  labelNames: ['kind'],
})
const hiddenEvent = new Gauge({
  name: 'parts_feed_hidden_event_seconds',
  help: 'How long the oldest event that the feed of all clients does not show yet has been hidden, because a transaction of this database that began before it is still running.',
})
const feedEndpointLag = new Gauge({
  name: 'parts_feed_endpoint_lag_seconds',
  help: "The age of the oldest event that an endpoint of the operators' feed has not received, by endpoint; 0 when there is none. Endpoints that an admin has paused are left out.",
  labelNames: ['endpoint'],
})
const schemaInfo = new Gauge({
  name: 'parts_database_schema_info',
  help: 'Always 1. The newest migration of the database.',
  labelNames: ['schema'],
})

let cached: { readonly db: Database; readonly at: number; readonly done: Promise<void> } | undefined

/** Updates the gauges. While the database is unreachable they are NaN. */
export function measureBacklog(db: Database): Promise<void> {
  if (cached?.db !== db || performance.now() - cached.at > cachedMs)
    cached = { db, at: performance.now(), done: measure(db) }
  return cached.done
}

async function measure(db: Database): Promise<void> {
  const found = await db.row(measureBacklogSql, { most: openRequestsMax }).catch(() => undefined)
  const figure = (name: Exclude<keyof Backlog, 'schema' | 'feed_endpoints'>): number => found?.[name] ?? NaN
  openRequests.set({ kind: 'cancellation' }, figure('cancellations'))
  openRequests.set({ kind: 'adjustment' }, figure('adjustments'))
  openRequests.set({ kind: 'return' }, figure('returns'))
  oldestRequest.set({ kind: 'cancellation' }, figure('oldest_cancellation_seconds'))
  oldestRequest.set({ kind: 'adjustment' }, figure('oldest_adjustment_seconds'))
  oldestRequest.set({ kind: 'return' }, figure('oldest_return_seconds'))
  hiddenEvent.set(figure('hidden_event_seconds'))
  feedEndpointLag.reset()
  for (const { endpoint_id, seconds } of found?.feed_endpoints ?? [])
    feedEndpointLag.set({ endpoint: String(endpoint_id) }, seconds)
  schemaInfo.reset()
  if (found !== undefined) schemaInfo.set({ schema: found.schema }, 1)
}
