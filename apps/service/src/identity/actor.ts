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
  readonly operator_id: number
  readonly operator_name: string
  readonly role: Role
  readonly session?: OperatorSession
}

export interface OperatorSession {
  readonly session_id: number
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
export const operatorShare = (operator: Operator): string => operatorOwner(operator)

/** The bucket of its rate limit: each key of a client has one, and each operator, with all keys and sessions. */
export const clientBucket = ({ key_id }: Pick<Actor, 'key_id'>): string => `key ${key_id}`
export const operatorBucket = (operator: Operator): string => operatorOwner(operator)

/** What is stored of an operator who made a change. */
type ActingOperator = Pick<Operator, 'operator_id' | 'key_id'> & {
  readonly session?: Pick<OperatorSession, 'session_id'>
}

/** Whose sessions and views they are, with whichever key or session the operator came. */
export const operatorOwner = ({ operator_id }: Pick<Operator, 'operator_id'>): string => `operator ${operator_id}`

/**
 * How an operator who made a change is stored: by ids, with the key or, without one, the session. Only `operators` has the
 * name; shown_actor adds it when the text is read.
 */
export const operatorActor = (operator: ActingOperator): string =>
  `${operatorOwner(operator)} ${operator.key_id === null ? `session ${operator.session?.session_id}` : `key ${operator.key_id}`}`

/** How an operator who keeps a client's carts or orders for it is stored. */
export const operatorForClient = (operator: Operator, client_id: number): string =>
  `${operatorActor(operator)}, for client ${client_id}`

/** The operator in a text as it is stored or shown; null for anybody else. */
export function operatorIdOf(actor: string): number | null {
  const [, operator_id] = /^operator (\d+) /.exec(actor) ?? []
  return operator_id === undefined ? null : Number(operator_id)
}

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

interface Permitted {
  readonly permission?: Permission
}

/** Whether the operator's role has the required permission. */
export const mayUse = ({ role }: Operator, { permission = 'administer' }: Permitted): boolean =>
  allows(role, permission)

export const roleMissing = ({ role }: Operator, { permission = 'administer' }: Permitted): Refusal =>
  new Refusal('role_missing', { role, permission, roles: roleNames.filter((one) => allows(one, permission)) })

/** Whether the operator is an admin. */
export const mayAdminister = ({ role }: Operator): boolean => allows(role, 'administer')

const allows = (role: Role, permission: Permission): boolean => roles[role].includes(permission)
