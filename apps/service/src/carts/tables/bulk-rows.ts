/** The rows of a bulk request: what a spreadsheet or a program sends. */
import { exampleItem } from '../../catalogue/item.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import {
  id,
  integer,
  optional,
  ownNameLengthMax,
  quantityMax,
  text,
  type Field,
  type FieldValues,
} from '../../input/fields.ts'
import type { TableShape } from '../../input/table-body.ts'

export const bulkRowsMax = 1_000 // As many as a cart has lines.

export const bulkFields = {
  item_id: optional(id('The packaging to order.', exampleIds.item_id)),
  article: optional(
    identifier(
      'The article, if there is no `item_id`. Case, spaces, dashes, dots and slashes do not matter.',
      exampleItem.item_vendor_code,
    ),
  ),
  brand: optional(
    text({
      description:
        'The brand of the item, by name; compared like an article. If it is another one, the row is refused.',
      example: exampleItem.brand.brand_name,
    }),
  ),
  barcode: optional(identifier('The barcode, if there is neither. Compared exactly.', exampleItem.item_barcode)),
  quantity: sheetQuantity(),
  stock_id: optional(
    id(
      'The stock to take it from; if absent, that of the query. Without either, the first of the preferred stocks that has all pieces of the line; if none has, the first one.',
      exampleIds.stock_id,
    ),
  ),
  for_advertising_budget: optional(budget('The advertising budget.')),
  contract_id: optional(
    id('The contract; if absent, that of the query or the default contract.', exampleIds.contract_id),
  ),
}
export type BulkValues = Partial<FieldValues<typeof bulkFields>>

/** Names of columns in English, German and Russian. Letters and digits count, case does not. */
export const bulkTable: TableShape = {
  fields: bulkFields,
  otherNames: {
    item_id: ['item'],
    article: [
      'articleno', 'articlenumber', 'articlecode', 'sku', 'skucode', 'code', 'partnumber', 'partno', 'part',
      'itemvendorcode', 'vendorcode', 'artikel', 'artikelnummer', 'artikelnr', 'artnr', 'teilenummer', 'артикул',
    ],
    brand: ['brandname', 'make', 'manufacturer', 'marke', 'hersteller', 'fabrikat', 'бренд', 'марка', 'производитель'],
    barcode: ['ean', 'ean13', 'gtin', 'upc', 'itembarcode', 'strichcode', 'штрихкод'],
    quantity: ['qty', 'pcs', 'pieces', 'menge', 'anzahl', 'stück', 'stueck', 'stk', 'количество', 'колво'],
    stock_id: ['stock', 'warehouse', 'warehouseid', 'lager', 'склад'],
    for_advertising_budget: ['budget', 'advertisingbudget', 'advertising', 'werbebudget', 'бюджет'],
    contract_id: ['contract', 'vertrag', 'договор'],
  }, // prettier-ignore
  order: ['article', 'quantity', 'stock_id', 'for_advertising_budget', 'contract_id'],
  oneOf: ['article', 'barcode', 'item_id'],
  rowsMax: bulkRowsMax,
}

/** The name of an advertising budget. */
export function budget(description: string): Field<string> {
  return text({ max: ownNameLengthMax, description, example: 'Spring campaign' })
}

/** A spreadsheet shows a long number as 4,00638E+12 and saves it like that: its last digits are lost. */
function identifier(description: string, example: string): Field<string> {
  const { read, rule, ...field } = text({ max: 100, description, example })
  return {
    ...field,
    rule: `${rule}, and not a number that a spreadsheet has shortened, such as 4,00638E+12 (format the column as text)`,
    read: (raw) => (/^\d[.,]\d+e\+?\d+$/i.test(raw.trim()) ? undefined : read(raw)),
  }
}

/** A spreadsheet may add decimals. `1.000` may be one or a thousand, so it is refused. */
function sheetQuantity(): Field<number> {
  const { read, ...field } = integer({ min: 1, max: quantityMax, description: 'Number of pieces.', example: 4 })
  return {
    ...field,
    rule: `a whole number from 1 to ${quantityMax} without thousands separators; decimals may only be zeros, as in 2,00`,
    read: (raw) => read(raw.replace(/[.,]00?$/, '')),
  }
}
