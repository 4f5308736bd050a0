/** The words of a text, without surrounding punctuation. */
export function wordsOf(text: string): string[] {
  const words = text.split(/\s+/).map((word) => word.replaceAll(/^[,.;:()]+|[,.;:()]+$/g, ''))
  return words.filter((word) => word !== '')
}

const wordsMax = 10 // More words than a title or a name has do not narrow a search further.

/** The words of a search, without those that no longer narrow it. */
export const searchedWords = (search: string): string[] => wordsOf(search).slice(0, wordsMax)
