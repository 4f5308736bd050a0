import { keyUseShape } from './record-key-uses.ts'
import { keyColumns, makeKeyring, type Keyring } from './authenticate.ts'
import { roleNames, roles, type Operator, type Permission, type Role } from './actor.ts'
import type { Route } from '../http/routing/route.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const columns = { ...keyColumns, operator_name: text, role: text }

const find = statement(new URL('find-operator-key.sql', import.meta.url), { parameters: { key_id: int8 }, columns })
const changed = statement(new URL('changed-operator-keys.sql', import.meta.url), {
  parameters: { most: int8 },
  columns,
})
const recordUses = statement(new URL('record-operator-key-uses.sql', import.meta.url), keyUseShape)

/** The keys of operators. */
export const operatorKeyring = (db: Database, usesEveryMs: number): Keyring<Operator> =>
  makeKeyring(
    db,
    {
      kind: 'pso',
      find,
      changed,
      recordUses,
      actorOf: ({ key_id, operator_name, role }): Operator => ({ key_id, operator_name, role: role as Role }),
    },
    usesEveryMs,
  )

/** Throws unless the operator's role allows what the route needs. */
export function permitRole({ role }: Operator, { permission = 'administer' }: Route): void {
  if (allows(role, permission)) return
  const able = roleNames.filter((one) => allows(one, permission))
  throw new Refusal('role_missing', { role, permission, roles: able })
}

const allows = (role: Role, permission: Permission): boolean =>
  (roles[role] as readonly Permission[]).includes(permission)
