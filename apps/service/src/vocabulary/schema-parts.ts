/** Parts of schemas that TypeBox does not have. */
import Type, { type Static, type TSchema } from 'typebox'

/**
 * Text or null. A union would be serialised by running a validator for each value, which doubles the time of an order's
 * details.
 */
export const textOrNull = (description: string): Type.TUnsafe<string | null> =>
  Type.Unsafe({ type: ['string', 'null'], description })

/** For an object, or what has a description of its own. */
export const orNull = <T extends TSchema>(schema: T, description: string): Type.TUnion<[T, Type.TNull]> =>
  Type.Union([schema, Type.Null()], { description })

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

/**
 * A text that is one word of a list, such as the state of an order. The API reference shows the list once, by its name,
 * as an enum. Lists may grow, so clients must expect words that they do not know.
 */
export interface WordList {
  /** The name of the list in the reference and in generated clients. */
  readonly name: string
  readonly meaning: string
  readonly words: readonly string[]
}

/** The serialiser does not check the word: during a deploy it may be one that only the next release knows. */
export const word = (list: WordList, description: string): Type.TUnsafe<string> =>
  Type.Unsafe<string>({ type: 'string', enum: list.words, title: list.name, $comment: list.meaning, description })

/** Not a union with null: of a union, the serialiser checks every part, which takes longer and refuses unknown words. */
export const wordOrNull = (list: WordList, description: string): Type.TUnsafe<string | null> =>
  Type.Unsafe<string | null>({ ...word(list, description), type: ['string', 'null'] })
