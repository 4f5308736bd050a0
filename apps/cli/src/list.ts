/** Lists with a limit, and a note if there are more rows. */
import type { ListPage } from '@parts-ordering/client/operator'
import { wholeNumber, type Call, type Options } from './command.ts'
import type { Column } from './table.ts'

const limitDefault = 100 // A few screens.

export const listOptions = {
  limit: { value: 'N', meaning: `show at most N rows (default: ${limitDefault})` },
  all: { meaning: 'show all rows' },
} as const satisfies Options

export const pageSizeMax = 500 // The limit of the service.

interface Page {
  readonly limit: number
  readonly cursor: string | undefined
}

type Read<T> = (page: Page) => PromiseLike<ListPage<T>>

/** Yields at most `max` rows, page by page, and returns whether there are more. */
export async function* rowsOf<T>(read: Read<T>, max: number): AsyncGenerator<T, boolean> {
  let cursor: string | undefined
  for (let left = max; left > 0;) {
    const { data, next_cursor } = await read({ limit: Math.min(left, pageSizeMax), cursor })
    yield* data
    left -= data.length
    if (next_cursor === null) return false
    cursor = next_cursor
  }
  return true
}

interface Listing<T> {
  readonly read: Read<T>
  readonly columns: readonly Column<T>[]
  /** Printed instead of an empty table. */
  readonly none: string
}

export async function showList<T>(
  { output, options }: Call<typeof listOptions>,
  { read, columns, none }: Listing<T>,
): Promise<void> {
  const max = options.all ? Infinity : wholeNumber(options.limit ?? String(limitDefault), '--limit')
  let more = false
  async function* rows(): AsyncGenerator<T> {
    more = yield* rowsOf(read, max)
  }
  const count = await output.table(columns, rows())
  if (count === 0 && !output.json) output.note(none)
  if (more) output.note('There are more rows: use --limit N or --all.')
}
