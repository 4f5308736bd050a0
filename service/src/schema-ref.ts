import Type, { type Static, type TSchema } from 'typebox'

/** Refers to a schema by its `$id`, so that the reference contains it once. */
export function refer<S extends TSchema & { $id?: string }>(schema: S): Type.TUnsafe<Static<S>> {
  return Type.Unsafe<Static<S>>({ $ref: `${schema.$id}#` })
}
