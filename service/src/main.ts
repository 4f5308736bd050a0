/** `node service/src/main.ts <command>`. Each command is a file in commands/ that opens what it needs. */
import { enableCompileCache } from 'node:module'
import { inspect } from 'node:util'

enableCompileCache() // Halves the loading time from the second start on.

const commands: Record<string, () => Promise<void>> = {
  api: async () => (await import('./commands/api.ts')).api(process.env),
  worker: async () => (await import('./commands/worker.ts')).worker(process.env),
  migrate: async () => (await import('./commands/migrate.ts')).migrateCommand(process.env),
  demo: async () => (await import('./commands/demo.ts')).demo(process.env, process.argv.slice(3)),
  generate: async () => (await import('./commands/generate.ts')).generate(process.argv.slice(3)),
  'after-restore': async () =>
    (await import('./commands/after-restore.ts')).afterRestoreCommand(process.env, process.argv.slice(3)),
  invariants: async () => (await import('./commands/invariants.ts')).invariants(process.env),
}

const name = process.argv[2] ?? ''
const command = commands[name]
if (command === undefined) {
  process.stderr.write(`Usage: node service/src/main.ts ${Object.keys(commands).join(' | ')}\n`)
  process.exitCode = 2
} else {
  try {
    await command()
  } catch (error) {
    const { explainFailure } = await import('./commands/explain-failure.ts')
    process.stderr.write(`${explainFailure(error) ?? inspect(error)}\n`)
    process.exit(1)
  }
}
