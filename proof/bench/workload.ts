/** A workload of `npm run bench`: its options are data, so that parsing and help cannot disagree. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

interface Option<T> {
  readonly type: 'string' | 'boolean'
  /** The placeholder of its value in the help; a flag has none. */
  readonly placeholder?: string
  readonly meaning: string
  readonly default?: string
  readonly read: (given: string | boolean | undefined, name: string) => T
}

export const flag = (meaning: string): Option<boolean> => ({
  type: 'boolean',
  meaning,
  read: (given) => given === true,
})

export const text = (placeholder: string, meaning: string): Option<string | undefined> => ({
  type: 'string',
  placeholder,
  meaning,
  read: (given) => (typeof given === 'string' ? given : undefined),
})

/** Separated by commas. */
export const names = (meaning: string): Option<string[] | undefined> => ({
  ...text('A,B', meaning),
  read: (given) => (typeof given === 'string' ? given.split(',') : undefined),
})

export const word = (byDefault: string, placeholder: string, meaning: string): Option<string> => ({
  ...text(placeholder, meaning),
  default: byDefault,
  read: String,
})

export const maybeInteger = (meaning: string, max = 1_000_000_000, min = 1): Option<number | undefined> => ({
  ...text('N', meaning),
  read: (given, name) => {
    if (given === undefined) return undefined
    const number = Number(given)
    if (!/^(0|-?[1-9]\d*)$/.test(String(given)) || number < min || number > max)
      throw new WrongUse(`--${name} must be an integer from ${min} to ${max}, not '${given}'.`)
    return number
  },
})

export const integer = (byDefault: number, ...rest: Parameters<typeof maybeInteger>): Option<number> => ({
  ...(maybeInteger(...rest) as Option<number>), // The default is read, too.
  default: String(byDefault),
})

type Options = Readonly<Record<string, Option<unknown>>>
type OptionValues<O extends Options> = { readonly [K in keyof O]: O[K] extends Option<infer T> ? T : never }

export interface WorkloadOutput {
  /** Prints text, unless only JSON is requested. */
  readonly show: (text: string) => void
  readonly json: boolean
}

export interface WorkloadOutcome {
  /** Written to proof/bench/results/, and printed by --json. */
  readonly results: object
  /** Printed by --json instead of them. */
  readonly printed?: object | null
  /** SVG by name, written beside the results. */
  readonly pictures?: Readonly<Record<string, string>>
  readonly failed?: boolean
}

interface Definition<O extends Options> {
  readonly options: O
  /** Paragraphs of the help. */
  readonly notes: readonly string[]
  /** Arguments after `npm run bench --`. */
  readonly examples: readonly string[]
  /** What has an outcome has the option --json. */
  readonly run: (values: OptionValues<O>, output: WorkloadOutput) => Promise<WorkloadOutcome | void>
  readonly withoutOutcome?: true
}

export interface Workload {
  readonly help: (name: string, summary: string) => string
  readonly start: (name: string, args: readonly string[]) => Promise<void>
}

export function workload<const O extends Options>(definition: Definition<O>): Workload {
  const { run, notes, examples, withoutOutcome } = definition
  const options: Options = {
    ...(definition.options as Options),
    ...(withoutOutcome !== true && { json: flag('print only the results, as JSON') }),
  }
  return {
    help: (name, summary) => helpOf(`npm run bench -- ${name}: ${summary}`, notes, options, examples),
    start: async (name, args) => {
      const { values: given } = parseArgs({ args: [...args], options })
      const values = Object.fromEntries(
        Object.entries(options).map(([option, { read }]) => [option, read(given[option], option)]),
      )
      const json = values['json'] === true
      const show = (line: string): void => void (json || process.stdout.write(line))
      const outcome = await run(values as OptionValues<O>, { show, json })
      if (outcome === undefined) return
      show(`Written to ${saveResults(name, outcome)}.\n`)
      if (json) process.stdout.write(`${JSON.stringify(outcome.printed ?? outcome.results)}\n`)
      if (outcome.failed === true) process.exitCode = 1
    },
  }
}

/** A mistake on the command line. It ends the program with exit code 2. */
export class WrongUse extends Error {
  override readonly name = 'WrongUse'
}

export const isWrongUse = (error: unknown): error is Error =>
  error instanceof WrongUse ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS_'))

/** Git ignores them: figures belong to the machine that they were measured on. */
function saveResults(name: string, { results, pictures = {} }: WorkloadOutcome): string {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  writeFileSync(new URL(`${time}-${name}.json`, folder), `${JSON.stringify(results, null, 2)}\n`)
  for (const [what, picture] of Object.entries(pictures)) writeFileSync(new URL(`${time}-${what}.svg`, folder), picture)
  return `proof/bench/results/${time}-${name}.json`
}

function helpOf(title: string, notes: readonly string[], options: Options, examples: readonly string[]): string {
  const described = Object.entries({ ...options, help: flag('show this help') }).map(([name, option]) => [
    option.placeholder === undefined ? `--${name}` : `--${name} ${option.placeholder}`,
    option.default === undefined ? option.meaning : `${option.meaning} (default: ${option.default})`,
  ])
  const paragraphs = notes.flatMap((note) => [...wrapped(note, lineWidth), ''])
  const commands = examples.map((example) => `  npm run bench -- ${example}`)
  return [title, '', ...paragraphs, 'Options:', ...twoColumns(described), '', 'Examples:', ...commands, ''].join('\n')
}

const lineWidth = 80

export function twoColumns(pairs: readonly (readonly string[])[]): string[] {
  const margin = Math.max(...pairs.map(([name = '']) => name.length)) + 4
  return pairs.flatMap(([name = '', meaning = '']) =>
    wrapped(meaning, lineWidth - margin).map((line, n) => `${`  ${n === 0 ? name : ''}`.padEnd(margin)}${line}`),
  )
}

const wrapped = (paragraph: string, width: number): string[] =>
  paragraph.match(new RegExp(`\\S.{0,${width - 1}}(?=\\s|$)`, 'g')) ?? []
