import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const files = globSync('**/*.ts', { cwd: import.meta.dirname }).filter((file) => !file.endsWith('.test.ts'))
const textOf = (file: string): string => readFileSync(join(import.meta.dirname, file), 'utf8')

test('the program calls the service over HTTP: it imports types only, except in the commands for the database', () => {
  const using = files.filter((file) => /(?<!^import type .*)service\/src\//m.test(textOf(file)))
  assert.deepEqual(using, [join('commands', 'database.ts')])
})
