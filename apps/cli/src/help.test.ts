import assert from 'node:assert/strict'
import { test } from 'node:test'
import { optionsOf, parse, type Command } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp } from './help.ts'
import { runParts } from './testing.ts'

/** The words of an example before a pipe or redirection, split as by a shell. */
const wordsOf = (example: string): string[] =>
  [...(example.split(/ [|<>] /)[0] ?? '').matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word)

test('every command has help with all its options, and examples that can be parsed', () => {
  for (const made of commands) {
    const { name, summary, examples } = made
    const words = name.split(' ')
    const help = commandHelp(made)
    assert(help.startsWith(`parts ${name}: ${summary}\n`))
    for (const option of Object.keys(optionsOf(made))) assert(help.includes(`\n  --${option} `), option)
    assert(examples.length > 0, name)
    for (const example of examples) {
      assert(help.includes(`\n  parts ${example}\n`))
      assert.deepEqual(wordsOf(example).slice(0, words.length), words)
      parse(made, wordsOf(example).slice(words.length))
    }
  }
})

test('--help, -h and help show general help, and help for a group or a command', async () => {
  const [all, group, one] = await Promise.all([
    runParts(['--help']),
    runParts(['key', '--help']),
    runParts(['key', 'list', '--help']),
  ])
  for (const { name, summary } of commands) assert.match(all.stdout, new RegExp(`^  ${name} +${summary}$`, 'm'))
  assert.equal(group.stdout.match(/^ {2}key \w+ /gm)?.length, 3)
  assert.equal(one.stdout, commandHelp(commands.find(({ name }) => name === 'key list') as Command))
  assert.deepEqual(await runParts(['-h']), all)
  assert.deepEqual(await runParts(['help']), all)
  assert.deepEqual(await runParts(['help', 'key']), group)
  assert.deepEqual(await runParts(['help', 'key', 'list']), one)
})
