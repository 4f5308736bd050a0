import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'

export const exampleAdjustedItem = {
  sku_id: 1024,
  product_id: 410,
  product_name: 'Brake disc front 280 mm vented',
  sku_name: 'Brake disc front 280 mm vented, 2 pcs',
  sku: 'BX-11024',
  difference: 0,
}

export const exampleAdjustment = {
  adjustment_id: 88,
  adjustment_order_id: 5012,
  adjustment_date_create: '2026-11-15 09:45:00',
  adjustment_status: 'WAIT',
  adjustment_canceled_message: null,
  adjustment_items: [exampleAdjustedItem],
}

export const Adjustment = Type.Object(
  {
    adjustment_id: Type.Integer({ description: 'The id of the adjustment, used in paths.' }),
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
          product_id: Type.Integer({ description: 'The product that the item packages.' }),
          product_name: Type.String({ description: 'The name of the product.' }),
          sku_name: Type.String({ description: 'The title of the item.' }),
          sku: Type.String({ description: 'The article code of the item.' }),
          difference: Type.Integer({ description: 'The change of the quantity; 0 until the adjustment is accepted.' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  {
    $id: 'Adjustment',
    additionalProperties: false,
    description: 'A request to change the quantity of an order line. The distributor accepts or rejects it.',
    examples: [exampleAdjustment],
  },
)
export type Adjustment = Static<typeof Adjustment>

/** Columns of the adjustment (a) that may change, and its id: an event stores them. */
export const storedAdjustmentFields = {
  adjustment_id: int8,
  adjustment_status: text,
  adjustment_canceled_message: nullable(text),
  difference: int4,
}

/** Columns of the adjustment that never change: an event joins them, as order-fields.ts explains. */
export const joinedAdjustmentFields = { adjustment_date_create: datetime }

/** Columns of the order line that never change: an event joins them. */
export const joinedLineFields = {
  item_id: int8,
  product_id: int8,
  product_name: text,
  item_title: text,
  item_vendor_code: text,
}

export const adjustmentColumns = {
  order_id: int8,
  ...storedAdjustmentFields,
  ...joinedAdjustmentFields,
  ...joinedLineFields,
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
