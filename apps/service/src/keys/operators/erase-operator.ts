import Type, { type Static } from 'typebox'
import { call, functionCall } from '../../functions/call.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, text } from 'pg-statements/types.ts'

export const ErasedOperator = Type.Object(
  {
    operator_id: Type.Integer({ description: 'The operator. What it did still names it by this id.' }),
    operator_name: Type.String({ description: 'What is shown instead of its name.' }),
    revoked_keys: Type.Integer({ description: 'How many of its keys were revoked.' }),
    ended_sessions: Type.Integer({ description: 'How many of its sessions were ended.' }),
  },
  {
    $id: 'ErasedOperator',
    examples: [{ operator_id: 3, operator_name: 'Erased operator', revoked_keys: 1, ended_sessions: 0 }],
  },
)
export type ErasedOperator = Static<typeof ErasedOperator>

const eraseOperatorSql = functionCall(new URL('erase_operator.sql', import.meta.url), {
  parameters: { operator: int8, actor: text, request_id: text },
  columns: { operator_name: text, revoked_keys: int8, ended_sessions: int8 },
})

/** Removes who the operator is; what it did stays under its id. `slowDb`, because texts of earlier versions may be anywhere. */
export async function eraseOperator(
  slowDb: Database,
  { operator_id, ...by }: { operator_id: number; actor: string; request_id: string },
): Promise<ErasedOperator> {
  return { operator_id, ...(await call(slowDb, eraseOperatorSql, { operator: operator_id, ...by })) }
}
