/** Who asks, as far as an operation needs to know: found by the key of the request. */
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

/** An operator of the distributor, found by an operator key. */
export interface Operator {
  readonly key_id: number
  readonly operator_name: string
  readonly role: Role
}

/** What an operator may do. An admin may do everything, and everyone may look. */
export type Permission = 'view' | 'decide' | 'catalogue' | 'administer'

export const roles = {
  viewer: ['view'],
  decider: ['view', 'decide'],
  cataloguer: ['view', 'catalogue'],
  admin: ['view', 'decide', 'catalogue', 'administer'],
} as const satisfies Record<string, readonly Permission[]>
export type Role = keyof typeof roles
export const roleNames = Object.keys(roles) as Role[]

/** How the event log names an operator who made a change. */
export const operatorActor = ({ key_id, operator_name }: Operator): string => `operator key ${key_id}, ${operator_name}`

/** How the event log names the client key that made a change. */
export const actorName = ({ key_id }: Actor): string => `key ${key_id}`
