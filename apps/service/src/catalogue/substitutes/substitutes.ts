/** What is sold in place of an item: its successor, and substitutes in the order of preference. */
import Type, { type Static } from 'typebox'
import { call, functionCall } from '../../functions/call.ts'
import { id, ids, optional } from '../../input/fields.ts'
import { integerOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, jsonText, plainJsonOf, text } from 'pg-statements/types.ts'

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
  parameters: { item: int8, named: jsonText, actor: text, request_id: text },
  columns: { answer: plainJsonOf<Substitutes>() },
})

export interface SubstitutesRow {
  readonly item_id: number
  readonly replaced_by?: number | undefined
  readonly substitutes?: readonly number[] | undefined
}

const others = ids({
  max: substitutesMax,
  description: 'Items that can be ordered in its place, best first.',
  example: [1025, 1026],
})

export const substitutesFields = {
  replaced_by: optional(id('The item that replaces it for good.', 1030)),
  substitutes: optional({
    ...others,
    rule: `${others.rule}, in CSV separated by spaces`,
    read: (raw) => others.read(raw.startsWith('[') ? raw : `[${raw.split(/\s+/).join(',')}]`),
  }),
}

/** Replaces the successor and the substitutes of an item. */
export async function setSubstitutes(
  db: Database,
  { item_id, replaced_by, substitutes, actor, request_id }: SubstitutesRow & { actor: string; request_id: string },
): Promise<Substitutes> {
  const named = substitutesText({ replaced_by, substitutes })
  return (await call(db, setSubstitutesSql, { item: item_id, named, actor, request_id })).answer
}

/** As the statements take it. */
export const substitutesText = ({ replaced_by, substitutes = [] }: Omit<SubstitutesRow, 'item_id'>): string =>
  JSON.stringify({ replaced_by: replaced_by ?? null, substitutes })
