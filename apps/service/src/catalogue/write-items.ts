/** Writes items; imports use the same statement. */
import { quantityRuleFields } from './quantities/quantity-rules.ts'
import { flag, id, optional, text, type Field } from '../input/fields.ts'
import { wordsOf } from '../input/search-words.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, literal, nullable, text as textType } from 'pg-statements/types.ts'

const barcodeText = text({ max: 100, description: 'Usually an EAN-13.', example: '2000081090561' })

/** Spreadsheets write long numbers as `4.01E+12`: the last digits are lost, and nobody would find the item again. */
const barcode: Field<string> = {
  ...barcodeText,
  rule: `${barcodeText.rule}, and all digits instead of the exponent form of a spreadsheet, such as 4.01E+12 (give the column the format text before saving)`,
  read: (raw) => (/^\s*\d+([.,]\d+)?e\+?\d+\s*$/i.test(raw) ? undefined : barcodeText.read(raw)),
}

export const itemFields = {
  item_id: id('Names the item, in all places and for ever.', 1024),
  item_vendor_code: text({ max: 100, description: 'The article code.', example: 'JF-11024' }),
  item_barcode: barcode,
  item_title: text({ description: 'Its title.', example: 'Air filter washable 280 mm, 10 pcs' }),
  brand_name: text({ description: 'The manufacturer. An unknown name creates a brand.', example: 'Brixholm' }),
  product_id: id('The product that it is a packaging of. A new number makes a new product.', 410),
  product_name: optional(
    text({
      description: "The product's name. If absent, it stays unchanged, and a new product gets the item's title.",
      example: 'Air filter washable 280 mm',
    }),
  ),
  on_sale: optional(
    flag({
      description:
        'Whether it can be added to carts and ordered. If absent, it stays unchanged, and a new item is on sale.',
      example: true,
    }),
  ),
  ...quantityRuleFields,
}

export interface ItemRow {
  readonly item_id: number
  readonly item_vendor_code: string
  readonly item_barcode: string
  readonly item_title: string
  readonly brand_name: string
  readonly product_id: number
  readonly product_name?: string | undefined
  readonly on_sale?: boolean | undefined
  readonly quantity_min?: number | undefined
  readonly quantity_multiple?: number | undefined
}

/** The statement's parameters from rows. */
export const itemParameters = {
  item_ids: (row: ItemRow) => row.item_id,
  product_ids: (row: ItemRow) => row.product_id,
  product_names: (row: ItemRow) => row.product_name ?? null,
  brand_names: (row: ItemRow) => row.brand_name,
  vendor_codes: (row: ItemRow) => row.item_vendor_code,
  barcodes: (row: ItemRow) => row.item_barcode,
  titles: (row: ItemRow) => row.item_title,
  on_sales: (row: ItemRow) => row.on_sale ?? null,
  quantity_mins: (row: ItemRow) => row.quantity_min ?? null,
  quantity_multiples: (row: ItemRow) => row.quantity_multiple ?? null,
  words: (row: ItemRow) => itemWords(row).join(' '),
}

export const writeItemsSql = statement(new URL('write-items.sql', import.meta.url), {
  parameters: {
    import_id: nullable(int8),
    batch: nullable(int4),
    item_ids: literal('bigint[]'),
    product_ids: literal('bigint[]'),
    product_names: literal('text[]'),
    brand_names: literal('text[]'),
    vendor_codes: literal('text[]'),
    barcodes: literal('text[]'),
    titles: literal('text[]'),
    on_sales: literal('boolean[]'),
    quantity_mins: literal('bigint[]'),
    quantity_multiples: literal('bigint[]'),
    words: literal('text[]'),
    actor: textType,
    request_id: textType,
  },
  /** Whether the row written is new; null when nothing had to be written. */
  columns: { batch: nullable(int4), added: nullable(bool) },
  refusedBy: ['items_pkey', 'item_words_pkey'],
})

/**
 * The search words of an item: its article, its barcode, and the words of its title, hyphenated ones whole and in parts.
 * PostgreSQL folds their case, both when storing and when searching.
 */
function itemWords(item: { item_vendor_code: string; item_barcode: string; item_title: string }): string[] {
  const whole = wordsOf(`${item.item_vendor_code} ${item.item_barcode} ${item.item_title}`)
  const words = new Set(whole)
  for (const word of whole) {
    if (/^[a-z0-9]+$/i.test(word)) continue
    for (const part of word.split(/[^\p{L}\p{N}]+/u)) if (part !== '') words.add(part)
  }
  return [...words]
}
