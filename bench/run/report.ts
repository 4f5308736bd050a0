/** What was measured, as a table, as data and as a picture. */
import type { AtHalf, Measurement, Round } from './measure.ts'
import { median } from './median.ts'
import type { MemorySample } from './soak.ts'

export interface Result {
  readonly operation: string
  /** Medians over the rounds, in operations a second. */
  readonly bare: number | null
  readonly service: number
  /** The median of the rounds' ratios: noise that met both sides of a round cancels out. */
  readonly ratio: number | null
  readonly p50_ms: number
  readonly p99_ms: number
}

export interface FullResult extends Result {
  /** CPU microseconds an operation, medians. */
  readonly cpu_us: {
    readonly bare_postgres: number | null
    readonly postgres: number
    readonly service: number
    readonly load: number
  }
  /** Half as much was asked as can be answered; a journey is not paced. */
  readonly half: AtHalf | null
  readonly rounds: readonly Round[]
}

export function resultOf(operation: string, { rounds, half }: Measurement): FullResult {
  const ratios = ratiosOf(rounds)
  const over = (of: (round: Round) => number): number => median(rounds.map(of))
  return {
    operation,
    bare: ratios.length === 0 ? null : Math.round(over(({ bare = 0 }) => bare)),
    service: Math.round(over(({ service }) => service)),
    ratio: ratios.length === 0 ? null : rounded(median(ratios), 3),
    p50_ms: rounded(
      over(({ p50_ms }) => p50_ms),
      2,
    ),
    p99_ms: rounded(
      over(({ p99_ms }) => p99_ms),
      2,
    ),
    cpu_us: {
      bare_postgres: ratios.length === 0 ? null : over(({ cpu }) => cpu.barePostgres ?? 0),
      postgres: over(({ cpu }) => cpu.postgres),
      service: over(({ cpu }) => cpu.service),
      load: over(({ cpu }) => cpu.load),
    },
    half: half ?? null,
    rounds,
  }
}

export const ratiosOf = (rounds: readonly Round[]): number[] =>
  rounds.flatMap(({ bare, service }) => (bare === undefined ? [] : [service / bare]))

export const plain = ({ operation, bare, service, ratio, p50_ms, p99_ms }: FullResult): Result => ({
  operation,
  bare,
  service,
  ratio,
  p50_ms,
  p99_ms,
})

const columns = [
  'operation',
  'bare/s',
  'service/s',
  'ratio',
  'p50 ms',
  'p99 ms',
  'bare PG µs',
  'PG µs',
  'node µs',
  'wrk µs',
  'half: p50',
  'p99',
  'bare p50',
  'p99',
]
const widths = [20, 8, 10, 6, 8, 8, 11, 7, 8, 7, 10, 7, 9, 7]

export const header = (): string => row(columns)

export function lineOf({ operation, bare, service, ratio, p50_ms, p99_ms, cpu_us, half }: FullResult): string {
  const cells = [
    bare,
    service,
    ratio?.toFixed(2),
    p50_ms.toFixed(1),
    p99_ms.toFixed(1),
    ...Object.values(cpu_us),
    half?.p50_ms.toFixed(1),
    half?.p99_ms.toFixed(1),
    half?.bare_p50_ms.toFixed(1),
    half?.bare_p99_ms.toFixed(1),
  ]
  return row([operation, ...cells.map((cell) => (cell ?? '').toLocaleString('en'))])
}

function row(cells: readonly string[]): string {
  return `${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(' ')}\n`
}

/** Bars of both sides for each operation, each pair to its own scale: operations differ a hundredfold. */
export function plot(results: readonly FullResult[], title: string): string {
  const left = 170
  const width = 480
  const top = 44
  const height = 46
  const pairs = results.map(({ operation, bare, service, ratio }, n) => {
    const scale = width / Math.max(bare ?? 0, service)
    const y = top + n * height
    const bar = (value: number, offset: number, colour: string, note: string): string =>
      `<rect x="${left}" y="${y + offset}" width="${(value * scale).toFixed(1)}" height="15" fill="${colour}"/>` +
      `<text x="${left + value * scale + 6}" y="${y + offset + 12}">${value.toLocaleString('en')}/s${note}</text>`
    return [
      `<text x="${left - 10}" y="${y + 20}" text-anchor="end" font-weight="bold">${operation}</text>`,
      ...(bare === null ? [] : [bar(bare, 0, '#b9c4cf', '')]),
      bar(service, bare === null ? 8 : 17, '#2f6f9f', ratio === null ? '' : ` · ${ratio.toFixed(2)} of bare`),
    ].join('')
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 190}" height="${top + results.length * height + 10}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    `<text x="10" y="24" font-size="15">${title}: PostgreSQL alone (grey) and through the service (blue)</text>`,
    ...pairs,
    '</svg>\n',
  ].join('\n')
}

/** Memory over time, with the 200 MB that a process should stay below. */
export function plotMemory(samples: readonly MemorySample[]): string {
  const [left, top, width, height] = [50, 30, 570, 120]
  const last = samples.at(-1)?.second ?? 1
  const most = Math.max(memoryGoalMb, ...samples.map(({ rss_mb }) => rss_mb)) * 1.05
  const y = (megabytes: number): string => (top + height * (1 - megabytes / most)).toFixed(1)
  const points = samples.map(({ second, rss_mb }) => `${(left + (second / last) * width).toFixed(1)},${y(rss_mb)}`)
  const level = (megabytes: number, style: string): string =>
    `<line x1="${left}" x2="${left + width}" y1="${y(megabytes)}" y2="${y(megabytes)}" ${style}/>` +
    `<text x="${left - 6}" y="${y(megabytes)}" text-anchor="end">${megabytes}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${left + width + 20}" height="${top + height + 30}" font-family="sans-serif" font-size="12">`,
    '<rect width="100%" height="100%" fill="white"/>',
    '<text x="10" y="18" font-size="15">Resident memory of one process under full load, MB</text>',
    level(0, 'stroke="#888"'),
    level(memoryGoalMb, 'stroke="#c0504d" stroke-dasharray="4 3"'),
    `<polyline fill="none" stroke="#2f6f9f" stroke-width="1.5" points="${points.join(' ')}"/>`,
    `<text x="${left + width}" y="${top + height + 18}" text-anchor="end">${last} s</text>`,
    '</svg>\n',
  ].join('\n')
}

const memoryGoalMb = 200

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}
