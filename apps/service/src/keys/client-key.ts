/** A client's key as operators see it, and as the client itself does. */
import Type, { type Static } from 'typebox'
import { keyTimes, keyTimesColumns, keyTimesExample } from './issued-key.ts'
import { scopes, type Actor } from '../identity/actor.ts'
import { word, type WordList } from '../vocabulary/schema-parts.ts'
import { int4, int8, textArray } from 'pg-statements/types.ts'

export const scopeWords: WordList = { name: 'Scope', meaning: 'What a key of a client may do.', words: scopes }

const properties = {
  key_id: Type.Integer({ description: 'Identifies the key in paths and in the log.' }),
  contact_id: Type.Integer({ description: 'The contact it was issued to.' }),
  scopes: Type.Unsafe<readonly string[]>(Type.Array(word(scopeWords, 'A scope.'), { description: 'What it may do.' })),
  rate_per_second: Type.Integer({ description: 'How many requests a second it may make.' }),
  rate_burst: Type.Integer({ description: 'How many requests it may make at once after a pause.' }),
  ...keyTimes,
}

const example = {
  key_id: 17,
  contact_id: 1,
  scopes: ['carts:read', 'carts:write', 'orders:read', 'orders:write'],
  rate_per_second: 50,
  rate_burst: 100,
  ...keyTimesExample,
}

export const ClientKey = Type.Object(
  { client_id: Type.Integer({ description: 'The client whose key it is.' }), ...properties },
  { $id: 'ClientKey', examples: [{ client_id: 1, ...example }] },
)
export type ClientKey = Static<typeof ClientKey>

export const OwnKey = Type.Object(
  { ...properties, current: Type.Boolean({ description: 'Whether this request was made with it.' }) },
  { $id: 'OwnKey', examples: [{ ...example, current: false }] },
)
export type OwnKey = Static<typeof OwnKey>

/** The key as its client sees it. */
export function ownKeyOf(row: ClientKey, { key_id }: Actor): OwnKey {
  const { client_id: _, ...key } = row
  return { ...key, current: key.key_id === key_id }
}

export const clientKeyColumns = {
  client_id: int8,
  key_id: int8,
  contact_id: int8,
  scopes: textArray,
  rate_per_second: int4,
  rate_burst: int4,
  ...keyTimesColumns,
}

/** The rate limit of a key, or a change of it. */
export interface KeyRate {
  readonly rate_per_second?: number | undefined
  readonly rate_burst?: number | undefined
}
