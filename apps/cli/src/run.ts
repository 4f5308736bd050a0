/** Finds the command, runs it and reports problems. */
import { connect } from './api.ts'
import { parse, type Command } from './command.ts'
import { commands } from './commands.ts'
import { commandHelp, generalHelp, groupHelp } from './help.ts'
import { makeOutput, type Output } from './output.ts'
import { exitCodes, Problem, type ExitCode } from './problem.ts'
import { readSettings } from './settings.ts'

/** Returns the exit code. */
export async function main(given: readonly string[]): Promise<ExitCode> {
  const args = given[0] === 'help' ? [...given.slice(1), '--help'] : given
  // Decided before parsing, because parsing errors are printed in the same way.
  const output = makeOutput(args.includes('--json'), process.stdout, process.stderr)
  try {
    return await run(args, output)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    output.problem(error)
    return error.exitCode
  }
}

async function run(args: readonly string[], output: Output): Promise<ExitCode> {
  const made = find(args)
  if (made === undefined) return withoutCommand(args)
  const parsed = parse(made, args.slice(made.name.split(' ').length))
  if (parsed.options['help'] === true) {
    process.stdout.write(commandHelp(made))
    return exitCodes.done
  }
  const { url } = parsed.options
  const connection = connect(() => readSettings(process.env, typeof url === 'string' ? url : undefined))
  try {
    const context = { ...connection, arguments: parsed.arguments, output, environment: process.env }
    return (await made.run(context, parsed.options)) ?? exitCodes.done
  } catch (error) {
    throw connection.problemOf(error)
  }
}

function find(args: readonly string[]): Command | undefined {
  return commands.find(({ name }) => name === args.slice(0, name.split(' ').length).join(' '))
}

/** General help, or help for a group such as `key`. Anything else is a mistake. */
function withoutCommand(args: readonly string[]): ExitCode {
  const words = args.filter((word) => !['--help', '-h'].includes(word))
  const group = commands.filter(({ name }) => name.split(' ')[0] === words[0])
  if (words.length < args.length && (words.length === 0 || (words.length === 1 && group.length > 0))) {
    process.stdout.write(words.length === 0 ? generalHelp(commands) : groupHelp(group))
    return exitCodes.done
  }
  if (args.length === 0) {
    process.stderr.write(generalHelp(commands))
    return exitCodes.usage
  }
  const names = group.map(({ name }) => name)
  throw new Problem(
    exitCodes.usage,
    group.length > 0
      ? `\`parts ${words[0]}\` requires a subcommand: ${names.join(', ')}.`
      : `Unknown command '${words[0]}'.`,
    'Run `parts --help` for a list of commands. Options come after the command.',
  )
}
