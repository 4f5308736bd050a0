import Type, { type Static } from 'typebox'
import { deliveryErrors } from '../webhook.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import { integerOrNull, wordOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const FeedDelivery = Type.Object(
  {
    delivery_id: Type.Integer({ description: 'The id of the entry.' }),
    message_id: Type.String({
      description: 'The `webhook-id` of the message; empty if none was sent because the events had expired.',
    }),
    event_count: Type.Integer({ description: 'How many events the message has; 0 for a test.' }),
    attempt: Type.Integer({ description: '1 for the first attempt at this position; 0 if none was made.' }),
    status: integerOrNull('The HTTP status of the response; null if there was none.'),
    error: wordOrNull(deliveryErrors, 'Why there was no response; null if there was one.'),
    duration_ms: Type.Integer({ description: 'How long the attempt took.' }),
    attempted_at: Type.String({ description: 'When the attempt was made, `YYYY-MM-DD HH:MM:SS`.' }),
  },
  {
    $id: 'FeedDelivery',
    examples: [
      {
        delivery_id: 512,
        message_id: 'feed_3_9a0b6b5c1f0e4a77',
        event_count: 12,
        attempt: 1,
        status: 204,
        error: null,
        duration_ms: 41,
        attempted_at: '2026-11-15 09:31:07',
      },
    ],
  },
)
export type FeedDelivery = Static<typeof FeedDelivery>

const listFeedDeliveriesSql = statement(new URL('list-feed-deliveries.sql', import.meta.url), {
  parameters: { endpoint_id: int8, before_id: int8, page_size: int8 },
  columns: {
    endpoint_id: int8,
    delivery_id: nullable(int8),
    message_id: nullable(text),
    event_count: nullable(int4),
    attempt: nullable(int4),
    status: nullable(int4),
    error: nullable(text),
    duration_ms: nullable(int4),
    attempted_at: nullable(datetime),
  },
})

/** The delivery log of an endpoint, newest first. */
export async function listFeedDeliveries(
  db: Database,
  endpoint_id: number,
  page: PageRequest,
): Promise<Page<FeedDelivery>> {
  const rows = await db.rows(listFeedDeliveriesSql, {
    endpoint_id,
    before_id: idAfter(page) ?? idMax,
    page_size: page.limit + 1,
  })
  if (rows.length === 0) throw new Refusal('feed_endpoint_not_found', { endpoint_id })
  // An endpoint without entries gives one row of nulls.
  const entries = rows.flatMap((row) => {
    const { endpoint_id: _, ...entry } = row
    return entry.delivery_id === null ? [] : [entry as FeedDelivery]
  })
  return cutPage(entries, page, ({ delivery_id }) => delivery_id)
}
