/** What an import changed, row by row; or what a dry run would change. */
import Type, { type Static } from 'typebox'
import { cutPage, positionAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import { integerOrNull, textOrNull, word, type WordList } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { int4, int8, jsonOf, nullable, text } from 'pg-statements/types.ts'

const changes: WordList = {
  name: 'ImportedChange',
  meaning: 'Whether a row of an import was new.',
  words: ['added', 'changed'],
}

const values = (description: string) =>
  Type.Unsafe<object | null>({ type: ['object', 'null'], additionalProperties: true, description })

export const ImportChange = Type.Object(
  {
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: textOrNull('Its article now. Null in a dry run that would add it.'),
    item_title: textOrNull('Its title now. Null in a dry run that would add it.'),
    price_list_id: integerOrNull('For prices: the price list.'),
    stock_id: integerOrNull('For stock levels and arrivals: the stock.'),
    change: word(changes, 'Whether the item, the price or the level is new.'),
    before: values('The values before; null if it is new, and for stock levels.'),
    after: values('The values after; for stock levels the `difference`.'),
  },
  {
    $id: 'ImportChange',
    examples: [
      {
        item_id: 1024,
        item_vendor_code: 'JF-11024',
        item_title: 'Brake disc front, 312 mm',
        price_list_id: 1,
        stock_id: null,
        change: 'changed',
        before: { price: 98.5 },
        after: { price: 104.17 },
      },
    ],
  },
)
export type ImportChange = Static<typeof ImportChange>

/** A price, the arrivals of a level, or fields. */
type StoredValues = number | readonly object[] | Readonly<Record<string, unknown>> | null

/** As the statements record it. */
interface StoredChange {
  readonly item_id: number
  readonly price_list_id?: number
  readonly stock_id?: number
  readonly added?: boolean
  readonly difference?: number
  readonly before?: StoredValues
  /** Null if nothing is expected, or nothing stands in for the item, any more. */
  readonly after?: StoredValues
  /** Of prices that have them. */
  readonly breaks_before?: readonly object[]
  readonly breaks_after?: readonly object[]
}

const listImportChangesSql = statement(new URL('list-import-changes.sql', import.meta.url), {
  parameters: { import_id: int8, after_batch: int4, after_place: int4, page_size: int8 },
  columns: {
    batch: int4,
    place: int4,
    change: jsonOf<StoredChange>(),
    item_vendor_code: nullable(text),
    item_title: nullable(text),
  },
})

/** In the order of the batches, and within them by id. */
export async function listImportChanges(
  db: Database,
  import_id: number,
  page: PageRequest,
): Promise<Page<ImportChange>> {
  const [, batch = '0', place = '0'] = positionAfter(page, /^(\d+)-(\d+)$/) ?? []
  const rows = await db.rows(listImportChangesSql, {
    import_id,
    after_batch: Number(batch),
    after_place: Number(place),
    page_size: page.limit + 1,
  })
  const { data, next_cursor } = cutPage(rows, page, (row) => `${row.batch}-${row.place}`)
  return { data: data.map(changeOf), next_cursor }
}

function changeOf({
  change,
  item_vendor_code,
  item_title,
}: Values<(typeof listImportChangesSql)['columns']>): ImportChange {
  const { item_id, price_list_id, stock_id, added, difference, before, after, breaks_before, breaks_after } = change
  const isNew = difference === undefined ? before === null || before === undefined : added === true
  return {
    item_id,
    item_vendor_code,
    item_title,
    price_list_id: price_list_id ?? null,
    stock_id: stock_id ?? null,
    change: isNew ? 'added' : 'changed',
    before: difference === undefined ? shownValues(before, breaks_before) : null,
    after: difference === undefined ? shownValues(after ?? nothingLeft(before), breaks_after) : { difference },
  }
}

const nothingLeft = (before: StoredChange['before']): StoredValues =>
  Array.isArray(before) ? [] : { replaced_by: null, substitutes: [] }

/** A price, arrivals, or the fields of an item without its search words. */
function shownValues(stored: StoredChange['before'], price_breaks?: readonly object[]): object | null {
  if (stored === null || stored === undefined) return null
  if (typeof stored === 'number') return { price: stored, ...(price_breaks && { price_breaks }) }
  if (Array.isArray(stored)) return { arrivals: stored as readonly object[] }
  const { words: _words, ...shown } = stored as Readonly<Record<string, unknown>>
  return shown
}
