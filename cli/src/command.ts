/** A command as data: what it takes, what it says about itself, and the function that does it. */
import { parseArgs } from 'node:util'
import type { Output } from './output.ts'
import { exitCodes, Problem, type ExitCode } from './problem.ts'
import type { Service } from './service.ts'

export interface Option {
  /** How its value is shown in the help; absent for a switch. */
  readonly value?: string
  readonly meaning: string
  readonly required?: boolean
}

export type Options = Readonly<Record<string, Option>>

export type Chosen<O extends Options> = {
  readonly [K in keyof O]: O[K] extends { value: string }
    ? O[K] extends { required: true }
      ? string
      : string | undefined
    : boolean
}

export interface Command<O extends Options = Options> {
  /** One or two words. */
  readonly name: string
  readonly summary: string
  /** Each is required. */
  readonly arguments?: readonly string[]
  readonly options?: O
  /** Paragraphs of the help. */
  readonly notes?: readonly string[]
  /** What stands behind `parts`. */
  readonly examples: readonly string[]
  /** It has no --json and no --url. */
  readonly offline?: boolean
  readonly run: (call: Call<O>) => Promise<ExitCode | void>
}

export interface Call<O extends Options = Options> {
  readonly arguments: readonly string[]
  readonly options: Chosen<O>
  readonly output: Output
  readonly service: Service
  readonly environment: NodeJS.ProcessEnv
}

/** Keeps the types of a command's options together while it is written down. */
export const command = <const O extends Options>(made: Command<O>): Command => made as unknown as Command

const common = {
  json: { meaning: "prints the service's data as JSON, one value a line, each row of a list a line of its own" },
  url: { value: 'ADDRESS', meaning: 'where the service is, instead of PARTS_URL' },
} satisfies Options
const help = { help: { meaning: 'shows this' } } satisfies Options

export const optionsOf = ({ options = {}, offline }: Command): Options => ({
  ...options,
  ...(offline === true ? {} : common),
  ...help,
})

interface Parsed {
  readonly arguments: readonly string[]
  readonly options: Readonly<Record<string, string | boolean | undefined>>
}

/** Reads what stands behind the command's name. */
export function parse(made: Command, args: readonly string[]): Parsed {
  const options = optionsOf(made)
  const { values, positionals } = parseStrictly(made, args, options)
  const chosen = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [
      name,
      values[name] ?? (value === undefined ? false : undefined),
    ]),
  )
  if (chosen['help'] === true) return { arguments: [], options: chosen }
  const { arguments: wanted = [] } = made
  const missing = [
    ...wanted.slice(positionals.length),
    ...Object.keys(options)
      .filter((name) => options[name]?.required === true && !chosen[name])
      .map((name) => `--${name}`),
  ]
  if (missing.length > 0) throw wrongUse(made, `\`parts ${made.name}\` needs ${missing.join(' and ')}.`)
  if (positionals.length > wanted.length)
    throw wrongUse(made, `'${positionals[wanted.length]}' is one word too many for \`parts ${made.name}\`.`)
  return { arguments: positionals, options: chosen }
}

function parseStrictly(made: Command, args: readonly string[], options: Options) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: Object.fromEntries(
        Object.entries(options).map(([name, { value }]) => [
          name,
          { type: value === undefined ? 'boolean' : 'string' },
        ]),
      ),
    })
  } catch (error) {
    const [sentence] = (error as Error).message.split(/\. |\n/)
    throw wrongUse(made, `${sentence?.replace(/\.$/, '')}.`)
  }
}

export const wrongUse = (made: { name: string }, message: string): Problem =>
  new Problem(exitCodes.usage, message, `parts ${made.name} --help shows how it is used.`)

/** An id or a number of something, as it stands in the service's tables. */
export function wholeNumber(text: string, what: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text))
    throw new Problem(exitCodes.usage, `${what} must be a positive whole number, not '${text}'.`)
  return Number(text)
}
