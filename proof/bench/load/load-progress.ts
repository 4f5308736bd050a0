/** Progress of a load: the step, percent, rows per second and the time left. */
import type { WriteStream } from 'node:tty'

export interface LoadProgress {
  begin(step: string, total: number): { add: (rows: number) => void; end: () => void }
  done(message: string): void
}

const showEveryMs = 500
const logEveryMs = 10_000 // Without a terminal, lines are not overwritten, so there are fewer.

export function makeLoadProgress(out: WriteStream): LoadProgress {
  const started = performance.now()
  const everyMs = out.isTTY ? showEveryMs : logEveryMs
  const over = out.isTTY ? '\r\u001B[2K' : ''

  function begin(step: string, total: number): ReturnType<LoadProgress['begin']> {
    const begun = performance.now()
    let shown = begun
    let rows = 0
    const report = (): string => {
      const seconds = (performance.now() - begun) / 1000
      const left = rows === 0 ? '?' : Math.ceil((seconds * (total - rows)) / rows)
      return `${step}: ${Math.floor((rows / total) * 100)} %, ${perSecond(rows, seconds)}, ${left} s left`
    }
    if (out.isTTY) out.write(step)
    return {
      add: (more) => {
        rows += more
        if (performance.now() - shown < everyMs) return
        shown = performance.now()
        out.write(`${over}${report()}${out.isTTY ? '' : '\n'}`)
      },
      end: () => {
        const seconds = (performance.now() - begun) / 1000
        out.write(
          `${over}${step}: ${rows.toLocaleString('en')} in ${seconds.toFixed(1)} s, ${perSecond(rows, seconds)}\n`,
        )
      },
    }
  }

  return {
    begin,
    done: (message) => void out.write(`${message} ${((performance.now() - started) / 1000).toFixed(0)} s.\n`),
  }
}

export const noLoadProgress: LoadProgress = {
  begin: () => ({ add: () => undefined, end: () => undefined }),
  done: () => undefined,
}

function perSecond(rows: number, seconds: number): string {
  return `${Math.round(rows / seconds).toLocaleString('en')}/s`
}
