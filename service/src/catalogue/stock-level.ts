/** What lies in a stock, as the distributor sees it. */
import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { bool, int8, text } from 'pg-statements/types.ts'

export const StockLevel = Type.Object(
  {
    stock_id: Type.Integer({ description: 'The stock.' }),
    stock_name: Type.String({ description: 'What it is called.' }),
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: Type.String({ description: 'Its article code.' }),
    item_title: Type.String({ description: 'What people call it.' }),
    on_hand: Type.Integer({ description: 'What lies there.' }),
    reserved: Type.Integer({ description: 'What of it orders have taken that are not shipped yet.' }),
    available: Type.Integer({ description: 'What can still be ordered, back-orders aside.' }),
    back_order: Type.Boolean({ description: 'Whether more can be ordered than lies there.' }),
  },
  {
    $id: 'StockLevel',
    additionalProperties: false,
    examples: [
      {
        stock_id: 1,
        stock_name: 'Hamburg',
        item_id: 1024,
        item_vendor_code: 'BX-11024',
        item_title: 'Brake disc front 280 mm vented, 2 pcs',
        on_hand: 40,
        reserved: 3,
        available: 37,
        back_order: false,
      },
    ],
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
}

export const stockLevelOf = (row: Values<typeof stockLevelColumns>): StockLevel => ({
  ...row,
  available: Math.max(row.on_hand - row.reserved, 0),
})
