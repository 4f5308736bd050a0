/**
 * The connections for one kind of statement, reading or writing, and the queue in front of them. A statement waits in the
 * queue until a connection can take it, so a connection that is lost, stuck or not open yet attracts nothing.
 */
import pg from 'pg'
import { treatmentOf } from '../classify.ts'
import { chooseConnection, isHeld, longMs, type GroupLimits, type GroupState } from './choose-connection.ts'
import { Connection } from './connection.ts'
import type { ReplacedReason } from './driver.ts'
import { FairQueue, type Pending, type Share } from './fair-queue.ts'
import type { LeftBehind, ServerSession } from './left-behind.ts'
import type { OpenedClient } from './open-client.ts'
import { Opener } from './opener.ts'
import { CallerGone, DatabaseTrouble } from '../trouble.ts'

export interface GroupSettings extends GroupLimits {
  readonly open: () => Promise<OpenedClient>
  readonly ageMaxMs: number
  /** Sweeps without an answer after which the server counts as gone. */
  readonly silentSweeps: number
  readonly leftBehind: LeftBehind
  /** Cancels what the session executes, if that waits for a lock. */
  readonly cancelWaiting: (session: ServerSession) => void
  /** The server has refused a change because it is read-only. */
  readonly onReadOnly: () => void
  readonly onReplaced: (reason: ReplacedReason) => void
}

export const sweepEveryMs = 25
const stuckSweepsMin = 2 // So after 50 to 75 ms. One would not do: our own event loop may have been blocked.
const stuckFactor = 4 // On a busy machine everything takes long, and nothing is stuck.
const repeatsMax = 5 // A statement that is sent again that often through no fault of its own meets a fault that stays.
const idleKept = 4 // Idle connections that stay open for the next burst,
const idleMaxMs = 60_000
const restMs = 10 * 60_000 // unless there was none for so long.
const unknownMs = longMs / 2 // Of a statement that has not run yet: two of them may be in flight on one connection.
const othersMs = 1 // A few short reads in the last ten seconds.
const blockedAfterMs = 1_000 // Longer than most slow statements take.
const quickMs = 3 // Above what a change takes on a busy processor now and then, below what a wait for another server takes.
const quickOnesMin = 0.02 // A busy 2-core machine has 4 to 14 %; with 5 ms added to each commit, none.
const judgedMin = 50 // Fewer statements in a second are no load.
const connectionsIfQuick = 1 / 3 // Six of 16: on two cores, ten and 16 reach less (decision 4).
const lateMs = 500 // PostgreSQL's own timeout usually ends an overdue statement first, and says more.

export class ConnectionGroup implements GroupState {
  readonly queue = new FairQueue()
  readonly extraMax: number
  readonly depthMax: number
  readonly areReads: boolean
  readonly connections: Connection[] = []
  /** With the time at which a stuck one last succeeded: a name that is slow, not blocked, is a load. */
  readonly suspects = new Map<string, number>()
  inFlight = 0
  stuck = 0
  readonly #settings: GroupSettings
  readonly #opener: Opener
  readonly #fits = (pending: Pending): boolean => (this.#chosen = this.#connectionFor(pending)) !== undefined
  #chosen: Connection | undefined
  #retry: NodeJS.Timeout | undefined
  #closed = false
  #ended = 0
  /** How long statements take lately, without the time before their connection gets to them. */
  #usualMs = 0
  readonly #usualMsOf = new Map<string, number>()
  /** Since the last measurement: how long there was work, and since when there has been some. */
  #busyMs = 0
  #busySince = 0
  /** In this second: statements that succeeded, and those of them that were quick. */
  #succeeded = 0
  #quick = 0
  #areSlow = false

  constructor(settings: GroupSettings) {
    this.#settings = settings
    this.extraMax = settings.extraMax
    this.depthMax = settings.depthMax
    this.areReads = settings.areReads
    this.#opener = new Opener(settings.open)
  }

  readonly usualMsOf = (name: string): number => this.#usualMsOf.get(name) ?? unknownMs

  readonly isShared = ({ key, recentMs }: Share): boolean => this.queue.usedLately(key).byAll - recentMs > othersMs

  /** Fewer as long as changes end quickly: then each further session in use at once costs more than it brings. */
  get max(): number {
    const { max } = this.#settings
    return this.areReads || this.#areSlow || this.stuck > 0 || this.suspects.size > 0
      ? max
      : Math.ceil(max * connectionsIfQuick)
  }

  get isIdle(): boolean {
    return this.inFlight === 0 && this.queue.length === 0
  }

  submit(pending: Pending): void {
    if (this.#isOver(pending, pending.queuedAt)) return
    if (this.isIdle) this.#busySince = pending.queuedAt
    const connection = this.queue.length === 0 ? this.#connectionFor(pending) : undefined
    if (connection !== undefined) {
      this.#send(connection, pending)
      return
    }
    this.queue.push(pending)
    this.#dispatch()
  }

  /** Ends a statement that must not be sent any more. */
  #isOver(pending: Pending, now: number): boolean {
    const { caller, deadline } = pending
    if (caller?.isGone() === true) pending.reject(new CallerGone())
    else if (this.#closed) pending.reject(new DatabaseTrouble('unavailable'))
    else if (now >= deadline) pending.reject(new DatabaseTrouble('busy'))
    else return false
    return true
  }

  #connectionFor(pending: Pending): Connection | undefined {
    const chosen = chooseConnection(this, pending)
    // It need not wait for another connection, but the next ones should have it.
    if (chosen !== undefined && chosen.depth > 0 && this.connections.length + this.#opener.opening < this.max)
      this.#openOne()
    return chosen
  }

  #send(connection: Connection, pending: Pending): void {
    if (connection.depth === 0) connection.headSince = performance.now()
    this.inFlight++
    pending.share.inFlight++
    pending.expectedMs = this.usualMsOf(pending.statement.name)
    connection.aheadMs += pending.expectedMs
    connection.session.send(pending)
  }

  #dispatch(): void {
    while (this.queue.length > 0 && this.#hasRoom()) {
      const pending = this.queue.take(this.#fits)
      const connection = this.#chosen
      if (pending === undefined || connection === undefined) break
      if (!this.#isOver(pending, performance.now())) this.#send(connection, pending)
      else connection.alone = connection.alone && connection.depth > 0
    }
    if (this.queue.length > 0) this.#openMore()
  }

  #hasRoom(): boolean {
    return this.connections.some(({ depth, accepts }) => depth < this.depthMax && accepts)
  }

  #openMore(): void {
    // Where one is idle, the statements in the queue wait for something else.
    if (this.connections.some(({ accepts, depth }) => accepts && depth === 0)) return
    const unusable = this.connections.filter(({ stuck, alone }) => stuck || alone).length
    const long = this.areReads ? this.connections.filter(({ stuck, aheadMs }) => !stuck && aheadMs >= longMs).length : 0
    const limit = this.max + Math.min(unusable + Math.min(long, this.max), this.extraMax)
    const staying = this.connections.filter(({ retiring }) => retiring === undefined).length
    while (staying + this.#opener.opening < limit && this.#opener.opening < this.queue.length && this.#openOne());
  }

  #openOne(): boolean {
    const waitMs = this.#opener.waitMs(performance.now())
    if (this.#closed) return false
    if (waitMs > 0) {
      this.#retry ??= setTimeout(() => {
        this.#retry = undefined
        this.#dispatch()
      }, waitMs)
      return false
    }
    void this.#open()
    return true
  }

  async #open(): Promise<void> {
    try {
      const opened = await this.#opener.start()
      const ageMs = this.#settings.ageMaxMs * (0.5 + Math.random())
      const connection: Connection = new Connection(opened, performance.now() + ageMs, {
        ended: (pending) => this.#onEnded(connection, pending),
        closed: (inFlight) => this.#onClosed(connection, inFlight),
      })
      this.connections.push(connection)
      if (this.#closed) connection.retire('idle')
    } catch (error) {
      if (this.connections.length === 0 && this.#opener.opening === 0) this.#rejectAll(error)
    }
    this.#dispatch()
  }

  #rejectAll(cause: unknown): void {
    this.queue.drop((pending) => {
      pending.reject(cause instanceof DatabaseTrouble ? cause : new DatabaseTrouble('unavailable', { cause }))
      return true
    })
  }

  #onEnded(connection: Connection, pending: Pending): void {
    const now = performance.now()
    const tookMs = now - connection.headSince
    const { name } = pending.statement
    const usualMs = this.usualMsOf(name)
    this.queue.charge(pending.share, tookMs - connection.chargedMs)
    connection.chargedMs = 0
    // A single long wait hardly counts, but if all take longer, that is how long they take.
    this.#usualMs += (Math.min(tookMs, 2 * this.#usualMs + 10) - this.#usualMs) / 32
    this.#usualMsOf.set(name, usualMs + (Math.min(tookMs, 2 * usualMs + 10) - usualMs) / 8)
    connection.headSince = now
    connection.aheadMs = connection.depth === 0 ? 0 : connection.aheadMs - pending.expectedMs
    connection.ended++
    connection.alone = false
    this.inFlight--
    this.#ended++
    pending.share.inFlight--
    if (this.suspects.size > 0) this.#clear(connection, pending, now)
    if (connection.stuck) this.#setStuck(connection, pending.share, false)
    if (connection.depth === 0) connection.idleSince = now
    if (pending.error === undefined) {
      this.#succeeded++
      if (tookMs < quickMs) this.#quick++
      pending.resolve(pending.rows)
    } else this.#treat(connection, pending, pending.error)
    if (connection.retiring !== undefined) connection.closeIfDone()
    if (this.queue.length > 0) this.#dispatch()
    if (this.isIdle) this.#busyMs += now - this.#busySince
  }

  /** A suspect that has ended quickly is none any more; one that has succeeded slowly was not blocked. */
  #clear({ stuck }: Connection, { statement: { name }, error }: Pending, now: number): void {
    if (error === undefined && this.#isBlocked(name, now)) this.queue.unblock(name, now)
    if (!stuck) this.suspects.delete(name)
    else if (error === undefined && this.suspects.has(name)) this.suspects.set(name, now)
  }

  #treat(connection: Connection, pending: Pending, error: Error): void {
    const treatment = connection.gaveWay && isCancelled(error) ? 'repeat' : treatmentOf(error)
    if (treatment === 'prepare again') connection.session.forget(pending.statement.name)
    if (treatment === 'replace') connection.retire('server')
    if (treatment === 'replace, read-only') this.#settings.onReadOnly()
    if (treatment === 'prepare again' || treatment === 'replace, read-only' || treatment === 'repeat')
      this.#repeat(pending, error)
    else pending.reject(error)
  }

  /** Only for what certainly was not executed, and for reads. */
  #repeat(pending: Pending, error: Error): void {
    if (pending.isIgnored) return
    if (pending.repeats >= repeatsMax) {
      pending.reject(error)
      return
    }
    pending.reset()
    this.queue.pushFirst(pending)
  }

  #onClosed(connection: Connection, inFlight: readonly Pending[]): void {
    const at = this.connections.indexOf(connection)
    if (at >= 0) this.connections.splice(at, 1)
    this.inFlight -= inFlight.length
    const [head, ...behind] = inFlight
    for (const { share } of inFlight) share.inFlight--
    if (connection.stuck && head) this.#setStuck(connection, head.share, false)
    if (!this.#closed) this.#settings.onReplaced(connection.retiring ?? 'lost')
    head?.reject(head.error ?? connectionLost())
    // The server works in order: after an error that ends the session, nothing further was executed.
    const ended = isFatal(head?.error)
    for (const pending of behind.toReversed())
      if (pending.statement.reads || ended) this.#repeat(pending, connectionLost())
      else pending.reject(connectionLost())
    this.#dispatch()
  }

  #setStuck(connection: Connection, share: Share, stuck: boolean): void {
    const step = stuck ? 1 : -1
    connection.stuck = stuck
    share.stuck += step
    this.stuck += step
  }

  /** Many times a second while there is work: finds what is stuck, and ends what has waited too long. */
  sweep(now: number): void {
    const stuckSweeps = Math.max(stuckSweepsMin, Math.ceil((stuckFactor * this.#usualMs) / sweepEveryMs))
    for (const connection of this.connections) this.#sweepConnection(connection, stuckSweeps, now)
    this.queue.drop((pending) => this.#isOver(pending, now))
    this.#dispatch()
  }

  #sweepConnection(connection: Connection, stuckSweeps: number, now: number): void {
    connection.sweep()
    const { head } = connection
    if (head === undefined) return
    const uncharged = now - connection.headSince - connection.chargedMs
    this.queue.charge(head.share, uncharged)
    connection.chargedMs += uncharged
    if (connection.sweeps >= stuckSweeps && !connection.stuck) {
      this.#setStuck(connection, head.share, true)
      if (!this.suspects.has(head.statement.name)) this.suspects.set(head.statement.name, -Infinity)
      if (this.areReads) this.#sendElsewhere(connection)
      else if (connection.depth > 1) this.#giveWay(connection)
    }
    for (const pending of connection.session.inFlight)
      if (now > pending.deadline + lateMs) pending.reject(lateness(pending))
    if (connection.sweeps > this.#settings.silentSweeps) this.#abandon(connection)
  }

  /** Reads that were sent behind a statement that is now stuck. Their answers on this connection are ignored. */
  #sendElsewhere({ session: { inFlight } }: Connection): void {
    for (let i = inFlight.length - 1; i > 0; i--) {
      const pending = inFlight[i]
      if (pending?.statement.reads !== true || pending.repeats >= repeatsMax) continue
      inFlight[i] = pending.ignored()
      pending.reset()
      this.queue.pushFirst(pending)
    }
  }

  /** Changes cannot be sent elsewhere, so the one that is stuck is cancelled and sent again, alone. */
  #giveWay(connection: Connection): void {
    connection.gaveWay = true
    this.#settings.cancelWaiting(connection.server)
  }

  /**
   * PostgreSQL cancels a statement that takes too long, so a connection in use is heard from at least that often.
   * Otherwise the other side is gone without notice, and TCP may take hours to find out; or the commit waits for a standby.
   * In that case the server keeps the session, so a limited number is left behind; further ones are waited for, until the
   * program ends.
   */
  #abandon(connection: Connection): void {
    const { leftBehind } = this.#settings
    if (leftBehind.size >= this.max && !this.#closed) return
    leftBehind.add(connection.server)
    connection.retiring = 'silent'
    connection.session.destroy()
  }

  /** Once a second. */
  maintain(now: number): void {
    this.#judgeSpeed()
    this.queue.decay()
    const isResting = this.connections.every(({ idleSince, depth }) => depth === 0 && now - idleSince > restMs)
    const kept = this.areReads ? this.max : Math.min(idleKept, this.max)
    let spare = this.connections.length - (isResting ? 0 : kept)
    for (const connection of this.connections.toReversed()) {
      if (now > connection.expiresAt) connection.retire('age')
      else if (spare > 0 && connection.depth === 0 && now - connection.idleSince > idleMaxMs) {
        spare--
        connection.retire('idle')
      }
    }
  }

  /** If hardly any change ends quickly, all wait for something that is not the processor: a standby, or a slow disk. */
  #judgeSpeed(): void {
    if (this.#succeeded >= judgedMin) this.#areSlow = this.#quick < this.#succeeded * quickOnesMin
    this.#succeeded = 0
    this.#quick = 0
  }

  replaceAll(reason: ReplacedReason, which: (connection: Connection) => boolean = () => true): void {
    for (const connection of this.connections) if (which(connection)) connection.retire(reason)
  }

  expectedWaitMs(): number {
    const now = performance.now()
    // A pause before a burst says nothing of the pace.
    const busyMs = this.#busyMs + (this.isIdle ? 0 : now - this.#busySince)
    const { since, length } = this.queue.waitingSince((pending) => this.#isLoad(pending, now))
    const outstanding = length + this.inFlight - this.#behindStuck()
    // Where none waits, a few long ones in flight make nobody wait.
    const atThisPaceMs = length > 0 && this.#ended > 0 ? (outstanding / this.#ended) * busyMs : 0
    this.#busyMs = 0
    this.#busySince = now
    this.#ended = 0
    return Math.max(atThisPaceMs, length > 0 ? now - since : 0)
  }

  /** Statements that are stuck, and those sent behind them before anyone knew: they say nothing of the others' wait. */
  #behindStuck(): number {
    return this.connections.reduce((sum, { stuck, depth }) => sum + (stuck ? depth : 0), 0)
  }

  /** Statements that wait for others of their own share, or for a lock, say nothing of how long another would wait. */
  #isLoad({ share, statement: { name } }: Pending, now: number): boolean {
    return !this.#isBlocked(name, now) && !isHeld(this, share, name)
  }

  #isBlocked(name: string, now: number): boolean {
    const succeededAt = this.suspects.get(name)
    return succeededAt !== undefined && now - succeededAt > blockedAfterMs
  }

  state(): { open: number; busy: number; stuck: number; queued: number } {
    return {
      open: this.connections.length,
      busy: this.connections.filter(({ depth }) => depth > 0).length,
      stuck: this.stuck,
      queued: this.queue.length,
    }
  }

  /** Statements in flight may end; those in the queue fail. */
  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#rejectAll(undefined)
    await Promise.all(
      this.connections.map(
        (connection) =>
          new Promise<void>((resolve) => {
            connection.client.once('end', () => resolve())
            connection.retire('idle')
          }),
      ),
    )
  }
}

const isFatal = (error: Error | undefined): boolean =>
  error instanceof pg.DatabaseError && (error.severity === 'FATAL' || error.severity === 'PANIC')

/** By us, or because it was overdue; its deadline tells which. */
const isCancelled = (error: Error): boolean => error instanceof pg.DatabaseError && error.code === '57014'

const connectionLost = (): Error => new DatabaseTrouble('unavailable', { cause: new Error('Connection terminated') })

/** A read that is late has certainly changed nothing. */
const lateness = ({ statement }: Pending): Error => new DatabaseTrouble(statement.reads ? 'busy' : 'unavailable')
