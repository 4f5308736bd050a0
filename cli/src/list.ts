/** Lists as all commands show them: so many rows, and a word when there are more. */
import { wholeNumber, type Call, type Options } from './command.ts'
import type { Column } from './table.ts'

const limitStandard = 100 // Some screens; whoever wants more says so.

export const listOptions = {
  limit: { value: 'N', meaning: `shows N at most (${limitStandard} if not given)` },
  all: { meaning: 'shows all, however many there are' },
} as const satisfies Options

type Query = Readonly<Record<string, string | number | undefined>>

interface Listing<T> {
  readonly path: string
  readonly query?: Query
  readonly columns: readonly Column<T>[]
  /** Said instead of an empty table. */
  readonly none: string
}

export async function showList<T>(
  call: Call<typeof listOptions>,
  { path, query = {}, columns, none }: Listing<T>,
): Promise<void> {
  const { output, service, options } = call
  const most = options.all ? Infinity : wholeNumber(options.limit ?? String(limitStandard), '--limit')
  let more = false
  async function* rows(): AsyncGenerator<T> {
    more = yield* service.list<T>(path, query, most)
  }
  const count = await output.table(columns, rows())
  if (count === 0 && !output.json) output.note(none)
  if (more) output.note(`There are more: --limit N shows N of them, --all all.`)
}
