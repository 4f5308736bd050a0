/** What a caller may do: scopes for clients' keys, roles for operators. */
import { roleNames, roles, type Actor, type Operator, type Permission, type Role, type Scope } from './actor.ts'
import { Refusal } from '../refusals.ts'

/** Throws unless the key has the required scope. Lookups require none. */
export function permitScope({ scopes }: Actor, { scope }: { readonly scope?: Scope }): void {
  if (scope !== undefined && !scopes.includes(scope)) throw new Refusal('scope_missing', { scope })
}

/** Throws unless the operator's role has the required permission. */
export function permitRole(
  { role }: Operator,
  { permission = 'administer' }: { readonly permission?: Permission },
): void {
  if (allows(role, permission)) return
  throw new Refusal('role_missing', { role, permission, roles: roleNames.filter((one) => allows(one, permission)) })
}

const allows = (role: Role, permission: Permission): boolean => roles[role].includes(permission)
