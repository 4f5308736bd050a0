/** Lists with a limit, and a note if there are more rows. */
import { wholeNumber, type Call, type Options } from './command.ts'
import type { Column } from './table.ts'

const limitDefault = 100 // A few screens.

export const listOptions = {
  limit: { value: 'N', meaning: `show at most N rows (default: ${limitDefault})` },
  all: { meaning: 'show all rows' },
} as const satisfies Options

type Query = Readonly<Record<string, string | number | undefined>>

interface Listing<T> {
  readonly path: string
  readonly query?: Query
  readonly columns: readonly Column<T>[]
  /** Printed instead of an empty table. */
  readonly none: string
}

export async function showList<T>(
  call: Call<typeof listOptions>,
  { path, query = {}, columns, none }: Listing<T>,
): Promise<void> {
  const { output, service, options } = call
  const max = options.all ? Infinity : wholeNumber(options.limit ?? String(limitDefault), '--limit')
  let more = false
  async function* rows(): AsyncGenerator<T> {
    more = yield* service.list<T>(path, query, max)
  }
  const count = await output.table(columns, rows())
  if (count === 0 && !output.json) output.note(none)
  if (more) output.note('There are more rows: use --limit N or --all.')
}
