/** Adds many rows to a cart at once, or only says what would become of them. */
import Type, { type Static } from 'typebox'
import type { BulkValues } from './bulk-rows.ts'
import {
  cartRowColumns,
  cartRowLimits,
  cartRowOf,
  cartRowParameters,
  cartRowProperties,
  cartRowsRefusedBy,
  countsOf,
  exampleRow,
  rowCounts,
} from '../lines/cart-row.ts'
import { readCart } from '../read-carts.ts'
import { traceOf, type Keeper } from '../keeper.ts'
import { exampleItem, Item, itemOf } from '../../catalogue/item.ts'
import { wordsOf } from '../../input/search-words.ts'
import { matchesMax } from '../../catalogue/list-items.ts'
import type { Table, TableRow } from '../../input/table-body.ts'
import { noRetry, type Retry } from '../../retries/retry.ts'
import { earlierAnswer, retryParameters, retryRefusedBy } from '../../retries/find-earlier-answer.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { arrayLiteral, int8, jsonOf, literal, nullable } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../../vocabulary/refusals.ts'

const exampleAmbiguous = {
  row: 3,
  outcome: 'refused',
  quantity: 2,
  stock_id: 1,
  contract_id: 7,
  errors: [refusalError('article_ambiguous', { article: 'BX11024' }, 'article')],
  candidates: [exampleItem],
}

export const BulkRow = Type.Object(
  {
    ...cartRowProperties,
    candidates: Type.Optional(
      Type.Array(refer(Item), {
        description:
          'With `article_ambiguous`: up to three of the items that match. With `brand_differs`: those of other brands.',
      }),
    ),
  },
  {
    $id: 'BulkRow',
    description: 'What became of a row.',
    examples: [exampleRow, exampleAmbiguous],
  },
)
export type BulkRow = Static<typeof BulkRow>

export const BulkResult = Type.Object(
  {
    ...rowCounts,
    ignored_columns: Type.Array(Type.String(), {
      description: 'The columns of a CSV file whose names are not known. They were not read.',
    }),
    rows: Type.Array(refer(BulkRow), { description: 'One for each row of the request, in its order.' }),
  },
  {
    $id: 'BulkResult',
    examples: [{ rows_added: 1, rows_refused: 1, ignored_columns: [], rows: [exampleRow, exampleAmbiguous] }],
  },
)
export type BulkResult = Static<typeof BulkResult>

const barcodeScanMax = 100 // A word that more items have is no barcode.

const addCartItemsSql = statement(new URL('add-cart-items.sql', import.meta.url), {
  parameters: {
    ...cartRowParameters,
    item_ids: literal('bigint[]'),
    articles: literal('text[]'),
    brands: literal('text[]'),
    barcodes: literal('text[]'),
    barcode_words: literal('text[]'),
    quantities: literal('bigint[]'),
    stock_ids: literal('bigint[]'),
    contract_ids: literal('bigint[]'),
    advertisings: literal('text[]'),
    matches_max: int8,
    barcode_scan_max: int8,
    ...retryParameters,
  },
  columns: { ...cartRowColumns, candidates: nullable(jsonOf<Parameters<typeof itemOf>[0][]>()) },
  refusedBy: [...cartRowsRefusedBy, retryRefusedBy],
})
type BulkRowValues = Values<typeof addCartItemsSql.columns>

interface BulkRequest {
  readonly cart_id: number
  readonly table: Table
  /** What a row has that does not say otherwise. */
  readonly defaults: Pick<BulkValues, 'stock_id' | 'contract_id' | 'for_advertising_budget'>
  /** Whether one bad row refuses all. */
  readonly mode: 'rows' | 'all'
  /** Changes nothing and stores no answer. */
  readonly dry_run: boolean
  readonly retry: Retry
}

export async function addCartItems(db: Database, keeper: Keeper, request: BulkRequest): Promise<BulkResult> {
  const { client_id } = keeper
  const { cart_id, mode, dry_run } = request
  const retry = dry_run ? noRetry : request.retry
  const refusing = mode === 'all' && !dry_run
  const given = request.table.rows.map((row) => completed(row, request.defaults))
  const values = {
    client_id,
    cart_id,
    dry_run,
    all_rows: mode === 'all',
    ...cartRowLimits,
    ...parametersOf(given),
    ...traceOf(keeper),
  }
  const found = await settle(
    db,
    { statement: addCartItemsSql, contended: `cart ${cart_id}` },
    async () => {
      const rows = await db.rows(addCartItemsSql, { ...values, ...retry })
      const added = rows.length > 0 && !(refusing && rows.some(({ refused }) => refused !== null))
      if (added) return rows
      const scope = { client_id, operation: addCartItemsSql.name }
      const earlier = await earlierAnswer<{ rows: BulkRowValues[] }>(db, scope, retry)
      return earlier?.rows ?? (rows.length > 0 ? rows : undefined)
    },
    async () => void (await readCart(db, keeper, cart_id)),
  )
  const rows = found.map((row) => bulkRowOf(row, given, cart_id))
  const counts = countsOf(rows)
  if (refusing && counts.rows_refused > 0) throw new Refusal('rows_refused', { ...counts, rows })
  return { ...counts, ignored_columns: [...request.table.ignored_columns], rows }
}

interface CompletedRow extends Omit<TableRow, 'values'> {
  readonly values: BulkValues
}

/** A row with the defaults of the request. */
function completed({ row, values: read, problems }: TableRow, defaults: BulkRequest['defaults']): CompletedRow {
  const values: BulkValues = { ...defaults, ...read }
  const named = problems.length > 0 || (values.item_id ?? values.article ?? values.barcode) !== undefined
  return { row, values, problems: named ? problems : [refusalError('field_missing', { field: 'article' })] }
}

function parametersOf(rows: readonly CompletedRow[]) {
  const column = (value: (row: BulkValues) => string | number | undefined): string =>
    arrayLiteral(rows.map(({ values, problems }) => (problems.length > 0 ? null : (value(values) ?? null))))
  return {
    item_ids: column(({ item_id }) => item_id),
    articles: column(({ article }) => article),
    brands: column(({ brand }) => brand),
    barcodes: column(({ barcode }) => barcode),
    barcode_words: column(({ barcode }) => barcode && longestOf(wordsOf(barcode))),
    quantities: column(({ quantity }) => quantity),
    stock_ids: column(({ stock_id }) => stock_id),
    contract_ids: column(({ contract_id }) => contract_id),
    advertisings: column(({ for_advertising_budget = '' }) => for_advertising_budget),
    matches_max: matchesMax,
    barcode_scan_max: barcodeScanMax,
  }
}

const longestOf = (words: readonly string[]): string | undefined => words.toSorted((a, b) => b.length - a.length)[0]

function bulkRowOf(found: BulkRowValues, given: readonly CompletedRow[], cart_id: number): BulkRow {
  const at = (place: number): CompletedRow => given[place - 1] as CompletedRow
  const { values: names, problems } = at(found.place)
  const row = cartRowOf(found, { cart_id, names, problems, rowAt: (place) => at(place).row })
  return found.candidates === null ? row : { ...row, candidates: found.candidates.map(itemOf) }
}
