/** Who asks, as far as an operation needs to know: found by the key of the request. */
export interface Actor {
  readonly client_id: number
  readonly contact_id: number
  readonly key_id: number
  readonly scopes: readonly string[]
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
