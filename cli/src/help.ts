import { optionsOf, type Command } from './command.ts'
import { exitCodeMeanings } from './problem.ts'
import { urlDefault } from './settings.ts'
import { wrap } from './text.ts'

const lineWidth = 80 // The help is the same everywhere, so that the documentation can show it.

export function generalHelp(commands: readonly Command[]): string {
  return lines([
    'parts: the Parts Ordering Service at a terminal, for the distributor.',
    '',
    ...groupHelpLines(commands),
    '',
    'Environment:',
    ...listed([
      ['PARTS_URL', `where the service is (${urlDefault} if not set)`],
      ['PARTS_KEY', 'an operator key'],
      ['PARTS_KEY_FILE', 'a file with the key, instead'],
      ['DATABASE_URL', 'where PostgreSQL is; for migrate and operator-key issue --first'],
      ['NO_COLOR', 'if set, no colours'],
    ]),
    '',
    'Exit codes:',
    ...listed(Object.entries(exitCodeMeanings)),
    '',
    ...wrap(
      'On a terminal, tables fit its width. Elsewhere each row is one line with tabs between the columns, and nothing is cut.',
      lineWidth,
    ),
  ])
}

/** Of commands that begin with the same word. */
export const groupHelp = (commands: readonly Command[]): string => lines(groupHelpLines(commands))

function groupHelpLines(commands: readonly Command[]): string[] {
  return [
    'Usage: parts COMMAND …',
    '',
    ...listed(commands.map(({ name, summary }) => [name, summary])),
    '',
    'parts COMMAND --help shows its options and examples.',
  ]
}

export function commandHelp(made: Command): string {
  const { name, summary, arguments: wanted = [], notes = [], examples } = made
  return lines([
    `parts ${name}: ${summary}`,
    '',
    `Usage: ${['parts', name, ...wanted].join(' ')} [options]`,
    '',
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

/** Two columns; the second is broken into lines. */
function listed(pairs: readonly (readonly string[])[]): string[] {
  const margin = Math.max(...pairs.map(([name = '']) => name.length)) + 4
  return pairs.flatMap(([name = '', meaning = '']) =>
    wrap(meaning, lineWidth - margin).map((line, n) => `${`  ${n === 0 ? name : ''}`.padEnd(margin)}${line}`),
  )
}
