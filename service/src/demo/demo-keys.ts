import type pg from 'pg'
import { issueClientKey } from '../access/issue-client-key.ts'
import { issueOperatorKey } from '../access/issue-operator-key.ts'
import type { Database } from 'pg-statements/database.ts'

// The first contacts in demo-clients.sql.
const holders = { client_a: { client_id: 1, contact_id: 1 }, client_b: { client_id: 2, contact_id: 3 } } as const

export type DemoKeys = Readonly<Record<keyof typeof holders | 'operator', string>>

/** A key is shown only once, so each start of the demo issues new ones and revokes those of the previous start. */
export async function issueDemoKeys(client: pg.Client, db: Database): Promise<DemoKeys> {
  for (const { client_id, contact_id } of Object.values(holders)) {
    await client.query(
      'update api_keys set revoked_at = now(), changed_at = now() where client_id = $1 and contact_id = $2 and revoked_at is null',
      [client_id, contact_id],
    )
  }
  await client.query('update operator_keys set revoked_at = now(), changed_at = now() where revoked_at is null')
  const by = { actor: 'npm run demo', request_id: 'demo' }
  const a = await issueClientKey(db, { ...holders.client_a, ...by })
  const b = await issueClientKey(db, { ...holders.client_b, ...by })
  const operator = await issueOperatorKey(db, { operator_name: 'Demo', role: 'admin', ...by })
  return { client_a: a.key, client_b: b.key, operator: operator.key }
}
