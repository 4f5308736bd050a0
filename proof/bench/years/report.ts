/** The texts that `years` prints. */
import type { MonthSample, OperationCost, Years } from './years-result.ts'
import type { TableSizes } from './table-sizes.ts'

const megabytes = (bytes: number): string => (bytes / 1024 ** 2).toFixed(1)
const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

export function monthLine({ day, bytes }: MonthSample, sizes: TableSizes, done: Years['done']): string {
  const rows = sum(Object.values(sizes).map((size) => size.rows))
  const placed = (done['orders'] ?? 0).toLocaleString('en')
  return `day ${day}: ${placed} orders, ${rows.toLocaleString('en')} rows, ${megabytes(sum(Object.values(bytes)))} MB\n`
}

const smallBytes = 256 * 1024 // Tables and indexes of a few pages say nothing about bloat.
const bloatedFrom = 1.5

/** Tables by size, without those that are empty or tiny and were never updated; then the indexes with the most bloat. */
export function tablesText({
  tables: { first, half, aged, rebuilt },
  indexes,
  updates,
  vacuums,
}: Omit<Years, 'costs'>): string {
  const bytes = (sizes: TableSizes, name: string): number => (sizes[name]?.heap ?? 0) + (sizes[name]?.indexes ?? 0)
  const updatesOf = new Map(updates.map((one) => [one.table, one]))
  const names = Object.keys(aged)
    .filter((name) => bytes(aged, name) > smallBytes || (updatesOf.get(name)?.updates ?? 0) > 0)
    .toSorted((a, b) => bytes(aged, b) - bytes(aged, a))
  const pair = (sizes: TableSizes, name: string): string =>
    `${megabytes(sizes[name]?.heap ?? 0)}+${megabytes(sizes[name]?.indexes ?? 0)}`
  const lines = names.map((name) => {
    const { updates: changed = 0, hot = 0 } = updatesOf.get(name) ?? {}
    const { rows = 0 } = aged[name] ?? {}
    return line([
      name,
      (first[name]?.rows ?? 0).toLocaleString('en'),
      rows.toLocaleString('en'),
      pair(first, name),
      pair(half, name),
      pair(aged, name),
      rows === 0 ? '' : Math.round(bytes(aged, name) / rows).toLocaleString('en'),
      rows === 0 ? '' : Math.round(bytes(rebuilt, name) / rows).toLocaleString('en'),
      ratio(aged[name]?.heap, rebuilt[name]?.heap),
      ratio(aged[name]?.indexes, rebuilt[name]?.indexes),
      changed.toLocaleString('en'),
      changed === 0 ? '' : `${Math.round((hot / changed) * 100)} %`,
      String(vacuums[name] ?? 0),
    ])
  })
  const rebuiltIndex = new Map(indexes.rebuilt.map(({ index, bytes: size }) => [index, size]))
  const bloated = indexes.aged
    .map((one) => ({ ...one, times: one.bytes / (rebuiltIndex.get(one.index) ?? one.bytes) }))
    .filter(({ bytes: size, times }) => size > smallBytes && times >= bloatedFrom)
    .toSorted((a, b) => b.times - a.times)
    .map(
      ({ index, bytes: size, times }) =>
        `${index}: ${megabytes(size)} MB, ${times.toFixed(2)} times its rebuilt size\n`,
    )
  return [line(titles), ...lines, '\n', ...bloated].join('')
}

const titles = [
  'table', 'rows', 'rows at end', 'first MB', 'half MB', 'end MB', 'bytes/row', 'rebuilt', 'heap', 'indexes', 'updates',
  'HOT', 'vacuums',
] // prettier-ignore

const ratio = (aged = 0, rebuilt = 0): string => (rebuilt === 0 ? '' : (aged / rebuilt).toFixed(2))
const widths = [26, 9, 12, 12, 12, 12, 10, 8, 6, 8, 10, 6, 8]
const line = (cells: readonly string[]): string =>
  `${cells.map((cell, n) => (n === 0 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join('')}\n`

const costRow = (name: string, cells: readonly string[]): string =>
  `${name.padEnd(20)}${cells.map((cell) => cell.padStart(12)).join('')}\n`

export const costTitle = `\n${costRow('PG µs', ['first', 'end', 'rebuilt', 'end/first', 'end/rebuilt'])}`

export const costLine = (cost: OperationCost): string =>
  costRow(cost.operation, [
    ...[cost.first_us, cost.aged_us, cost.rebuilt_us].map((us) => us.toLocaleString('en')),
    cost.aged_to_first.toFixed(2),
    cost.aged_to_rebuilt.toFixed(2),
  ])
