/** Who is signed in, and what they may do. What a role may not do is not shown; the service refuses it in any case. */
import { createContext, use } from 'react'

export interface Me {
  readonly operator_name: string
  readonly role: string
  readonly permissions: readonly string[]
  readonly session_id: number | null
}

export const MeContext = createContext<Me | null>(null)

export function useMe(): Me {
  const me = use(MeContext)
  if (me === null) throw new Error('Nobody is signed in here.')
  return me
}

export const useMay = (permission: string): boolean => useMe().permissions.includes(permission)
