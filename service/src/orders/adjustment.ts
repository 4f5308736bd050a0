import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'

export const exampleAdjustment = {
  adjustment_id: 88,
  adjustment_order_id: 5012,
  adjustment_date_create: '2026-11-15 09:45:00',
  adjustment_status: 'WAIT',
  adjustment_canceled_message: null,
  adjustment_items: [
    {
      sku_id: 1024,
      product_id: 410,
      product_name: 'Brake disc front 280 mm vented',
      sku_name: 'Brake disc front 280 mm vented, 2 pcs',
      sku: 'BX-11024',
      difference: 0,
    },
  ],
}

export const Adjustment = Type.Object(
  {
    adjustment_id: Type.Integer({ description: 'Names the adjustment in paths.' }),
    adjustment_order_id: Type.Integer({ description: 'The order it belongs to.' }),
    adjustment_date_create: Type.String({
      description: 'When it was requested, `YYYY-MM-DD HH:MM:SS`.',
      examples: ['2026-11-15 09:30:00'],
    }),
    adjustment_status: Type.String({ description: '`WAIT`, `ACCEPTED` or `CANCELED`.' }),
    adjustment_canceled_message: Type.Union([Type.String(), Type.Null()], { description: 'Why it was cancelled.' }),
    adjustment_items: Type.Array(
      Type.Object(
        {
          sku_id: Type.Integer({ description: 'The item.' }),
          product_id: Type.Integer({ description: 'The product that the item is a packaging of.' }),
          product_name: Type.String({ description: 'What the product is called.' }),
          sku_name: Type.String({ description: 'The title of the item.' }),
          sku: Type.String({ description: 'The article code of the item.' }),
          difference: Type.Integer({ description: 'By how much the quantity was changed; 0 until accepted.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    $id: 'Adjustment',
    additionalProperties: false,
    description: 'A wish to change the quantity of a line; the distributor decides.',
    examples: [exampleAdjustment],
  },
)
export type Adjustment = Static<typeof Adjustment>

export const adjustmentColumns = {
  adjustment_id: int8,
  order_id: int8,
  adjustment_date_create: datetime,
  adjustment_status: text,
  adjustment_canceled_message: nullable(text),
  difference: int4,
  item_id: int8,
  product_id: int8,
  product_name: text,
  item_title: text,
  item_vendor_code: text,
}

export type AdjustmentRow = Values<typeof adjustmentColumns>

export const adjustmentOf = (row: AdjustmentRow): Adjustment => ({
  adjustment_id: row.adjustment_id,
  adjustment_order_id: row.order_id,
  adjustment_date_create: row.adjustment_date_create,
  adjustment_status: row.adjustment_status,
  adjustment_canceled_message: row.adjustment_canceled_message,
  adjustment_items: [
    {
      sku_id: row.item_id,
      product_id: row.product_id,
      product_name: row.product_name,
      sku_name: row.item_title,
      sku: row.item_vendor_code,
      difference: row.difference,
    },
  ],
})
