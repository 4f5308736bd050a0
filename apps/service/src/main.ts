/** `node apps/service/src/main.ts <command>`. Each command is a file in commands/ that opens what it needs. */
import { enableCompileCache } from 'node:module'
import { inspect } from 'node:util'
import { commands, readOptions, usageOf, type ServiceCommand } from './commands/command-line.ts'

enableCompileCache() // Halves the loading time from the second start on.

const [name = '', ...args] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
if (command !== undefined) await start(command)
else if (name === '--help' || name === '-h') process.stdout.write(usageOf())
else refuse(name === '' ? 'A command is missing.' : `There is no command '${name}'.`, usageOf())

async function start({ options, run }: ServiceCommand): Promise<void> {
  const read = readOptions(args, options)
  if (read === 'help') return void process.stdout.write(usageOf(name))
  if (typeof read === 'string') return refuse(`${read}.`, usageOf(name))
  try {
    await run(process.env, read)
  } catch (error) {
    const { explainFailure } = await import('./commands/explain-failure.ts')
    process.stderr.write(`${explainFailure(error) ?? inspect(error)}\n`)
    process.exit(1)
  }
}

function refuse(problem: string, usage: string): void {
  process.stderr.write(`${problem}\n\n${usage}`)
  process.exitCode = 2
}
