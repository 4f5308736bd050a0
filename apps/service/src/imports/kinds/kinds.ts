/** What can be imported: the fields of a row, and the statements that check and write it. */
import { itemFields, itemParameters, writeItemsSql, type ItemRow } from '../../catalogue/write-items.ts'
import { priceFields, priceParameters, writePricesSql, type PriceRow } from '../../catalogue/prices/write-prices.ts'
import { substitutesFields, substitutesText, type SubstitutesRow } from '../../catalogue/substitutes/substitutes.ts'
import { arrivalsField } from '../../stock/arrivals.ts'
import { onHand, onHandMax } from '../../stock/set-stock-level.ts'
import { id, optional, text, type Field, type Fields } from '../../input/fields.ts'
import { statement, type Statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, int8Array, jsonOf, literal, text as textType } from 'pg-statements/types.ts'
import { refusalError, type RefusalError } from '../../vocabulary/refusals.ts'

/** A row whose fields have been read. */
export type ImportRow = Readonly<Record<string, unknown>>
type Element = string | number | boolean | null

export interface ImportKind {
  readonly fields: Fields
  /** What may occur once in a file: two ids, the second of which varies. */
  readonly key: (row: ImportRow) => readonly [number, number]
  /** Whether a row may name its item by article and brand instead of by `item_id`. */
  readonly namesItems?: boolean
  /** Problems of the row as a whole. */
  readonly problem?: (row: ImportRow, import_key: string | undefined) => RefusalError | undefined
  /** The parameters of the statements, each an array with one element per row. */
  readonly columns: Readonly<Record<string, (row: ImportRow) => Element>>
  /** The statement that handles each batch in a state; none in other states. */
  readonly steps: Readonly<Partial<Record<'checking' | 'applying' | 'undoing', Statement>>>
  /** Handles each batch of a dry run: checks it, and records what it would change. */
  readonly preview: Statement
  /** Restores what was before the import, if nothing has changed since. */
  readonly undo: UndoStatement
}

const undo = (name: string) =>
  statement(new URL(name, import.meta.url), {
    parameters: {
      import_id: int8,
      undo_days: int4,
      rows_max: int8,
      shown_max: int8,
      actor: textType,
      request_id: textType,
    },
    columns: { recorded: bool, undone: bool, changed_since: int8, changed_rows: jsonOf<object[]>() },
  })
type UndoStatement = ReturnType<typeof undo>

/** Keeps the type of a kind's rows while it is declared. */
const kind = <R>(made: {
  fields: Fields
  key: (row: R) => readonly [number, number]
  problem?: (row: R, import_key: string | undefined) => RefusalError | undefined
  columns: Readonly<Record<string, (row: R) => Element>>
  steps: Readonly<Partial<Record<'checking' | 'applying' | 'undoing', unknown>>>
  namesItems?: boolean
  preview: unknown
  undo: UndoStatement
}): ImportKind => made as unknown as ImportKind

const step = (name: string, parameters: Statement['parameters']) =>
  statement(new URL(name, import.meta.url), {
    parameters: { import_id: int8, batch: int4, ...parameters },
    columns: { batch: int4 },
    // For a level changed concurrently, PostgreSQL first checks the old row version; the batch is then retried.
    refusedBy: ['out_of_stock'],
  })

const bigints = literal('bigint[]')
const texts = literal('text[]')
const differenceMax = onHandMax

/** A signed whole number. */
const difference: Field<number> = {
  required: true,
  schema: {
    type: 'integer',
    minimum: -differenceMax,
    maximum: differenceMax,
    description: 'The change of the stock, negative for a decrease. Needs an `import_key`.',
    examples: [-12],
  },
  rule: `a whole number from -${differenceMax} to ${differenceMax}`,
  read: (text) => (/^-?[0-9]{1,10}$/.test(text) && Math.abs(Number(text)) <= differenceMax ? Number(text) : undefined),
}

interface LevelRow {
  readonly stock_id: number
  readonly item_id: number
  readonly on_hand?: number
  readonly difference?: number
}

/** The item of a row: by its id, or by its article, with the brand where several brands have it. */
const itemNames = {
  item_id: optional(id('The item. Needed unless there is an `article`.', 1024)),
  article: optional(
    text({
      max: 100,
      description: 'The article code, instead of the `item_id`. Case, spaces, dashes, dots and slashes do not matter.',
      example: 'JF-11024',
    }),
  ),
  brand_name: optional(
    text({ description: 'The brand of the article, where several brands have it.', example: 'Brixholm' }),
  ),
}

const itemProblem = (row: { readonly item_id?: unknown; readonly article?: unknown }): RefusalError | undefined =>
  (row.item_id === undefined) === (row.article === undefined)
    ? refusalError('row_malformed', { reason: "it needs either 'item_id' or 'article'" })
    : undefined

interface ArrivalsRow {
  readonly stock_id: number
  readonly item_id: number
  readonly arrivals: readonly object[]
}

const expectedArrivals = { lines: bigints, stock_ids: bigints, item_ids: bigints, arrivals: texts }
const namedSubstitutes = { lines: bigints, item_ids: bigints, named: texts }

const checkArrivals = step('check-arrivals.sql', expectedArrivals)
const checkSubstitutes = step('check-substitutes.sql', namedSubstitutes)

const levelColumns = { stock_ids: bigints, item_ids: bigints, on_hands: bigints }

export const importKinds = {
  items: kind<ItemRow>({
    fields: itemFields,
    key: ({ item_id }) => [0, item_id],
    columns: itemParameters,
    steps: { applying: writeItemsSql },
    preview: step('preview-items.sql', {
      item_ids: bigints,
      product_ids: bigints,
      brand_names: texts,
      vendor_codes: texts,
      barcodes: texts,
      titles: texts,
      on_sales: literal('boolean[]'),
      quantity_mins: bigints,
      quantity_multiples: bigints,
    }),
    undo: undo('undo-items.sql'),
  }),
  prices: kind<PriceRow>({
    fields: {
      price_list_id: priceFields.price_list_id,
      ...itemNames,
      price: priceFields.price,
      price_breaks: priceFields.price_breaks,
    },
    namesItems: true,
    key: ({ price_list_id, item_id }) => [price_list_id, item_id],
    problem: itemProblem,
    columns: priceParameters,
    steps: {
      checking: step('check-prices.sql', { lines: bigints, price_list_ids: bigints, item_ids: bigints }),
      applying: writePricesSql,
    },
    preview: step('preview-prices.sql', {
      lines: bigints,
      price_list_ids: bigints,
      item_ids: bigints,
      prices: literal('numeric[]'),
      break_quantities: texts,
      break_prices: texts,
    }),
    undo: undo('undo-prices.sql'),
  }),
  'stock-levels': kind<LevelRow>({
    fields: {
      stock_id: id('The stock.', 1),
      ...itemNames,
      on_hand: optional(onHand),
      difference: optional(difference),
    },
    namesItems: true,
    key: ({ stock_id, item_id }) => [stock_id, item_id],
    problem: (row, import_key) => {
      if ((row.on_hand === undefined) === (row.difference === undefined))
        return refusalError('row_malformed', { reason: "it needs either 'on_hand' or 'difference'" })
      if (row.difference !== undefined && import_key === undefined) return refusalError('import_key_missing', {})
      return itemProblem(row)
    },
    columns: {
      stock_ids: (row) => row.stock_id,
      item_ids: (row) => row.item_id,
      on_hands: (row) => row.on_hand ?? null,
      differences: (row) => row.difference ?? null,
    },
    steps: {
      checking: step('lower-stock-levels.sql', { lines: bigints, ...levelColumns, differences: bigints }),
      applying: step('raise-stock-levels.sql', levelColumns),
      undoing: step('restore-stock-levels.sql', { stock_ids: bigints, item_ids: bigints }),
    },
    preview: step('preview-stock-levels.sql', { lines: bigints, ...levelColumns, differences: bigints }),
    undo: undo('undo-stock-levels.sql'),
  }),
  arrivals: kind<ArrivalsRow>({
    fields: { stock_id: id('The stock.', 1), ...itemNames, arrivals: arrivalsField },
    namesItems: true,
    key: ({ stock_id, item_id }) => [stock_id, item_id],
    problem: itemProblem,
    columns: {
      stock_ids: (row) => row.stock_id,
      item_ids: (row) => row.item_id,
      arrivals: (row) => JSON.stringify(row.arrivals),
    },
    steps: {
      checking: checkArrivals,
      applying: step('write-arrivals.sql', { ...expectedArrivals, refused: int8Array }),
    },
    preview: checkArrivals,
    undo: undo('undo-arrivals.sql'),
  }),
  substitutes: kind<SubstitutesRow>({
    fields: { ...itemNames, ...substitutesFields },
    namesItems: true,
    key: ({ item_id }) => [0, item_id],
    problem: itemProblem,
    columns: { item_ids: (row) => row.item_id, named: substitutesText },
    steps: {
      checking: checkSubstitutes,
      applying: step('write-substitutes.sql', { ...namedSubstitutes, refused: int8Array }),
    },
    preview: checkSubstitutes,
    undo: undo('undo-substitutes.sql'),
  }),
}

export type ImportKindName = keyof typeof importKinds
export const kindOf = (name: string): ImportKind => importKinds[name as ImportKindName]
