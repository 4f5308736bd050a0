/** The dictionaries are complete: same entries, same blanks, all plural forms of the language. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { de } from '../src/words/de.ts'
import { en, type Dictionary, type WordKey } from '../src/words/en.ts'
import { ru } from '../src/words/ru.ts'

const keys = Object.keys(en) as WordKey[]
const formsOf = (dictionary: Dictionary, key: WordKey): string[] => {
  const entry = dictionary[key]
  return typeof entry === 'string' ? [entry] : Object.values(entry)
}
const blanksOf = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted()

for (const [language, dictionary] of Object.entries({ en, de, ru }) as [string, Dictionary][]) {
  test(`${language}: every word is there, is not empty, and has the same blanks as in English`, () => {
    assert.deepEqual(Object.keys(dictionary).toSorted(), keys.toSorted())
    for (const key of keys) {
      const [blanks] = formsOf(en, key).map(blanksOf)
      for (const form of formsOf(dictionary, key)) {
        assert(form.trim() !== '', key)
        assert.deepEqual(blanksOf(form), blanks, key)
      }
    }
  })

  test(`${language}: a word that depends on a number has every plural form of the language`, () => {
    const { pluralCategories } = new Intl.PluralRules(language).resolvedOptions()
    for (const key of keys) {
      const entry = dictionary[key]
      if (typeof entry !== 'string') assert.deepEqual(Object.keys(entry).toSorted(), pluralCategories.toSorted(), key)
    }
  })
}

test('every word is used', () => {
  const src = join(import.meta.dirname, '../src')
  const code = globSync('**/*.{ts,tsx}', { cwd: src })
    .filter((file) => !file.startsWith('words/'))
    .map((file) => readFileSync(join(src, file), 'utf8'))
    .concat(readFileSync(join(src, 'words/words.tsx'), 'utf8'))
    .join('\n')
  const composed =
    /^(state_|event_|role_|effect_(new|processing|fulfilling|shipped|completed|canceled)$|theme_|sort_|kind_|sign_in_(failed|refused)$|reason_|paused_|import_state_)/
  assert.deepEqual(
    keys.filter((key) => !composed.test(key) && !code.includes(`'${key}'`)),
    [],
  )
})
