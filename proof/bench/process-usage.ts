/** What Linux reports about a process in /proc. */
import { readdirSync, readFileSync } from 'node:fs'

/** `VmRSS` is the resident memory now, `VmHWM` its peak. */
export function memoryMb(pid: number, kind: 'VmRSS' | 'VmHWM'): number {
  const [, kilobytes] = new RegExp(`^${kind}:\\s+(\\d+) kB`, 'm').exec(read(pid, 'status')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}

/** What the process does not share with others: of a session of PostgreSQL, all but the shared buffers. */
export function ownMemoryMb(pid: number): number {
  const parts = read(pid, 'smaps_rollup').matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm)
  return parts.reduce((sum, [, kilobytes]) => sum + Number(kilobytes), 0) / 1024
}

/** CPU time of all threads that are still running, in steps much finer than ticks. Throws if the process is gone. */
export function cpuMs(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  return threads.reduce((sum, thread) => sum + Number(read(pid, `task/${thread}/schedstat`).split(' ')[0]), 0) / 1e6
}

/** With PROCESSES, the service has several processes. */
export function childrenOf(pid: number): number[] {
  try {
    return read(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number)
  } catch {
    return []
  }
}

const read = (pid: number, file: string): string => readFileSync(`/proc/${pid}/${file}`, 'utf8')
