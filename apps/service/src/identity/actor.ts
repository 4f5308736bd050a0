/** Who is calling, and what it may do. Found by the key of the request; see authenticate.ts. */
import { Refusal } from '../vocabulary/refusals.ts'

/** A client, by one of its keys. */
export interface Actor {
  readonly client_id: number
  readonly contact_id: number
  readonly key_id: number
  readonly scopes: readonly string[]
  readonly rate_per_second: number
  readonly rate_burst: number
}

/** Whose carts they are: all that operations on them need to know of the caller. */
export type Owner = Pick<Actor, 'client_id'>

export const scopes = [
  'carts:read',
  'carts:write',
  'orders:read',
  'orders:write',
  'events:read',
  'webhooks:write',
  'keys:write',
] as const
export type Scope = (typeof scopes)[number]

/** An operator of the distributor, by an operator key or by a session. */
export interface Operator {
  /** Null in a session of a person who signed in at the identity provider. */
  readonly key_id: number | null
  readonly operator_name: string
  readonly role: Role
  readonly session?: OperatorSession
}

export interface OperatorSession {
  readonly session_id: number
  /** Whose session it is: as `operatorOwner`. */
  readonly owner: string
  readonly ends_at: number
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

/** Whose share of the database a request uses: all keys of a client have one, each operator has its own. */
export const clientShare = ({ client_id }: Actor): string => `client ${client_id}`
export const operatorShare = (operator: Operator): string => `operator ${operatorOwner(operator)}`

/** Names an operator in a way that does not change with the session: by the key, or as the identity provider does. */
export const operatorOwner = ({ key_id, session }: Operator): string => session?.owner ?? `key ${key_id}`

/** How the event log names an operator who made a change. */
export const operatorActor = ({ key_id, operator_name, session }: Operator): string =>
  key_id === null
    ? `operator session ${session?.session_id}, ${operator_name}`
    : `operator key ${key_id}, ${operator_name}`

/** How the event log names an operator who keeps a client's carts or orders for it. */
export const operatorForClient = (operator: Operator, client_id: number): string =>
  `${operatorActor(operator)}, for client ${client_id}`

/** How the event log names the client key that made a change. */
export const actorName = ({ key_id }: Actor): string => `key ${key_id}`

/** The kinds of actors that clients are shown instead of their names. `service` is the worker. */
export const actorKinds = ['client', 'distributor', 'service'] as const

export function actorKind(name: string): (typeof actorKinds)[number] {
  if (name.startsWith('operator ')) return 'distributor'
  return name.startsWith('key ') ? 'client' : 'service'
}

/** What a route requires of a key: one scope, or several. Lookups require none. */
export interface Scoped {
  readonly scope?: Scope | readonly Scope[]
}

export const requiredScopes = ({ scope = [] }: Scoped): readonly Scope[] =>
  typeof scope === 'string' ? [scope] : scope

/** Throws unless the key has every required scope. */
export function permitScope({ scopes }: Actor, route: Scoped): void {
  const scope = requiredScopes(route).find((required) => !scopes.includes(required))
  if (scope !== undefined) throw new Refusal('scope_missing', { scope })
}

/** Throws unless the operator's role has the required permission. */
export function permitRole(
  { role }: Operator,
  { permission = 'administer' }: { readonly permission?: Permission },
): void {
  if (allows(role, permission)) return
  throw new Refusal('role_missing', { role, permission, roles: roleNames.filter((one) => allows(one, permission)) })
}

/** Whether the operator is an admin. */
export const mayAdminister = ({ role }: Operator): boolean => allows(role, 'administer')

const allows = (role: Role, permission: Permission): boolean => roles[role].includes(permission)
