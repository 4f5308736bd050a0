/**
 * The directory: one file per distributor says where it is and how far the last command came. Everything else (map of the
 * proxy, settings, targets of Prometheus) is derived from it. A file is replaced as a whole, so it is never half written.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs' // prettier-ignore
import { createServer } from 'node:net'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FleetProblem, type Fleet } from './fleet-config.ts'

/** In this order. From `open` on there is no way back but another move. */
export const moveSteps = ['copy', 'start', 'fence', 'open', 'close'] as const

export interface Move {
  readonly to: string
  readonly step: (typeof moveSteps)[number]
  /** `--undo` has begun: nothing else continues. */
  readonly isUndone?: true
}

export interface Distributor {
  readonly name: string
  /** The host name of its API. */
  readonly host: string
  /** Its place in the ranges of ports. */
  readonly number: number
  /** `creating` and `deleting` have begun and not ended. */
  readonly state: 'creating' | 'running' | 'suspended' | 'deleting'
  /** The server that has its database and its process. */
  readonly server: string
  readonly move?: Move | undefined
  /** The server that had it before the last move, and follows until the move is confirmed. */
  readonly follower?: string | undefined
  readonly passwords: {
    readonly owner: string
    readonly service: string
    readonly reader: string
    readonly move: string
  }
  /** Until the command that creates it has printed it. */
  readonly firstKey?: string | undefined
  /** What `fleet migrate` brought it to. */
  readonly release?: string | undefined
}

const nameForm = /^[a-z][a-z0-9_]{1,29}$/
const reserved = /^(?:parts|postgres|template\d|pg_.*)$/

export function newDistributor(name: string, host: string, server: string, number: number): Distributor {
  const password = (): string => randomBytes(24).toString('hex')
  const passwords = { owner: password(), service: password(), reader: password(), move: password() }
  return { name, host, server, number, state: 'creating', passwords }
}

export function refuseName(name: string): void {
  if (!nameForm.test(name) || reserved.test(name))
    throw new FleetProblem(
      `'${name}' cannot be the name of a distributor: use 2 to 30 of a to z, 0 to 9 and _, beginning with a letter.`,
    )
}

const fileOf = ({ config }: Fleet, name: string): string => join(config.directory, `${name}.json`)

export function findDistributor(fleet: Fleet, name: string): Distributor | undefined {
  refuseName(name)
  const file = fileOf(fleet, name)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Distributor) : undefined
}

export function readDistributor(fleet: Fleet, name: string): Distributor {
  const found = findDistributor(fleet, name)
  if (found === undefined) throw new FleetProblem(`There is no distributor ${name}.`)
  return found
}

export function readDirectory(fleet: Fleet): Distributor[] {
  mkdirSync(fleet.config.directory, { recursive: true, mode: 0o700 })
  return readdirSync(fleet.config.directory)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .flatMap((file) => findDistributor(fleet, file.slice(0, -'.json'.length)) ?? [])
}

/** Returns what was written. */
export function record<T extends Distributor>(fleet: Fleet, distributor: T): T {
  writeWhole(fileOf(fleet, distributor.name), `${JSON.stringify(distributor, null, 2)}\n`, 0o600)
  return distributor
}

export const forget = (fleet: Fleet, name: string): void => rmSync(fileOf(fleet, name), { force: true })

/** Either the old or the new text is there, also after a crash of the machine. */
export function writeWhole(file: string, text: string, mode = 0o644): void {
  const next = `${file}.${process.pid}.next`
  const handle = openSync(next, 'w', mode)
  try {
    writeSync(handle, text)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  renameSync(next, file)
}

const lockWaitMs = 30_000

/** One command at a time. The kernel releases the lock when the process ends, however it ends. */
export async function withLock<T>(
  { config }: Fleet,
  name: string,
  work: () => Promise<T>,
  { waits = false } = {},
): Promise<T> {
  const deadline = performance.now() + (waits ? lockWaitMs : 0)
  for (;;) {
    const server = createServer().listen({ path: `\0parts-fleet ${resolve(config.directory)} ${name}` })
    // If another process has the name, `once` rejects.
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) {
      try {
        return await work()
      } finally {
        server.close()
      }
    }
    if (performance.now() > deadline) throw new FleetProblem(`Another command is working on ${name}.`)
    await sleep(50)
  }
}

/** One that is neither being created, deleted nor moved. */
export function settled(distributor: Distributor): Distributor {
  const { name, state, move } = distributor
  if (state === 'creating' || state === 'deleting')
    throw new FleetProblem(`${name} is ${state}: run that command again first.`)
  if (move !== undefined) throw new FleetProblem(`${name} is being moved to ${move.to}: run that command again first.`)
  return distributor
}
