/** A subcommand of `npm run bench`: its options are data, so that parsing and help cannot disagree. */
import { parseArgs, type ParseArgsOptionDescriptor } from 'node:util'

interface BenchOption extends ParseArgsOptionDescriptor {
  /** The placeholder of its value in the help; a flag has none. */
  readonly value?: string
  readonly meaning: string
}

export type BenchOptions = Readonly<Record<string, BenchOption>>

type OptionValues<O extends BenchOptions> = ReturnType<typeof parseArgs<{ options: O }>>['values']

interface Definition<O extends BenchOptions> {
  readonly name: string
  readonly summary: string
  readonly options: O
  /** Paragraphs of the help. */
  readonly notes: readonly string[]
  /** Arguments after `npm run bench --`. */
  readonly examples: readonly string[]
  readonly run: (values: OptionValues<O>) => Promise<void>
}

export interface Subcommand {
  readonly name: string
  readonly summary: string
  readonly help: string
  readonly start: (args: readonly string[]) => Promise<void>
}

export function subcommand<const O extends BenchOptions>(definition: Definition<O>): Subcommand {
  const { name, summary, options, run } = definition
  return {
    name,
    summary,
    help: helpOf(definition),
    start: (args) => run(parseArgs({ args: [...args], options }).values),
  }
}

/** A mistake on the command line. It ends the program with exit code 2. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

export const isWrongUse = (error: unknown): error is Error =>
  error instanceof WrongUse ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))

/** The value of an option that takes a positive integer. */
export function positiveInteger(option: string, value: string, max = 1_000_000_000): number {
  const number = Number(value)
  if (!/^[1-9]\d*$/.test(value) || number > max)
    throw new WrongUse(`--${option} must be an integer from 1 to ${max}, not '${value}'.`)
  return number
}

function helpOf({ name, summary, options, notes, examples }: Definition<BenchOptions>): string {
  const described: [string, BenchOption][] = [
    ...Object.entries(options),
    ['help', { type: 'boolean', meaning: 'show this help' }],
  ]
  return [
    `npm run bench -- ${name}: ${summary}`,
    '',
    ...notes.flatMap((note) => [...wrapped(note, lineWidth), '']),
    'Options:',
    ...twoColumns(
      described.map(([option, { value, meaning, default: byDefault }]) => [
        value === undefined ? `--${option}` : `--${option} ${value}`,
        typeof byDefault === 'string' ? `${meaning} (default: ${byDefault})` : meaning,
      ]),
    ),
    '',
    'Examples:',
    ...examples.map((example) => `  npm run bench -- ${example}`),
    '',
  ].join('\n')
}

const lineWidth = 80

export function twoColumns(pairs: readonly (readonly [name: string, meaning: string])[]): string[] {
  const margin = Math.max(...pairs.map(([name]) => name.length)) + 4
  return pairs.flatMap(([name, meaning]) =>
    wrapped(meaning, lineWidth - margin).map((line, n) => `${`  ${n === 0 ? name : ''}`.padEnd(margin)}${line}`),
  )
}

function wrapped(text: string, width: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}
