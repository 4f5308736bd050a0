/** Progress as a bar on a terminal, or as a line from time to time without one. */
import { formatBytes, formatCount, formatDuration } from './format.ts'
import type { Stream } from './output.ts'

export interface Progress {
  /** `total` is unknown for a pipe. */
  readonly show: (phase: string, done: number, total: number | undefined) => void
  /** Removes the bar. */
  readonly end: () => void
}

type Unit = 'bytes' | 'rows'

const barEveryMs = 100
const lineEveryMs = 10_000
const barWidths = { min: 4, max: 30 }

export const noProgress: Progress = { show: () => undefined, end: () => undefined }

export function makeProgress(stream: Stream, unitOf: (phase: string) => Unit, now = () => performance.now()): Progress {
  let phase = ''
  let began = 0
  let doneThen = 0
  let shownAt = -Infinity
  const onTerminal = stream.isTTY === true
  return {
    show: (next, done, total) => {
      const at = now()
      if (next !== phase) [phase, began, doneThen, shownAt] = [next, at, done, -Infinity]
      if (at - shownAt < (onTerminal ? barEveryMs : lineEveryMs)) return
      shownAt = at
      const seconds = (at - began) / 1000
      const moment = { done, total, unit: unitOf(phase), rate: seconds > 0 ? (done - doneThen) / seconds : 0 }
      stream.write(onTerminal ? `\r${bar(phase, moment, stream.columns ?? 80)}\u001B[K` : `${line(phase, moment)}\n`)
    },
    end: () => void (onTerminal && phase !== '' && stream.write('\r\u001B[K')),
  }
}

interface Moment {
  readonly done: number
  readonly total: number | undefined
  readonly unit: Unit
  /** Per second. */
  readonly rate: number
}

/** One column less than the terminal has, so that terminals do not wrap the line. */
function bar(phase: string, moment: Moment, columns: number): string {
  const name = phase.padEnd('receiving'.length)
  const figures = figuresOf(moment).join('  ')
  const share = shareOf(moment)
  if (share === undefined) return `${name}  ${figures}`.slice(0, columns - 1)
  const room = columns - 1 - name.length - figures.length - 4
  const width = Math.max(barWidths.min, Math.min(barWidths.max, room))
  const full = Math.floor(share * width)
  return `${name}  ${'█'.repeat(full)}${'░'.repeat(width - full)}  ${figures}`.slice(0, columns - 1)
}

const line = (phase: string, moment: Moment): string => `${phase}: ${figuresOf(moment).join(', ').trim()}`

const shareOf = ({ done, total = 0 }: Moment): number | undefined =>
  total === 0 ? undefined : Math.min(1, done / total)

/** With seconds, if it is less than an hour. */
const remaining = (seconds: number): string =>
  seconds >= 60 && seconds < 3_600 ? `${Math.floor(seconds / 60)} min ${seconds % 60} s` : formatDuration(seconds)

function figuresOf(moment: Moment): string[] {
  const { done, total = 0, unit, rate } = moment
  const amount = unit === 'bytes' ? formatBytes : formatCount
  const share = shareOf(moment)
  return [
    ...(share === undefined ? [] : [`${Math.floor(share * 100)}%`.padStart(4)]),
    `${amount(done)}${total === 0 ? '' : ` of ${amount(total)}`}${unit === 'rows' ? ' rows' : ''}`,
    ...(rate > 0 ? [`${amount(rate)}/s`] : []),
    ...(rate > 0 && done < total ? [`${remaining(Math.ceil((total - done) / rate))} left`] : []),
  ]
}
