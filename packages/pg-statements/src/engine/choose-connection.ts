/** Which connection a statement is sent on, if it may be sent now. */
import type { Connection } from './connection.ts'
import type { Pending, Share } from './fair-queue.ts'

export interface GroupLimits {
  /** Connections in regular use at present. */
  readonly max: number
  /** Further ones while others are stuck. */
  readonly extraMax: number
  /** Statements in flight on one connection. */
  readonly depthMax: number
  /** Reads wait for nothing but locks on whole tables; changes wait for rows and for their commits. */
  readonly areReads: boolean
}

export interface GroupState extends GroupLimits {
  readonly connections: readonly Connection[]
  /** Names of statements that got stuck. Few are sent at a time, each alone, until one of them ends quickly. */
  readonly suspects: ReadonlyMap<string, unknown>
  readonly inFlight: number
  readonly stuck: number
  /** How long statements with this name take lately. */
  readonly usualMsOf: (name: string) => number
  /** Whether other shares have used the connections lately. */
  readonly isShared: (share: Share) => boolean
}

const stuckOfShareMax = 2 // Of statements with the same name: the share's other requests go on, and so do other shares.
const stuckReadsMax = 2 // Reads wait for nothing but locks on whole tables, so two that are stuck speak for all of them.
/** So much of reads may be in flight on one connection when another one is sent: a hundred single rows, or a long list. */
export const longMs = 20
const triedChangesMax = 4 // A change that is merely slow, such as one of a thousand lines, is not held up by its name.

/** The connection with the fewest statements in flight. */
export function chooseConnection(group: GroupState, { share, statement: { name } }: Pending): Connection | undefined {
  if (isHeld(group, share, name)) return undefined
  if (group.suspects.size > 0 && group.suspects.has(name)) return chooseForSuspect(group, share, name)
  const mayFollow = group.areReads || mayFollowAnother(group, share)
  let idle: Connection | undefined
  let best: Connection | undefined
  let busy = 0
  for (const connection of group.connections) {
    const { depth } = connection
    if (depth > 0) busy++
    if (depth >= group.depthMax || !connection.accepts || connection.session.isParsing(name)) continue
    if (depth === 0) idle ??= connection
    else if (group.areReads && connection.aheadMs >= longMs) continue
    else if (mayFollow && (best === undefined || depth < best.depth)) best = connection
  }
  return busy < group.max ? (idle ?? best) : (best ?? idle)
}

/**
 * Whether a change may be sent behind another one, which it cannot overtake. It saves the server a wake-up, so it is done
 * where it delays nobody: all connections are open, none waits for a lock, and the share has no other change in flight.
 */
const mayFollowAnother = ({ connections, max, stuck, suspects }: GroupState, share: Share): boolean =>
  connections.length >= max && stuck === 0 && suspects.size === 0 && share.inFlight === 0

/** Whether a statement must wait for others of its own share. */
export function isHeld(group: GroupState, share: Share, name: string): boolean {
  if (share.key === '') return false // The program's own.
  return usesItsPart(group, share, name) || (share.stuck >= stuckOfShareMax && hasStuck(group, share, name))
}

/**
 * A share may have at most three times as many statements in flight as there is room for: one busy share gets three
 * quarters of the connections, and the next one always finds some. With long reads it may use half of the connections for
 * reads while there are others, so that their short reads need not wait.
 */
function usesItsPart(group: GroupState, share: Share, name: string): boolean {
  const { max, extraMax, depthMax, areReads, stuck, inFlight } = group
  if (areReads && share.inFlight > 0 && isLong(group, name) && longOf(group, share) >= max / 2 && group.isShared(share))
    return true
  const capacity = (max + Math.min(stuck, extraMax)) * (areReads ? depthMax : 1)
  return share.inFlight > 0 && share.inFlight >= 3 * (capacity - inFlight)
}

const isLong = ({ usualMsOf }: GroupState, name: string): boolean => usualMsOf(name) >= longMs

/** The connections on which the share has a long read that is not stuck: those that are stuck have a limit of their own. */
const longOf = ({ connections }: GroupState, share: Share): number =>
  connections.filter(
    ({ stuck, session: { inFlight } }) =>
      !stuck && inFlight.some((pending) => pending.share === share && pending.expectedMs >= longMs),
  ).length

/** Whether enough of the share's statements with this name are stuck to expect the same of the next one. */
function hasStuck({ connections }: GroupState, share: Share, name: string): boolean {
  const stuck = connections.filter(
    (each) => each.stuck && each.head?.share === share && each.head.statement.name === name,
  )
  return stuck.length >= stuckOfShareMax
}

/** An idle connection, unless enough statements with this name are being tried already or are stuck. */
function chooseForSuspect(
  { connections, max, extraMax, areReads }: GroupState,
  share: Share,
  name: string,
): Connection | undefined {
  let stuck = 0
  let tried = 0
  let busy = 0
  let idle: Connection | undefined
  for (const connection of connections) {
    if (connection.depth > 0) busy++
    else if (connection.accepts) idle = connection
    if (connection.stuck && connection.head?.statement.name === name) stuck++
    else if (connection.session.inFlight.some(({ statement }) => statement.name === name)) tried++
  }
  const stuckMax = areReads ? stuckReadsMax : Math.ceil((max + extraMax) / 2)
  const triedMax = areReads ? 1 : triedChangesMax
  const reserve = Math.ceil(max / 8) // For statements that are no suspects.
  // The lock may be on a row that only others want.
  const isNew = !areReads && share.stuck === 0
  const mayTry = (stuck < stuckMax || isNew) && tried < triedMax && max + extraMax - busy > reserve
  if (idle === undefined || !mayTry) return undefined
  idle.alone = true
  return idle
}
