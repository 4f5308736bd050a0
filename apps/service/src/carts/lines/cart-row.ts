/** A row that was to be added to a cart, from a bulk request or an earlier order, and what became of it. */
import { traceParameters } from '../keeper.ts'
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { linesPerCartMax } from '../cart.ts'
import { exampleItem, Item, itemColumns, itemOf } from '../../catalogue/item.ts'
import { quantityMax } from '../../input/fields.ts'
import { printable } from '../../vocabulary/printable.ts'
import { refer, word, type WordList } from '../../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, numeric, plainJsonOf, text } from 'pg-statements/types.ts'
import { errorCodeWords, refusalError, type RefusalError } from '../../vocabulary/refusals.ts'

export const exampleRow = {
  row: 2,
  outcome: 'added',
  quantity: 4,
  item: exampleItem,
  stock_id: 1,
  contract_id: 7,
  price: 55.26,
  available: 37,
  short: false,
  back_order: false,
  cart_item_id: 345,
  cart_quantity: 4,
}

const outcomes: WordList = {
  name: 'RowOutcome',
  meaning:
    '`added`: the row is in the cart. `possible`: it can be added, but the request added nothing. `refused`: it cannot be added.',
  words: ['added', 'possible', 'refused'],
}

const RowError = Type.Object({
  code: word(errorCodeWords, 'Why.'),
  message: Type.String({ description: 'A sentence that names the value and the rule.' }),
  field: Type.Optional(Type.String({ description: 'The field of the row that caused the error.' })),
  details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The values, by name.' })),
})

export const cartRowProperties = {
  row: Type.Integer({
    description: 'Which row it is: the line of a CSV file, or the position in other lists, counted from 1.',
  }),
  outcome: word(outcomes, 'What became of it; if it is refused, see `errors`.'),
  quantity: Type.Optional(Type.Integer({ description: 'The pieces of this row; absent if it could not be read.' })),
  item: Type.Optional(refer(Item)),
  stock_id: Type.Optional(Type.Integer({ description: 'The stock, also if it was chosen for the row.' })),
  contract_id: Type.Optional(Type.Integer({ description: 'The contract, also if it is the default.' })),
  price: Type.Optional(Type.Number({ description: 'The current price of one piece, at the quantity of the line.' })),
  available: Type.Optional(
    Type.Integer({ description: 'Pieces that can be ordered from this stock now, without back-orders.' }),
  ),
  short: Type.Optional(
    Type.Boolean({
      description:
        'Whether fewer pieces are available than the line has, or would have, after this request; absent if the row is refused.',
    }),
  ),
  back_order: Type.Optional(
    Type.Boolean({ description: 'Whether the stock accepts orders for more pieces than are available.' }),
  ),
  cart_item_id: Type.Optional(Type.Integer({ description: 'The line of the cart.' })),
  cart_quantity: Type.Optional(Type.Integer({ description: 'The pieces of the line after this request.' })),
  merged_into: Type.Optional(
    Type.Integer({
      description: 'The earlier `row` with the same item, stock, contract and budget: both are one line of the cart.',
    }),
  ),
  errors: Type.Optional(Type.Array(RowError, { description: 'Why it is refused.' })),
}

export const rowCounts = {
  rows_added: Type.Integer({ description: 'Rows that are in the cart now.' }),
  rows_refused: Type.Integer({ description: 'Rows that cannot be added.' }),
}

const CommonRow = Type.Object(cartRowProperties)
export type CommonRow = Static<typeof CommonRow>

export function countsOf(rows: readonly CommonRow[]): { rows_added: number; rows_refused: number } {
  const counted = (of: CommonRow['outcome']): number => rows.filter(({ outcome }) => outcome === of).length
  return { rows_added: counted('added'), rows_refused: counted('refused') }
}

/** What `add-rows.part.sql` takes, besides the rows. */
export const cartRowParameters = {
  client_id: int8,
  cart_id: int8,
  dry_run: bool,
  all_rows: bool,
  quantity_max: int4,
  lines_max: int8,
  ...traceParameters,
}
export const cartRowLimits = { quantity_max: quantityMax, lines_max: linesPerCartMax }

/** The details of `item_not_on_sale`. Rows that earlier versions stored have none. */
export type UnsoldItem = Parameters<typeof refusalError<'item_not_on_sale'>>[1]

/** What `add-rows.part.sql` returns for each row. */
export const cartRowColumns = {
  place: int8,
  refused: nullable(text),
  quantity: nullable(int4),
  ...itemColumns,
  item_id: nullable(int8),
  stock_id: nullable(int8),
  contract_id: nullable(int8),
  price: nullable(numeric),
  available: nullable(int8),
  back_order: nullable(bool),
  first_place: int8,
  in_cart: int4,
  line_quantity: nullable(int8),
  quantity_min: nullable(int4),
  quantity_multiple: nullable(int4),
  next_quantity: nullable(int4),
  cart_item_id: nullable(int8),
  cart_quantity: nullable(int4),
  unsold: nullable(plainJsonOf<UnsoldItem>()),
}
export type CartRowValues = Values<typeof cartRowColumns>

// If the cart is deleted concurrently, the foreign key of the group or the line refuses the statement.
export const cartRowsRefusedBy = ['cart_is_full', 'line_quantity_exceeded', 'cart_groups_cart', 'cart_items_group']

/** How a row names what it adds. A row of an order needs no names: its item, stock and contract exist. */
export interface RowNames {
  readonly item_id?: number | undefined
  readonly article?: string | undefined
  readonly brand?: string | undefined
  readonly barcode?: string | undefined
  readonly stock_id?: number | undefined
  readonly contract_id?: number | undefined
}

interface RowContext {
  readonly cart_id: number
  readonly names: RowNames
  /** Why the row could not be read. */
  readonly problems: readonly RefusalError[]
  /** The row at a place of the request. */
  readonly rowAt: (place: number) => number
}

/** The row as it is shown. */
export function cartRowOf(values: CartRowValues, context: RowContext): CommonRow {
  const { place, first_place, refused, quantity, item_id, stock_id, contract_id, price, available, back_order } = values
  const { cart_item_id, cart_quantity, in_cart, line_quantity } = values
  const errors = refused === null ? [] : errorsOf(refused, values, context)
  const row: CommonRow = {
    row: context.rowAt(place),
    outcome: refused !== null ? 'refused' : cart_item_id === null ? 'possible' : 'added',
  }
  if (quantity !== null) row.quantity = quantity
  if (item_id !== null) row.item = itemOf({ ...values, item_id })
  if (stock_id !== null) row.stock_id = stock_id
  if (contract_id !== null) row.contract_id = contract_id
  if (price !== null) row.price = price
  if (item_id !== null && available !== null && back_order !== null) {
    row.available = available
    if (refused === null) row.short = available < (cart_quantity ?? in_cart + (line_quantity ?? 0))
    row.back_order = back_order
  }
  if (cart_item_id !== null) row.cart_item_id = cart_item_id
  if (cart_quantity !== null) row.cart_quantity = cart_quantity
  if (refused === null && first_place < place) row.merged_into = context.rowAt(first_place)
  if (errors.length > 0) row.errors = errors
  return row
}

function errorsOf(refused: string, values: CartRowValues, context: RowContext): RefusalError[] {
  if (refused === 'unreadable') return [...context.problems]
  const reason = reasons[refused]
  assert(reason, `add-rows.part.sql gives no reason '${refused}'.`)
  const { article, barcode } = context.names
  const field = article !== undefined ? 'article' : barcode !== undefined ? 'barcode' : 'item_id'
  return [reason({ ...values, item_id: values.item_id ?? 0, cart_id: context.cart_id, names: context.names, field })]
}

type RefusedRow = Omit<CartRowValues, 'item_id'> &
  Pick<RowContext, 'cart_id' | 'names'> & { item_id: number; field: string }

/** The reasons of `add-rows.part.sql`, as errors. */
const reasons: Readonly<Record<string, (row: RefusedRow) => RefusalError>> = {
  item_not_found: ({ names, field }) =>
    field === 'item_id'
      ? refusalError('item_not_found', { item_id: names.item_id ?? 0 }, field)
      : refusalError('article_not_found', itemNames(names), field),
  brand_differs: ({ names }) =>
    refusalError('brand_differs', { brand: names.brand ?? '', ...itemNames(names) }, 'brand'),
  article_ambiguous: ({ names, field }) => refusalError('article_ambiguous', itemNames(names), field),
  stock_not_found: ({ stock_id }) =>
    stock_id === null // The row names none, and none serves the client.
      ? refusalError('field_missing', { field: 'stock_id' })
      : refusalError('stock_not_found', { stock_id }, 'stock_id'),
  contract_not_found: ({ names }) =>
    refusalError('contract_not_found', { contract_id: names.contract_id ?? 0 }, 'contract_id'),
  item_not_on_sale: ({ item_id, unsold, field }) => refusalError('item_not_on_sale', unsold ?? { item_id }, field),
  stock_not_serving: ({ stock_id }) => refusalError('stock_not_serving', { stock_id: stock_id ?? 0 }, 'stock_id'),
  item_not_priced: ({ item_id, contract_id, field }) =>
    refusalError('item_not_priced', { item_id, contract_id: contract_id ?? 0 }, field),
  line_quantity_exceeded: ({ item_id, in_cart, line_quantity }) =>
    refusalError(
      'line_quantity_exceeded',
      { item_id, in_cart, requested: line_quantity ?? 0, limit: quantityMax },
      'quantity',
    ),
  quantity_not_allowed: ({ item_id, in_cart, line_quantity, next_quantity, quantity_min, quantity_multiple }) =>
    refusalError(
      'quantity_not_allowed',
      {
        item_id,
        quantity: in_cart + (line_quantity ?? 0),
        next_quantity: next_quantity ?? 0,
        quantity_min: quantity_min ?? 1,
        quantity_multiple: quantity_multiple ?? 1,
      },
      'quantity',
    ),
  cart_full: ({ cart_id }) => refusalError('cart_full', { cart_id, limit: linesPerCartMax }),
}

const itemNames = ({
  article,
  brand,
  barcode,
  item_id,
}: RowNames): { article?: string; brand?: string; barcode?: string; item_id?: number } => ({
  ...(article === undefined ? {} : { article: printable(article) }),
  ...(brand === undefined ? {} : { brand: printable(brand) }),
  ...(barcode === undefined ? {} : { barcode: printable(barcode) }),
  ...(item_id === undefined ? {} : { item_id }),
})
