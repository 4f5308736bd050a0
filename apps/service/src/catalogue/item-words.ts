/** The search words of items. PostgreSQL folds their case, both when storing and when searching. */
import { wordsOf } from '../input/search-words.ts'

/** The search words of an item: its article, its barcode, and the words of its title, hyphenated ones whole and in parts. */
export function itemWords(item: { item_vendor_code: string; item_barcode: string; item_title: string }): string[] {
  const whole = wordsOf(`${item.item_vendor_code} ${item.item_barcode} ${item.item_title}`)
  const words = new Set(whole)
  for (const word of whole) {
    if (/^[a-z0-9]+$/i.test(word)) continue
    for (const part of word.split(/[^\p{L}\p{N}]+/u)) if (part !== '') words.add(part)
  }
  return [...words]
}
