import assert from 'node:assert/strict'
import type pg from 'pg'
import { digestOf, keyWith } from '../identity/authenticate.ts'
import type { KeyPrefix } from '../identity/key-kinds.ts'
import { issueClientKey } from '../keys/issue-client-key.ts'
import { issueOperatorKey } from '../keys/issue-operator-key.ts'
import type { Database } from 'pg-statements/database.ts'

// The first contacts in demo-clients.sql.
const holders = { client_a: { client_id: 1, contact_id: 1 }, client_b: { client_id: 2, contact_id: 3 } } as const

export type DemoKeys = Readonly<Record<keyof typeof holders | 'operator', string>>

const known = (keyId: number, prefix: KeyPrefix): string => keyWith(keyId, prefix, 'OnlyForTheDemo'.padEnd(43, '0'))

/** The same on every machine, so that guides, collections and shell histories work as they are. */
export const knownDemoKeys: DemoKeys = {
  client_a: known(1, 'pos'),
  client_b: known(2, 'pos'),
  operator: known(1, 'pso'),
}

/** Everybody knows these keys, so a demo that other machines can reach gets new keys at each start instead. */
export async function issueDemoKeys(client: pg.Client, db: Database, host: string): Promise<DemoKeys> {
  if (!isLoopback(host)) {
    await revokeKeys(client)
    return await issueKeys(db)
  }
  if (!(await restoreKnownKeys(client))) {
    await issueKeys(db)
    assert(await restoreKnownKeys(client), 'The first keys of the demo have other ids.')
  }
  return knownDemoKeys
}

export const isLoopback = (host: string): boolean => /^(localhost|::1|127(\.\d+){3})$/.test(host)

async function revokeKeys(client: pg.Client): Promise<void> {
  for (const { client_id, contact_id } of Object.values(holders)) {
    await client.query(
      'update api_keys set revoked_at = now(), changed_at = now() where client_id = $1 and contact_id = $2 and revoked_at is null',
      [client_id, contact_id],
    )
  }
  await client.query('update operator_keys set revoked_at = now(), changed_at = now() where revoked_at is null')
}

async function issueKeys(db: Database): Promise<DemoKeys> {
  const by = { actor: 'npm run demo', request_id: 'demo' }
  const a = await issueClientKey(db, { ...holders.client_a, ...by })
  const b = await issueClientKey(db, { ...holders.client_b, ...by })
  const operator = await issueOperatorKey(db, { operator_name: 'Demo', role: 'admin', ...by })
  return { client_a: a.key, client_b: b.key, operator: operator.key }
}

/** The first keys of a demo's database have the ids of the known keys. False if there are none yet. */
async function restoreKnownKeys(client: pg.Client): Promise<boolean> {
  const restore = async (table: 'api_keys' | 'operator_keys', keyId: number, key: string): Promise<boolean> => {
    const { rowCount } = await client.query(
      `update ${table} set digest = $2, revoked_at = null, expires_at = null, changed_at = now() where key_id = $1`,
      [keyId, digestOf(key)],
    )
    return rowCount === 1
  }
  const { client_a, client_b, operator } = knownDemoKeys
  const restored = [
    await restore('api_keys', 1, client_a),
    await restore('api_keys', 2, client_b),
    await restore('operator_keys', 1, operator),
  ]
  return restored.every(Boolean)
}
