/** What PostgreSQL holds, in the form in which the checker compares it; and the service's own invariants. */
import type { Stored, StoredOrder } from './check-history.ts'
import type { Installation } from './installation.ts'
import { checkInvariants, wholeTables } from '../../apps/service/src/invariants/check-invariants.ts'
import { openDatabase } from '../../apps/service/src/open-database.ts'

export async function readStored({ query, onHand }: Pick<Installation, 'query' | 'onHand'>): Promise<Stored> {
  const orders = await query<{ [K in keyof StoredOrder]: StoredOrder[K] }>(`
    select o.client_id::integer, o.order_id::integer, o.reference, (
      select jsonb_agg(jsonb_build_object('item_id', i.item_id, 'quantity', i.order_item_quantity))
      from order_items i where i.client_id = o.client_id and i.order_id = o.order_id
    ) as lines
    from orders o`)
  const carts = await query<{ client_id: number; name: string }>(
    'select client_id::integer, cart_name as name from carts',
  )
  const events = await query<{ client_id: number; last: number }>(
    'select client_id::integer, event_number::integer as last from clients',
  )
  const contracts = await query<{ contract_id: number; limit: number; exposure: number }>(`
    select contract_id::integer, contract_limit::float8 as limit, exposure::float8
    from contracts where contract_limit > 0`)
  return {
    orders,
    carts,
    contracts,
    lastEvents: new Map(events.map(({ client_id, last }) => [client_id, last])),
    onHand,
  }
}

/** The violations of the invariants, one per line; empty if all hold. */
export async function violatedInvariants({ databaseUrl }: Pick<Installation, 'databaseUrl'>): Promise<string[]> {
  const limits = { poolSize: 1, statementTimeoutMs: 600_000, sessionSettings: wholeTables }
  const db = openDatabase({ url: databaseUrl, timeZone: 'UTC', ...limits })
  try {
    return (await checkInvariants(db)).map(({ invariant, violation }) => `${invariant}: ${violation}`)
  } finally {
    await db.close()
  }
}
