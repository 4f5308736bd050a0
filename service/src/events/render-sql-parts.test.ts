import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { renderSqlParts } from './render-sql-parts.ts'

test('the generated part files are up to date, and no line is longer than 120 columns', () => {
  for (const [path, text] of Object.entries(renderSqlParts())) {
    assert.equal(
      readFileSync(join(import.meta.dirname, '../../..', path), 'utf8'),
      text,
      `${path}: run npm run generate`,
    )
    assert.deepEqual(
      text.split('\n').filter((line) => line.length > 120),
      [],
      path,
    )
  }
})
