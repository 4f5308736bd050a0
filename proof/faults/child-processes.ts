import { globSync, readFileSync } from 'node:fs'

/** The processes that a process has started and that still run. */
export function childProcesses(parent: number): number[] {
  return globSync('/proc/[0-9]*/stat').flatMap((file) => {
    try {
      // pid (name) state parent …; the name may contain anything.
      const fields = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ')
      return Number(fields?.[1]) === parent ? [Number(file.split('/')[2])] : []
    } catch {
      return [] // It has ended.
    }
  })
}

/** Sends a signal to a process, if it still runs. */
export function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
