/** `npm run bench -- SUBCOMMAND`: finds the subcommand and runs it. */
import { consoleCommand } from './commands/console.ts'
import { explainCommand } from './commands/explain.ts'
import { findingCommand } from './commands/finding.ts'
import { growthCommand } from './commands/growth.ts'
import { hotCommand } from './commands/hot.ts'
import { importsCommand } from './commands/imports.ts'
import { instructionsCommand } from './commands/instructions.ts'
import { loadCommand } from './commands/load.ts'
import { overloadCommand } from './commands/overload.ts'
import { runCommand } from './commands/run.ts'
import { smokeCommand } from './commands/smoke.ts'
import { soakCommand } from './commands/soak.ts'
import { webhooksCommand } from './commands/webhooks.ts'
import { isWrongUse, twoColumns, WrongUse, type Subcommand } from './subcommand.ts'

/** In the order of the help. */
export const subcommands: readonly Subcommand[] = [
  runCommand,
  hotCommand,
  growthCommand,
  instructionsCommand,
  overloadCommand,
  soakCommand,
  smokeCommand,
  importsCommand,
  webhooksCommand,
  findingCommand,
  consoleCommand,
  loadCommand,
  explainCommand,
]

const overview = [
  'Measures the service, alone and against PostgreSQL without it.',
  '',
  'Usage: npm run bench -- [SUBCOMMAND] [OPTIONS]',
  '',
  ...twoColumns(subcommands.map(({ name, summary }) => [name, summary])),
  '',
  'Without a subcommand, `run` is used.',
  'npm run bench -- SUBCOMMAND --help shows its options.',
  'proof/bench/README.md explains the results.',
  '',
  'DATABASE_URL is the PostgreSQL server to use',
  '(default: postgres://postgres@127.0.0.1:5432/parts_bench).',
  '',
].join('\n')

const helpWords = new Set(['--help', '-h'])

async function main(args: readonly string[]): Promise<void> {
  const [first = ''] = args
  if (helpWords.has(first)) return void process.stdout.write(overview)
  const { command, rest } = find(args)
  if (rest.some((word) => helpWords.has(word))) return void process.stdout.write(command.help)
  await command.start(rest)
}

function find(args: readonly string[]): { command: Subcommand; rest: readonly string[] } {
  const [first, ...others] = args
  // `--smoke` is the older spelling of the subcommand.
  if (first?.startsWith('-') === true && args.includes('--smoke'))
    return { command: smokeCommand, rest: args.filter((word) => word !== '--smoke') }
  if (first === undefined || first.startsWith('-')) return { command: runCommand, rest: args }
  const command = subcommands.find(({ name }) => name === first)
  if (command === undefined) throw new WrongUse(`There is no subcommand '${first}'.`)
  return { command, rest: others }
}

if (import.meta.main) {
  try {
    await main(process.argv.slice(2))
  } catch (error) {
    if (!isWrongUse(error)) throw error
    const [sentence = ''] = error.message.split(/(?<=\.) |\n/)
    process.stderr.write(`bench: ${sentence}\nSee npm run bench -- --help.\n`)
    process.exitCode = 2
  }
}
