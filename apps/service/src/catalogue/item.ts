import Type, { type Static } from 'typebox'
import { int8, text } from 'pg-statements/types.ts'

export const exampleItem = {
  item_id: 1024,
  item_vendor_code: 'JF-11024',
  item_barcode: '2000081090561',
  item_title: 'Air filter washable 280 mm, 10 pcs',
  brand: { brand_id: 11, brand_name: 'Jarnefors' },
}

export const Item = Type.Object(
  {
    item_id: Type.Integer({ description: 'Identifies the packaging.' }),
    item_vendor_code: Type.String({ description: 'The article code.' }),
    item_barcode: Type.String({ description: 'Usually an EAN-13.' }),
    item_title: Type.String({ description: 'The title.' }),
    brand: Type.Object({
      brand_id: Type.Integer({ description: 'Can be used as a filter of the item list.' }),
      brand_name: Type.String({ description: 'The manufacturer.' }),
    }),
  },
  {
    $id: 'Item',
    description: 'A packaging that can be ordered.',
    examples: [exampleItem],
  },
)
export type Item = Static<typeof Item>

/** The columns of an embedded Item, for statements that join it. */
export const itemColumns = {
  item_id: int8,
  item_vendor_code: text,
  item_barcode: text,
  item_title: text,
  brand_id: int8,
  brand_name: text,
}

interface ItemRow extends Omit<Item, 'brand'> {
  readonly brand_id: number
  readonly brand_name: string
}

export const itemOf = (row: ItemRow): Item => ({
  item_id: row.item_id,
  item_vendor_code: row.item_vendor_code,
  item_barcode: row.item_barcode,
  item_title: row.item_title,
  brand: { brand_id: row.brand_id, brand_name: row.brand_name },
})
