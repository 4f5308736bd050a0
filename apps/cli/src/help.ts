import { optionsOf, type Command } from './command.ts'
import { exitCodeMeanings } from './problem.ts'
import { urlDefault } from './settings.ts'
import { wrap } from './text.ts'

const lineWidth = 80 // Fixed, so that the documentation can show the help.

export function generalHelp(commands: readonly Command[]): string {
  return lines([
    'parts: work with the Parts Ordering Service as an operator.',
    '',
    ...groupHelpLines(commands),
    '',
    'Environment:',
    ...listed([
      ['PARTS_URL', `URL of the service (default: ${urlDefault})`],
      ['PARTS_KEY', 'operator key'],
      ['PARTS_KEY_FILE', 'file that contains the key, instead of PARTS_KEY'],
      ['DATABASE_URL', 'PostgreSQL, only for migrate, after-restore and operator-key issue --first'],
      ['NO_COLOR', 'if set, output has no colours'],
    ]),
    '',
    'Exit codes:',
    ...listed(Object.entries(exitCodeMeanings)),
    '',
    ...wrap(
      'On a terminal, tables fit its width. Otherwise each row is one line with tabs between columns, and nothing is truncated.',
      lineWidth,
    ),
  ])
}

/** For commands that start with the same word. */
export const groupHelp = (commands: readonly Command[]): string => lines(groupHelpLines(commands))

function groupHelpLines(commands: readonly Command[]): string[] {
  return [
    'Usage: parts COMMAND [arguments] [options]',
    '',
    ...listed(commands.map(({ name, summary }) => [name, summary])),
    '',
    'Run `parts COMMAND --help` for options and examples.',
  ]
}

export function commandHelp(made: Command): string {
  const { name, summary, arguments: expected = [], notes = [], examples } = made
  return lines([
    `parts ${name}: ${summary}`,
    '',
    `Usage: ${['parts', name, ...expected].join(' ')} [options]`,
    '',
    'Options:',
    ...listed(
      Object.entries(optionsOf(made)).map(([option, { value, meaning, required }]) => [
        value === undefined ? `--${option}` : `--${option} ${value}`,
        required === true ? `${meaning} (required)` : meaning,
      ]),
    ),
    '',
    ...notes.flatMap((note) => [...wrap(note, lineWidth), '']),
    'Examples:',
    ...examples.map((example) => `  parts ${example}`),
  ])
}

const lines = (texts: readonly string[]): string => texts.map((line) => `${line}\n`).join('')

/** Two columns; the second is wrapped. */
function listed(pairs: readonly (readonly string[])[]): string[] {
  const margin = Math.max(...pairs.map(([name = '']) => name.length)) + 4
  return pairs.flatMap(([name = '', meaning = '']) =>
    wrap(meaning, lineWidth - margin).map((line, n) => `${`  ${n === 0 ? name : ''}`.padEnd(margin)}${line}`),
  )
}
