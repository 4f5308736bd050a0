/** `node deploy/fleet/fleet.ts COMMAND`: many distributors on several servers. docs/how-to/engineer/fleet.md shows its use. */
import { parseArgs } from 'node:util'
import {
  createDistributor,
  deleteDistributor,
  forgetFirstKey,
  resumeDistributor,
  suspendDistributor,
} from './create.ts'
import { readDirectory, readDistributor, type Distributor } from './directory.ts'
import { FleetProblem, readFleetConfig, type Fleet } from './fleet-config.ts'
import { migrateFleet } from './migrate-fleet.ts'
import { confirmMove, moveDistributor, undoMove } from './move.ts'
import { readiness } from './process.ts'

const usage = `Usage: node deploy/fleet/fleet.ts COMMAND [NAME] [options]

  create NAME --host HOST --server SERVER  a distributor that takes orders; prints the first key
  list                                     where each one is
  status NAME                              as JSON, with the readiness of its process
  suspend NAME, resume NAME                requests get 503; the database stays
  delete NAME --yes                        with an export, whose file is printed
  migrate [--canary NAME]                  all databases, to the release of this folder; stops at the first failure
  move NAME --to SERVER [--compare rows]   while it trades; also the way back
  move NAME --undo                         before the new database is open
  confirm NAME                             after a move: the copy on the old server is dropped

A command that was interrupted is continued when it is run again. FLEET names the configuration (fleet.json).
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    host: { type: 'string' },
    server: { type: 'string' },
    to: { type: 'string' },
    compare: { type: 'string' },
    canary: { type: 'string' },
    undo: { type: 'boolean' },
    yes: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
})
const print = (text: string): void => void process.stdout.write(`${text}\n`)

try {
  await run()
} catch (error) {
  if (!(error instanceof FleetProblem)) throw error
  process.stderr.write(`fleet: ${error.message}\n`)
  process.exitCode = 1
}

async function run(): Promise<void> {
  const [command = '', name] = positionals
  if (values.help === true || command === '') return print(usage)
  const fleet: Fleet = {
    config: readFleetConfig(process.env['FLEET'] ?? 'fleet.json'),
    step: (step) => void process.stderr.write(`${new Date().toISOString()} ${command} ${name ?? ''}: ${step}\n`),
  }
  if (command === 'list') return print(readDirectory(fleet).map(lineOf).join('\n'))
  if (command === 'migrate')
    return print(`${(await migrateFleet(fleet, { canary: values.canary })).length} distributors migrated`)
  if (name === undefined) throw new FleetProblem(`Give the name of a distributor, or see --help.`)
  if (command === 'create') {
    const created = await createDistributor(fleet, { name, host: given('host'), server: given('server') })
    print(created.firstKey)
    forgetFirstKey(fleet, name)
  } else if (command === 'status') print(JSON.stringify(await statusOf(fleet, readDistributor(fleet, name)), null, 2))
  else if (command === 'suspend') await suspendDistributor(fleet, name)
  else if (command === 'resume') await resumeDistributor(fleet, name)
  else if (command === 'delete' && values.yes !== true) throw new FleetProblem(`Add --yes to delete ${name}.`)
  else if (command === 'delete') print(await deleteDistributor(fleet, name))
  else if (command === 'move' && values.undo === true) await undoMove(fleet, name)
  else if (command === 'move') await moveDistributor(fleet, name, { to: given('to'), compare: readCompare() })
  else if (command === 'confirm') await confirmMove(fleet, name)
  else throw new FleetProblem(`There is no command ${command}: see --help.`)
}

function given(option: 'host' | 'server' | 'to'): string {
  const value = values[option]
  if (value === undefined) throw new FleetProblem(`--${option} is missing: see --help.`)
  return value
}

function readCompare(): 'counts' | 'rows' {
  const how = values.compare ?? 'counts'
  if (how !== 'counts' && how !== 'rows') throw new FleetProblem('--compare must be counts or rows.')
  return how
}

function lineOf({ name, state, server, host, move, follower }: Distributor): string {
  const moving = move === undefined ? [] : [`moving to ${move.to}`]
  const copied = follower === undefined ? [] : [`copy on ${follower}`]
  return [name, state, server, host, ...moving, ...copied].join('\t')
}

async function statusOf(fleet: Fleet, distributor: Distributor): Promise<object> {
  const { passwords: _, firstKey: __, ...shown } = distributor
  const problem = await readiness(fleet, distributor, distributor.server)
  return { ...shown, ready: problem === '', ...(problem !== '' && { problem }) }
}
