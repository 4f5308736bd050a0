/**
 * A distributor moves to another server while it trades. Its entry of the directory says which step was begun, and each
 * step can be repeated, so a move that ended anywhere is continued by the same command, or undone by `--undo`.
 *
 *   copy   the other server has a copy that follows
 *   start  a process on the other server works with the old database, and will find the new one
 *   fence  the proxy answers 503; the old database is closed, what it has is compared, and it follows the new one
 *   open   the new database is opened. From here on only another move leads back
 *   close  requests go to the new server; the old one follows it until the move is confirmed
 */
import { afterRestoreAt } from '../../apps/service/src/commands/after-restore.ts'
import { createEmptyDatabase, dropDatabase, endLeftSessions, keepingSessions, urlAs } from './database.ts'
import { moveSteps, readDistributor, record, settled, withLock, type Distributor, type Move } from './directory.ts'
import { compare, copySequences, fence, openForOwner, readOnly, unfence } from './fence.ts'
import { FleetProblem, serverNamed, type Fleet, type FleetServer } from './fleet-config.ts'
import { removeSettings, scrape, startProcess, stopProcess, waitUntilReady, writeSettings } from './process.ts'
import { route } from './proxy.ts'
import { addSlot, caughtUp, copyRows, copySchema, followFromNow, follows, publish, stopFollowing, unpublish } from './replicate.ts' // prettier-ignore
import { addOwnRoles, dropOwnRoles } from './roles.ts'

export interface MoveOptions {
  readonly to: string
  /** What is compared while no order can be placed: the numbers of rows, or all rows. */
  readonly compare?: 'counts' | 'rows'
}

type MovingDistributor = Distributor & { readonly move: Move }

export function moveDistributor(fleet: Fleet, name: string, options: MoveOptions): Promise<void> {
  return withLock(fleet, name, async () => {
    const found = readDistributor(fleet, name)
    if (found.server === options.to && found.move === undefined) return // An earlier run has done it.
    let distributor = begun(fleet, found, options.to)
    const servers = serversOf(fleet, distributor)
    await Promise.all(Object.values(servers).map((server) => endLeftSessions(server, distributor)))
    const steps = { copy, start, fence: fenceOld, open, close }
    for (const step of moveSteps.slice(moveSteps.indexOf(distributor.move.step))) {
      distributor = record(fleet, atStep(distributor, step))
      const work = () => steps[step](fleet, distributor, servers, options)
      await (step === 'fence' ? keepingSessions(work) : work())
    }
    fleet.step('done')
  })
}

function atStep(distributor: MovingDistributor, step: Move['step']): MovingDistributor {
  const { server, move } = distributor
  const isOver = step === 'close' && server !== move.to
  return { ...distributor, ...(isOver && { server: move.to, follower: server }), move: { ...move, step } }
}

/** With the move that was begun earlier, or a new one. The way back has its copy already. */
function begun(fleet: Fleet, distributor: Distributor, to: string): MovingDistributor {
  const { name, server, move, follower } = distributor
  serverNamed(fleet, to)
  if (move !== undefined) {
    if (move.isUndone === true) throw new FleetProblem(`The move of ${name} is being undone: run that again first.`)
    if (move.to === to) return { ...distributor, move }
    throw new FleetProblem(`${name} is being moved to ${move.to}: finish that, or undo it with --undo.`)
  }
  settled(distributor)
  if (distributor.state !== 'running') throw new FleetProblem(`${name} is suspended: resume it first.`)
  if (follower !== undefined && follower !== to)
    throw new FleetProblem(`${name} has a copy on ${follower}: confirm that move first, or go back to ${follower}.`)
  if (serverNamed(fleet, server).postgres === serverNamed(fleet, to).postgres)
    throw new FleetProblem(`${server} and ${to} are one PostgreSQL.`)
  return { ...distributor, move: { to, step: follower === undefined ? 'copy' : 'start' } }
}

interface Servers {
  readonly from: FleetServer
  readonly to: FleetServer
}

/** At the end, the entry names the new server, and the old one as its follower. */
const serversOf = (fleet: Fleet, { server, follower, move }: MovingDistributor): Servers => ({
  from: serverNamed(fleet, server === move.to ? (follower ?? server) : server),
  to: serverNamed(fleet, move.to),
})

async function copy(fleet: Fleet, distributor: MovingDistributor, { from, to }: Servers): Promise<void> {
  fleet.step('publish')
  await publish(distributor, from)
  fleet.step('database')
  await createEmptyDatabase(to, distributor)
  fleet.step('roles')
  await addOwnRoles(fleet, distributor, distributor.move.to)
  await readOnly(distributor, to)
  fleet.step('schema')
  await copySchema(distributor, from, to)
  fleet.step('rows')
  await copyRows(distributor, from, to)
}

async function start(fleet: Fleet, distributor: MovingDistributor, { from, to }: Servers): Promise<void> {
  const { server, move } = distributor
  fleet.step('process')
  await readOnly(distributor, to)
  await startProcess(fleet, distributor, move.to, [move.to, server])
  await waitUntilReady(fleet, distributor, move.to)
  fleet.step('slot')
  await publish(distributor, to)
  await addSlot(distributor, to) // May wait for transactions of other databases: not while orders wait.
  fleet.step('catch up')
  await caughtUp(distributor, from)
}

async function fenceOld(
  fleet: Fleet,
  distributor: MovingDistributor,
  { from, to }: Servers,
  { compare: how = 'counts' }: MoveOptions,
): Promise<void> {
  await Promise.all([from, to].map((server) => follows(distributor, server))) // Opens the sessions.
  fleet.step('fence')
  await route(fleet, distributor)
  await fence(distributor, from)
  if (await follows(distributor, to)) {
    fleet.step('last changes')
    await caughtUp(distributor, from)
    fleet.step('compare')
    const different = await compare(distributor, [from, to], how)
    if (different.length > 0)
      throw new FleetProblem(`The copy differs in ${different.join(', ')}: undo the move with --undo.`)
    fleet.step('take over')
    await copySequences(distributor, from, to)
    await openForOwner(distributor, to)
    // Forced, because on the way back the database finds itself where it was, with positions of the other server.
    await afterRestoreAt(urlAs('owner', distributor, to), { nothingLost: true, force: true })
    fleet.step('turn around')
    await stopFollowing(distributor, to, from)
  }
  await followFromNow(distributor, from, to)
}

async function open(fleet: Fleet, distributor: MovingDistributor, { to }: Servers): Promise<void> {
  fleet.step('open')
  await unfence(distributor, to)
  await waitUntilReady(fleet, distributor, distributor.move.to)
}

async function close(fleet: Fleet, distributor: MovingDistributor): Promise<void> {
  fleet.step('route')
  await route(fleet, distributor)
  fleet.step('old process')
  if (distributor.follower !== undefined) await stopProcess(fleet, distributor, distributor.follower)
  scrape(fleet, distributor)
  record(fleet, { ...distributor, move: undefined })
}

/** Before the new database is open: everything as it was. */
export function undoMove(fleet: Fleet, name: string): Promise<void> {
  return withLock(fleet, name, async () => {
    const distributor = readDistributor(fleet, name)
    const { server, follower, move } = distributor
    if (move === undefined || move.step === 'open' || move.step === 'close')
      throw new FleetProblem(
        move === undefined
          ? `${name} is not being moved.${follower === undefined ? '' : ` To go back: fleet move ${name} --to ${follower}.`}`
          : `The new database is open: run fleet move ${name} --to ${move.to} again. Then it can go back.`,
      )
    const undoing = record(fleet, { ...distributor, move: { ...move, isUndone: true } })
    const { from, to } = serversOf(fleet, undoing)
    await Promise.all([from, to].map((one) => endLeftSessions(one, undoing)))
    fleet.step('process')
    await stopProcess(fleet, undoing, move.to)
    await removeSettings(fleet, undoing, move.to)
    fleet.step('turn back')
    await stopFollowing(undoing, from, to)
    if (follower !== undefined) {
      await readOnly(undoing, to)
      await followFromNow(undoing, to, from)
    }
    fleet.step('open')
    await unfence(undoing, from)
    await waitUntilReady(fleet, undoing, server)
    fleet.step('route')
    await route(fleet, record(fleet, { ...undoing, move: { ...undoing.move, step: 'copy' } }))
    if (follower === undefined) await dropCopy(fleet, undoing, move.to, server)
    record(fleet, { ...distributor, move: undefined })
    fleet.step('done')
  })
}

/** The old server is not needed any more: the way back ends here. */
export function confirmMove(fleet: Fleet, name: string): Promise<void> {
  return withLock(fleet, name, async () => {
    const distributor = settled(readDistributor(fleet, name))
    const { server, follower } = distributor
    if (follower === undefined) throw new FleetProblem(`${name} has no copy on another server.`)
    await Promise.all([server, follower].map((one) => endLeftSessions(serverNamed(fleet, one), distributor)))
    await dropCopy(fleet, distributor, follower, server)
    fleet.step('settings')
    await removeSettings(fleet, distributor, follower)
    await writeSettings(fleet, distributor, server, [server]) // For its next start: what runs has found its database.
    record(fleet, { ...distributor, follower: undefined })
    fleet.step('done')
  })
}

async function dropCopy(fleet: Fleet, distributor: Distributor, copyOn: string, server: string): Promise<void> {
  const [copied, kept] = [serverNamed(fleet, copyOn), serverNamed(fleet, server)]
  fleet.step('copy')
  await stopFollowing(distributor, copied, kept)
  await dropDatabase(copied, distributor)
  fleet.step('roles of the copy')
  await dropOwnRoles(fleet, distributor, copyOn)
  await unpublish(distributor, kept)
}
