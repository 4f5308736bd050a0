/**
 * A text that is one word of a list, such as the state of an order. The API reference shows the list once, by its name,
 * as an enum. Lists may grow, so clients must expect words that they do not know.
 */
import Type from 'typebox'

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
