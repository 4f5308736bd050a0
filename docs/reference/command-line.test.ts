/** Compares docs/reference/command-line.md with the program's own help. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { commands } from '../../apps/cli/src/commands.ts'
import { exitCodeMeanings } from '../../apps/cli/src/problem.ts'
import { runParts } from '../../apps/cli/src/testing.ts'

const page = readFileSync(new URL('command-line.md', import.meta.url), 'utf8')
const shown = [...page.matchAll(/^```\n\$ parts ([^\n]*--help)\n(.*?)^```/gms)].map(([, args = '', text = '']) => ({
  args: args.split(' '),
  text,
}))

test('the page shows the same help as the program', async () => {
  assert.deepEqual(
    shown.map(({ args }) => args.join(' ')),
    ['--help'],
  )
  for (const { args, text } of shown) assert.deepEqual(await runParts(args), { code: 0, stdout: text, stderr: '' })
})

test('the page has every command and every exit code', () => {
  for (const { name } of commands) assert(page.includes(`parts ${name}`), name)
  for (const [code, meaning] of Object.entries(exitCodeMeanings))
    assert(page.includes(`| ${code} | ${meaning} |`), code)
})
