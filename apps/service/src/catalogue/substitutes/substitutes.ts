/** What is sold in place of an item: its successor, and substitutes in the order of preference. */
import Type, { type Static } from 'typebox'
import { call, functionCall } from '../../functions/call.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import { integerOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, int8Array, nullable, plainJsonOf, text } from 'pg-statements/types.ts'

export const substitutesMax = 20 // More than a person compares.

const substituteProperties = {
  replaced_by: integerOrNull('The item that replaces it for good; null if there is none.'),
  substitutes: Type.Array(Type.Integer(), { description: 'Items that can be ordered in its place, best first.' }),
}

/** As operators maintain them. */
export const Substitutes = Type.Object(
  { item_id: Type.Integer({ description: 'The item.' }), ...substituteProperties },
  { $id: 'Substitutes', examples: [{ item_id: 1024, replaced_by: 1030, substitutes: [1025, 1026] }] },
)
export type Substitutes = Static<typeof Substitutes>

const setSubstitutesSql = functionCall(new URL('set_substitutes.sql', import.meta.url), {
  parameters: { item: int8, successor: nullable(int8), others: int8Array, actor: text, request_id: text },
  columns: { answer: plainJsonOf<Substitutes>() },
})

interface SubstitutesInput {
  readonly item_id: number
  readonly replaced_by?: number | undefined
  readonly substitutes?: readonly number[] | undefined
  readonly actor: string
  readonly request_id: string
}

/** Replaces the successor and the substitutes of an item. */
export async function setSubstitutes(
  db: Database,
  { item_id, replaced_by, substitutes = [], actor, request_id }: SubstitutesInput,
): Promise<Substitutes> {
  for (const [field, named] of Object.entries({ replaced_by: [replaced_by], substitutes }))
    if (named.includes(item_id))
      throw new Refusal('field_invalid', { field, value: String(item_id), rule: 'another item than the one it is for' })
  const values = { item: item_id, successor: replaced_by ?? null, others: [...substitutes], actor, request_id }
  return (await call(db, setSubstitutesSql, values)).answer
}
