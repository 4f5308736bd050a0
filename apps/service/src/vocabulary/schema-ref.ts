import Type, { type Static, type TSchema } from 'typebox'

/**
 * Text or null. A union would be serialised by running a validator for each value, which doubles the time of an order's
 * details.
 */
export const textOrNull = (description: string): Type.TUnsafe<string | null> =>
  Type.Unsafe({ type: ['string', 'null'], description })

/** As `textOrNull`. */
export const numberOrNull = (description: string): Type.TUnsafe<number | null> =>
  Type.Unsafe({ type: ['number', 'null'], description })

/** As `textOrNull`. The reference gives a format to integers, but not to lists of types. */
export const integerOrNull = (description: string): Type.TUnsafe<number | null> =>
  Type.Unsafe({ type: ['integer', 'null'], format: 'int64', description })

/** Refers to a schema by its `$id`, so that the reference contains it once. */
export function refer<S extends TSchema & { $id?: string }>(schema: S): Type.TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` })
}
