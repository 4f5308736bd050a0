/** The stock level of an item, as operators see it. */
import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'

export const exampleLevel = {
  stock_id: 1,
  stock_name: 'Hamburg',
  item_id: 1024,
  item_vendor_code: 'JF-11024',
  item_title: 'Air filter washable 280 mm, 10 pcs',
  on_hand: 40,
  reserved: 3,
  available: 37,
  back_order: false,
  shortage: 0,
}

export const StockLevel = Type.Object(
  {
    stock_id: Type.Integer({ description: 'The stock.' }),
    stock_name: Type.String({ description: 'Its name.' }),
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: Type.String({ description: 'Its article code.' }),
    item_title: Type.String({ description: 'Its title.' }),
    on_hand: Type.Integer({ description: 'Pieces in stock.' }),
    reserved: Type.Integer({ description: 'Pieces reserved by orders that have not shipped.' }),
    available: Type.Integer({ description: 'Pieces that can be ordered now, without back-orders.' }),
    back_order: Type.Boolean({ description: 'Whether more can be ordered than is in stock.' }),
    shortage: Type.Integer({
      description: 'Reserved pieces that a count did not find. Nothing new can be reserved until arrivals cover them.',
    }),
  },
  {
    $id: 'StockLevel',
    examples: [exampleLevel],
  },
)
export type StockLevel = Static<typeof StockLevel>

export const stockLevelColumns = {
  stock_id: int8,
  stock_name: text,
  item_id: int8,
  item_vendor_code: text,
  item_title: text,
  on_hand: int8,
  reserved: int8,
  back_order: bool,
  shortage: int8,
}

export const stockLevelOf = (row: Values<typeof stockLevelColumns>): StockLevel => ({
  ...row,
  available: Math.max(row.on_hand - row.reserved, 0),
})
