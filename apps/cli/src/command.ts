/** A command as data: its arguments, options and help, and the function that runs it. */
import { parseArgs } from 'node:util'
import type { ApiConnection } from './api.ts'
import type { Output } from './output.ts'
import { exitCodes, errorMessage, Problem, type ExitCode } from './problem.ts'

export interface Option {
  /** The placeholder of its value in the help; a flag has none. */
  readonly value?: string
  readonly meaning: string
  readonly required?: boolean
  /** It may be given several times. */
  readonly multiple?: boolean
}

export type Options = Readonly<Record<string, Option>>

export type Chosen<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { multiple: true }
    ? readonly string[]
    : O[K] extends { value: string }
      ? O[K] extends { required: true }
        ? string
        : string | undefined
      : boolean
}

interface Definition<O extends Options> {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** All of them are required. */
  readonly arguments?: readonly string[]
  readonly options?: O
  /** Paragraphs of the help. */
  readonly notes?: readonly string[]
  /** Arguments after `parts`. */
  readonly examples: readonly string[]
  /** It does not call the service, so it has no --json and no --url. */
  readonly offline?: boolean
  readonly run: (call: Call<O>) => Promise<ExitCode | void>
}

export interface Context extends ApiConnection {
  readonly arguments: readonly string[]
  readonly output: Output
  readonly environment: NodeJS.ProcessEnv
}

export interface Call<O extends Options> extends Context {
  readonly options: Chosen<O>
}

type ParsedOptions = Readonly<Record<string, string | boolean | readonly (string | boolean)[] | undefined>>

/** A command whose options are no longer typed. */
export interface Command extends Omit<Definition<Options>, 'run'> {
  readonly run: (context: Context, options: ParsedOptions) => Promise<ExitCode | void>
}

export const command = <const O extends Options>(definition: Definition<O>): Command => ({
  ...definition,
  // `parse` returns a value of the declared type for each option.
  run: (context, options) => definition.run({ ...context, options: options as Chosen<O> }),
})

const common = {
  json: { meaning: 'print data as JSON, one value or row per line' },
  url: { value: 'URL', meaning: 'URL of the service (default: PARTS_URL)' },
} satisfies Options
const help = { help: { meaning: 'show this help' } } satisfies Options

export const optionsOf = ({ options = {}, offline }: Command): Options => ({
  ...options,
  ...(offline === true ? {} : common),
  ...help,
})

interface Parsed {
  readonly arguments: readonly string[]
  readonly options: ParsedOptions
}

/** Parses the words after the command's name. */
export function parse(made: Command, args: readonly string[]): Parsed {
  const options = optionsOf(made)
  const { values, positionals } = parseStrictly(made, args, options)
  const chosen = Object.fromEntries(
    Object.entries(options).map(([name, { value, multiple }]) => [
      name,
      values[name] ?? (multiple === true ? [] : value === undefined ? false : undefined),
    ]),
  )
  if (chosen['help'] === true) return { arguments: [], options: chosen }
  const { arguments: expected = [] } = made
  const missing = [
    ...expected.slice(positionals.length),
    ...Object.keys(options)
      .filter((name) => options[name]?.required === true && !chosen[name])
      .map((name) => `--${name}`),
  ]
  if (missing.length > 0) throw wrongUse(made, `\`parts ${made.name}\` requires ${missing.join(' and ')}.`)
  if (positionals.length > expected.length)
    throw wrongUse(made, `Unexpected argument '${positionals[expected.length]}' for \`parts ${made.name}\`.`)
  return { arguments: positionals, options: chosen }
}

function parseStrictly({ name: command }: Command, args: readonly string[], options: Options) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { value, multiple = false }]) => [
          name,
          { type: value === undefined ? 'boolean' : 'string', multiple },
        ]),
      ),
    })
  } catch (error) {
    const [sentence] = errorMessage(error).split(/\. |\n/)
    throw wrongUse({ name: command }, `${sentence?.replace(/\.$/, '')}.`)
  }
}

export const wrongUse = (made: { name: string }, message: string): Problem =>
  new Problem(exitCodes.usage, message, `Run \`parts ${made.name} --help\` for usage.`)

/** Parses an id, a number or a count. */
export function wholeNumber(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Problem(exitCodes.usage, `${what} must be a positive integer, not '${text}'.`)
  return Number(text)
}
