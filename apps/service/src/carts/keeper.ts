/** Who changes a cart: its client, which leaves no trace, or an operator for it, who leaves an audit entry. */
import type { Owner } from '../identity/actor.ts'
import { nullable, text } from 'pg-statements/types.ts'

export interface Keeper extends Owner {
  /** Absent where the client itself acts. */
  readonly operator?: { readonly actor: string; readonly request_id: string }
}

/** Of every statement that changes a cart: without an actor it writes no entry, and locks and reads nothing for one. */
export const traceParameters = { actor: nullable(text), request_id: nullable(text) }

export const traceOf = ({ operator }: Keeper): { actor: string | null; request_id: string | null } => ({
  actor: operator?.actor ?? null,
  request_id: operator?.request_id ?? null,
})
