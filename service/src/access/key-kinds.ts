import { keyUseShape } from './record-key-uses.ts'
import { keyColumns, makeKeyring, type Keyring } from './authenticate.ts'
import type { Actor } from './actor.ts'
import type { Route } from '../http/routing/route.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int4, int8, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const rateColumns = { rate_per_second: int4, rate_burst: int4 }
const columns = { ...keyColumns, client_id: int8, contact_id: int8, scopes: textArray, ...rateColumns }

const find = statement(new URL('find-client-key.sql', import.meta.url), { parameters: { key_id: int8 }, columns })
const changed = statement(new URL('changed-client-keys.sql', import.meta.url), { parameters: { most: int8 }, columns })
const recordUses = statement(new URL('record-client-key-uses.sql', import.meta.url), keyUseShape)

/** The keys of clients. */
export const clientKeyring = (db: Database, usesEveryMs: number): Keyring<Actor> =>
  makeKeyring(
    db,
    {
      kind: 'pos',
      find,
      changed,
      recordUses,
      actorOf: ({ client_id, contact_id, key_id, scopes, rate_per_second, rate_burst }): Actor => ({
        client_id,
        contact_id,
        key_id,
        scopes,
        rate_per_second,
        rate_burst,
      }),
    },
    usesEveryMs,
  )

/** Throws unless the key has the scope that the route needs. */
export function permitScope({ scopes }: Actor, { scope }: Route): void {
  if (scope !== undefined && !scopes.includes(scope)) throw new Refusal('scope_missing', { scope })
}
