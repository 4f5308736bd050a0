/** The pictures in the documentation: all there, small, and shown. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { folder, pictureNames } from './draw-pictures.ts'

const bytesMax = 60 * 1024 // Thirteen of them are in one page.

test('the page about the console shows every picture, and each is at most 60 KB', () => {
  const files = pictureNames.map((name) => `${name}.webp`)
  assert.deepEqual(readdirSync(folder).toSorted(), files.toSorted())
  const page = readFileSync(join(folder, '../../how-to/operator/console.md'), 'utf8')
  for (const file of files) {
    assert(statSync(join(folder, file)).size <= bytesMax, file)
    assert(page.includes(`](../../images/console/${file})`), file)
  }
})
