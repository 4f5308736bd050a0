/** The dictionaries are complete: same entries, same blanks, all plural forms of the language. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { de } from '../src/words/de.ts'
import { exampleError, type RefusalCode } from '../../service/src/vocabulary/refusals.ts'
import { en, type Dictionary, type WordKey } from '../src/words/en.ts'
import { errorsDe } from '../src/words/errors-de.ts'
import { errorsEn } from '../src/words/errors-en.ts'
import { errorsRu } from '../src/words/errors-ru.ts'
import { problemOf } from '../src/words/problem.ts'
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

const client = readFileSync(join(import.meta.dirname, '../../../packages/client/src/operator-api.ts'), 'utf8')
const [, listed = ''] = /interface OperatorErrorDetails \{([^]*?)\n\}/.exec(client) ?? []
const codes = [...listed.matchAll(/^ {2}(\w+):/gm)].map(([, code]) => code as RefusalCode)
const plain = { state: (id: string) => `<${id}>`, number: String, day: (day: string) => day }

for (const [language, errors] of Object.entries({ en: errorsEn, de: errorsDe, ru: errorsRu })) {
  test(`${language}: every error code has a sentence, and another one that says what to do next`, () => {
    const others = ['no_answer', 'unexpected_answer', 'page_missing']
    assert.deepEqual(Object.keys(errors).toSorted(), [...codes, ...others].toSorted())
    for (const [code, text] of Object.entries(errors)) assert.match(text, /[.:;!] \S.*\.$/, code)
    for (const code of codes) {
      const shown = problemOf(exampleError(code), errors, plain)
      assert.doesNotMatch(shown, /[{}]|undefined/, code)
      assert.notEqual(shown, exampleError(code).message, code)
    }
  })
}

test('an error that the page does not know has the sentence of the service', () => {
  const later = { code: 'later_code', message: 'Sentence of the service.' }
  assert.equal(problemOf(later, errorsEn, plain), 'Sentence of the service.')
})

test('every word is used', () => {
  const src = join(import.meta.dirname, '../src')
  const code = globSync('**/*.{ts,tsx}', { cwd: src })
    .filter((file) => !file.startsWith('words/'))
    .map((file) => readFileSync(join(src, file), 'utf8'))
    .concat(readFileSync(join(src, 'words/words.tsx'), 'utf8'))
    .join('\n')
  const composed =
    /^(state_|event_|role_|effect_(new|processing|fulfilling|shipped|completed|canceled)$|theme_|sort_|kind_|sign_in_(failed|refused)$|reason_|paused_|import_state_|address_\w)/
  assert.deepEqual(
    keys.filter((key) => !composed.test(key) && !code.includes(`'${key}'`)),
    [],
  )
})
