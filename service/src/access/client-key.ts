/** A client's key as operators see it. */
import Type, { type Static } from 'typebox'
import { keyTimes, keyTimesColumns, keyTimesExample } from './issued-key.ts'
import { int4, int8, textArray } from 'pg-statements/types.ts'

export const ClientKey = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client whose key it is.' }),
    key_id: Type.Integer({ description: 'Identifies the key in paths and in the log.' }),
    contact_id: Type.Integer({ description: 'The contact it was issued to.' }),
    scopes: Type.Unsafe<readonly string[]>(Type.Array(Type.String(), { description: 'What it may do.' })),
    rate_per_second: Type.Integer({ description: 'How many requests a second it may make.' }),
    rate_burst: Type.Integer({ description: 'How many requests it may make at once after a pause.' }),
    ...keyTimes,
  },
  {
    $id: 'ClientKey',
    additionalProperties: false,
    examples: [
      {
        client_id: 12,
        key_id: 17,
        contact_id: 31,
        scopes: ['carts:read', 'carts:write', 'orders:read', 'orders:write'],
        rate_per_second: 50,
        rate_burst: 100,
        ...keyTimesExample,
      },
    ],
  },
)
export type ClientKey = Static<typeof ClientKey>

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
