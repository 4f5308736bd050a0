/** Who is calling, and what it may do. Found by the key of the request; see authenticate.ts. */
import { Refusal } from '../refusals.ts'

/** A client, by one of its keys. */
export interface Actor {
  readonly client_id: number
  readonly contact_id: number
  readonly key_id: number
  readonly scopes: readonly string[]
  readonly rate_per_second: number
  readonly rate_burst: number
}

export const scopes = [
  'carts:read',
  'carts:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:write',
] as const
export type Scope = (typeof scopes)[number]

/** An operator of the distributor, by an operator key. */
export interface Operator {
  readonly key_id: number
  readonly operator_name: string
  readonly role: Role
}

/** What a route may require of an operator's role. */
export type Permission = 'view' | 'decide' | 'catalogue' | 'administer'

export const roleNames = ['viewer', 'decider', 'cataloguer', 'admin'] as const
export type Role = (typeof roleNames)[number]

/** The permissions of each role. Every role may view; an admin may do everything. */
export const roles: Readonly<Record<Role, readonly Permission[]>> = {
  viewer: ['view'],
  decider: ['view', 'decide'],
  cataloguer: ['view', 'catalogue'],
  admin: ['view', 'decide', 'catalogue', 'administer'],
}

export const roleNamed = (name: string): Role | undefined => roleNames.find((role) => role === name)

/** How the event log names an operator who made a change. */
export const operatorActor = ({ key_id, operator_name }: Operator): string => `operator key ${key_id}, ${operator_name}`

/** How the event log names the client key that made a change. */
export const actorName = ({ key_id }: Actor): string => `key ${key_id}`

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
