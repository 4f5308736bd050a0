/** CPU use of PostgreSQL, the service and the load generator, in CPU seconds per second. */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { childrenOf, cpuMs } from '../process-usage.ts'

export interface Cpu {
  readonly postgres: number
  readonly service: number
  readonly load: number
}

/**
 * Takes two samples, after a fifth and after four fifths of the load: when pgbench ends, its backends and their figures
 * are gone. PostgreSQL is all backends of this database and the server's own processes; on another machine it counts 0.
 */
export async function watchCpu(
  session: Client,
  { after: begin, seconds }: { after: number; seconds: number },
  pids: { readonly service?: number | undefined; readonly load: number },
): Promise<Cpu> {
  await sleep((begin + seconds * 0.2) * 1000)
  const before = await takeTimes(session, pids)
  await sleep(seconds * 600)
  const after = await takeTimes(session, pids)
  const used = (kind: keyof Cpu): number => {
    let ms = 0
    for (const [pid, now] of after[kind]) ms += Math.max(0, now - (before[kind].get(pid) ?? now))
    return ms / (after.at - before.at)
  }
  return { postgres: used('postgres'), service: used('service'), load: used('load') }
}

/** CPU time that the hypervisor gave to others (steal), and all CPU time, since boot. A busy host shows here. */
export function stolenTicks(): { stolen: number; all: number } {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n')
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number)
    return { stolen: ticks[7] ?? 0, all: ticks.reduce((sum, n) => sum + n, 0) }
  } catch {
    return { stolen: 0, all: 0 }
  }
}

type Times = ReadonlyMap<number, number>

async function takeTimes(
  session: Client,
  { service, load }: { readonly service?: number | undefined; readonly load: number },
): Promise<{ readonly at: number } & Readonly<Record<keyof Cpu, Times>>> {
  const { rows } = await session.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where (datname = current_database() or datname is null) and pid <> pg_backend_pid()`,
  )
  const timesOf = (pids: readonly number[]): Times => new Map(pids.map((pid) => [pid, timeIfRunning(pid)]))
  return {
    at: performance.now(),
    postgres: timesOf(rows.map(({ pid }) => pid)),
    service: timesOf(service === undefined ? [] : [service, ...childrenOf(service)]),
    load: timesOf([load]),
  }
}

function timeIfRunning(pid: number): number {
  try {
    return cpuMs(pid)
  } catch {
    return 0
  }
}
