/** Moves the positions of endpoints after deliveries: of several endpoints with one statement when there is much to do. */
import { inBatches } from '../due/in-batches.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { arrayLiteral, bool, int4, int8, literal, nullable, text } from 'pg-statements/types.ts'

/** An attempt at a delivery, of whatever outcome. */
export const attemptParameters = {
  client_id: int8,
  webhook_id: int8,
  lease: text,
  event_number: int8,
  event_type: text,
  attempt: int4,
  status: nullable(int4),
  error: nullable(text),
  duration_ms: int4,
}

const recordDeliverySql = statement(new URL('record-delivery.sql', import.meta.url), {
  parameters: { ...attemptParameters, lease_ms: int4 },
  columns: { still_leased: bool },
})
const recordDeliveriesSql = statement(new URL('record-deliveries.sql', import.meta.url), {
  parameters: {
    client_ids: literal('bigint[]'),
    webhook_ids: literal('bigint[]'),
    leases: literal('text[]'),
    event_numbers: literal('bigint[]'),
    event_types: literal('text[]'),
    attempts: literal('bigint[]'),
    statuses: literal('bigint[]'),
    errors: literal('text[]'),
    durations_ms: literal('bigint[]'),
    lease_ms: int4,
  },
  columns: { webhook_id: int8, still_leased: bool },
})

const recordsPerStatementMax = 100 // Takes a few milliseconds; as many as one statement claims.

/** A delivery that succeeded, or events that were skipped (attempt 0). */
export interface Delivery {
  readonly client_id: number
  readonly webhook_id: number
  readonly lease: string
  readonly event_number: number
  readonly event_type: string
  readonly attempt: number
  readonly status: number | null
  readonly error: string | null
  readonly duration_ms: number
}

/** Undefined when the lease is lost; otherwise whether it is kept, because more is due. */
type Recorded = { readonly still_leased: boolean } | undefined

export interface DeliveryRecorder {
  readonly record: (delivery: Delivery) => Promise<Recorded>
}

export function makeDeliveryRecorder(db: Database, lease_ms: number): DeliveryRecorder {
  const recordOne = (delivery: Delivery): Promise<Recorded> => db.row(recordDeliverySql, { ...delivery, lease_ms })

  async function recordAll(deliveries: readonly Delivery[]): Promise<readonly Promise<Recorded>[]> {
    const sorted = deliveries.toSorted((a, b) => a.webhook_id - b.webhook_id)
    const column = (name: keyof Delivery): string => arrayLiteral(sorted.map((delivery) => delivery[name]))
    const rows = await db.rows(recordDeliveriesSql, {
      client_ids: column('client_id'),
      webhook_ids: column('webhook_id'),
      leases: column('lease'),
      event_numbers: column('event_number'),
      event_types: column('event_type'),
      attempts: column('attempt'),
      statuses: column('status'),
      errors: column('error'),
      durations_ms: column('duration_ms'),
      lease_ms,
    })
    const recorded = new Map(rows.map((row) => [row.webhook_id, row]))
    // One that was left out may have to wait for a lock, and the others do not wait for it.
    return deliveries.map((delivery) => {
      const row = recorded.get(delivery.webhook_id)
      return row === undefined ? recordOne(delivery) : Promise.resolve(row)
    })
  }

  const batches = inBatches(
    async (deliveries: readonly Delivery[]) => (await recordAll(deliveries)).map((recorded) => ({ recorded })),
    recordsPerStatementMax,
  )
  return {
    record: async (delivery) => (await batches.do(delivery)).recorded,
  }
}
