/** The commands of the service: what each does, the options it takes, and the file that does it, loaded when it is needed. */
import { parseArgs } from 'node:util'
import type { CommandOptions } from './command-options.ts'

export interface ServiceCommand {
  readonly about: string
  /** By name, with what each does. The value of an option that takes one is named in capitals: `margin=N`. */
  readonly options: Readonly<Record<string, string>>
  readonly run: (environment: NodeJS.ProcessEnv, options: CommandOptions) => Promise<void>
}

export const commands: Readonly<Record<string, ServiceCommand>> = {
  api: {
    about: 'serve the API, until SIGTERM or SIGINT',
    options: {},
    run: async (environment) => (await import('./api.ts')).api(environment),
  },
  worker: {
    about: 'deliver webhooks and run the scheduled jobs, until SIGTERM or SIGINT',
    options: {},
    run: async (environment) => (await import('./worker.ts')).worker(environment),
  },
  all: {
    about: 'both in one process, for a small installation',
    options: {},
    run: async (environment) => (await import('./api.ts')).apiWithWorker(environment),
  },
  migrate: {
    about: 'bring the schema of the database up to date; safe while the service runs',
    options: {},
    run: async (environment) => (await import('./migrate.ts')).migrateCommand(environment),
  },
  'after-restore': {
    about: 'make a restored database safe to serve from; stop the service first',
    options: {
      'margin=N': 'raise every number by N, so that none is used twice (default: 1000000)',
      force: 'also if nothing shows that the database was restored, as after a snapshot of the disks',
      'nothing-lost': 'no change was lost, as after a move to another server: no number is raised',
    },
    run: async (environment, options) => (await import('./after-restore.ts')).afterRestoreCommand(environment, options),
  },
  'first-key': {
    about: 'issue an operator key without a key: the first one, or to recover; prints it as JSON',
    options: { 'name=NAME': 'name of the operator', 'role=ROLE': 'viewer, decider, cataloguer or admin' },
    run: async (environment, options) => (await import('./first-key.ts')).firstKey(environment, options),
  },
  invariants: {
    about: 'check what must always be true of the data; exits with 1 if something is not',
    options: {},
    run: async (environment) => (await import('./invariants.ts')).invariants(environment),
  },
  demo: {
    about: 'run the whole service on a machine that has only Node, until Ctrl-C',
    options: {
      fresh: 'delete the data of earlier demos first',
      live: 'simulate traffic: other programs order, and an operator decides',
      json: 'when ready, print one line: {"base_url", "keys"}',
    },
    run: async (environment, options) => (await import('./demo.ts')).demo(environment, options),
  },
  generate: {
    about: 'write the files that are generated from the code',
    options: { check: 'write nothing, and exit with 1 if a file is stale' },
    run: async (_environment, options) => (await import('./generate.ts')).generate(options),
  },
}

/** The options, 'help', or what is wrong with them. */
export function readOptions(args: string[], options: ServiceCommand['options']): CommandOptions | string {
  const known = Object.keys(options).map((option) => {
    const [name = '', value] = option.split('=')
    return [name, { type: value === undefined ? 'boolean' : 'string' }] as const
  })
  try {
    const { values } = parseArgs({
      args,
      options: { ...Object.fromEntries(known), help: { type: 'boolean', short: 'h' } },
    })
    return values['help'] === true ? 'help' : values
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return error.message.split(/\. |\n/, 1)[0] ?? '' // Node adds what to do about arguments, which no command takes.
  }
}

/** Of one command, or of all. */
export function usageOf(name?: string): string {
  const command = name === undefined ? undefined : commands[name]
  if (name === undefined || command === undefined)
    return `Usage: node apps/service/src/main.ts COMMAND [options]

${listed(Object.entries(commands).map(([one, { about }]) => [one, about]))}
COMMAND --help shows its options. Settings are environment variables: docs/reference/configuration.md.
`
  const options = Object.entries(command.options).map(([one, about]) => [`--${one.replace('=', ' ')}`, about] as const)
  return `${name}: ${command.about}

Usage: node apps/service/src/main.ts ${name}${options.length > 0 ? ' [options]' : ''}

${listed([...options, ['--help', 'show this help']])}`
}

function listed(rows: readonly (readonly [name: string, about: string])[]): string {
  const width = Math.max(...rows.map(([one]) => one.length))
  return rows.map(([one, about]) => `  ${one.padEnd(width)}  ${about}\n`).join('')
}
