import Type, { type Static } from 'typebox'
import { actorKind, actorKinds } from '../identity/actor.ts'
import { refer, word, wordOrNull, type WordList } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'

export const adjustmentStatuses = ['WAIT', 'ACCEPTED', 'CANCELED'] as const

const statuses: WordList = {
  name: 'AdjustmentStatus',
  meaning: 'Whether an adjustment waits for the distributor, was accepted, or was rejected, withdrawn or superseded.',
  words: adjustmentStatuses,
}

export const deciders: WordList = {
  name: 'AdjustmentDecider',
  meaning:
    'Who decided an adjustment or a request to return goods: the client itself, the distributor, or the service automatically.',
  words: actorKinds,
}

export const exampleAdjustedItem = {
  sku_id: 1024,
  product_id: 410,
  product_name: 'Air filter washable 280 mm',
  sku_name: 'Air filter washable 280 mm, 10 pcs',
  sku: 'JF-11024',
  difference: 0,
}

export const exampleAdjustmentRequest = {
  order_item_id: 20_044,
  requested_quantity: 3,
  quantity_before: 4,
  reason: 'Ordered twice by mistake.',
  decided_by: null,
  decided_at: null,
}

export const exampleAdjustment = {
  adjustment_id: 88,
  adjustment_order_id: 5012,
  adjustment_date_create: '2026-11-15 09:45:00',
  adjustment_status: 'WAIT',
  adjustment_canceled_message: null,
  adjustment_items: [exampleAdjustedItem],
}

export const AdjustmentRequest = Type.Object(
  {
    order_item_id: Type.Integer({ description: 'The line of the order.' }),
    requested_quantity: Type.Integer({ description: 'The requested quantity; 0 removes the line.' }),
    quantity_before: Type.Integer({ description: 'The quantity of the line when the change was requested.' }),
    reason: Type.Union([Type.String(), Type.Null()], { description: "The client's reason, if it gave one." }),
    decided_by: wordOrNull(
      deciders,
      'Who accepted or cancelled it. Null while it is open, and if it was decided before this was recorded.',
    ),
    decided_at: Type.Union([Type.String(), Type.Null()], {
      description: 'When it was accepted or cancelled, `YYYY-MM-DD HH:MM:SS`; null while it is open.',
    }),
  },
  {
    $id: 'AdjustmentRequest',
    description: 'What an adjustment requests, and who decided it.',
    examples: [exampleAdjustmentRequest],
  },
)
type AdjustmentRequest = Static<typeof AdjustmentRequest>

export const OperatorAdjustmentRequest = Type.Object(
  {
    ...AdjustmentRequest.properties,
    decided_by: Type.Union([Type.String(), Type.Null()], {
      description:
        'Who accepted or cancelled it: a key of the client; an operator by id, key or session, and present name; or `service`. Null while it is open, and if it was decided before this was recorded.',
    }),
  },
  {
    $id: 'OperatorAdjustmentRequest',
    description: 'What an adjustment requests, and who decided it, as operators see it.',
    examples: [
      { ...exampleAdjustmentRequest, decided_by: 'operator 3 key 3, Anna Berg', decided_at: '2026-11-15 10:00:00' },
    ],
  },
)
type OperatorAdjustmentRequest = Static<typeof OperatorAdjustmentRequest>

export const Adjustment = Type.Object(
  {
    adjustment_id: Type.Integer({ description: 'The id of the adjustment, used in paths.' }),
    adjustment_order_id: Type.Integer({ description: 'The order it belongs to.' }),
    adjustment_date_create: Type.String({
      description: 'When it was requested, `YYYY-MM-DD HH:MM:SS`.',
      examples: ['2026-11-15 09:30:00'],
    }),
    adjustment_status: word(statuses, '`WAIT` until it is decided, and in the answer to the request.'),
    adjustment_canceled_message: Type.Union([Type.String(), Type.Null()], { description: 'Why it was cancelled.' }),
    adjustment_items: Type.Array(
      Type.Object({
        sku_id: Type.Integer({ description: 'The item.' }),
        product_id: Type.Integer({ description: 'The product that the item packages.' }),
        product_name: Type.String({ description: 'The name of the product.' }),
        sku_name: Type.String({ description: 'The title of the item.' }),
        sku: Type.String({ description: 'The article code of the item.' }),
        difference: Type.Integer({ description: 'The change of the quantity; 0 until the adjustment is accepted.' }),
      }),
    ),
    request: Type.Optional(refer(AdjustmentRequest)),
  },
  {
    $id: 'Adjustment',
    description: 'A request to change the quantity of an order line. The distributor accepts or rejects it.',
    examples: [exampleAdjustment],
  },
)
export type Adjustment = Static<typeof Adjustment>

export const OperatorAdjustment = Type.Object(
  { ...Adjustment.properties, request: refer(OperatorAdjustmentRequest) },
  {
    $id: 'OperatorAdjustment',
    description: 'An adjustment as operators see it.',
    examples: [{ ...exampleAdjustment, request: exampleAdjustmentRequest }],
  },
)
export type OperatorAdjustment = Static<typeof OperatorAdjustment>

/** What `include=` adds to an adjustment. */
export const adjustmentIncludes = ['request'] as const
export type AdjustmentInclude = (typeof adjustmentIncludes)[number]

/** The reason that is shown of an adjustment that its client withdrew. A withdrawn one is recognised by it. */
export const withdrawnMessage = 'Withdrawn by the client.'

/** Columns of the adjustment (a) that may change, and its id: an event stores them. */
export const storedAdjustmentFields = {
  adjustment_id: int8,
  adjustment_status: text,
  adjustment_canceled_message: nullable(text),
  difference: int4,
}

/**
 * Columns of the adjustment that never change, or only once, when it is decided: an event joins them, as
 * order-fields.ts explains. The event of a request stores the status WAIT, by which `requestOf` knows that it had not been
 * decided.
 */
export const joinedAdjustmentFields = {
  adjustment_date_create: datetime,
  order_item_id: int8,
  quantity_before: int4,
  quantity_wanted: int4,
  reason: nullable(text),
  decided_by: nullable(text),
  decided_at: nullable(datetime),
}

/** Columns of the order line that never change: an event joins them. */
export const joinedLineFields = {
  item_id: int8,
  product_id: int8,
  product_name: text,
  item_title: text,
  item_vendor_code: text,
}

/** The columns of the view shown_adjustments.sql. */
export const adjustmentColumns = {
  order_id: int8,
  ...storedAdjustmentFields,
  ...joinedAdjustmentFields,
  ...joinedLineFields,
}

export type AdjustmentRow = Values<typeof adjustmentColumns>

/** The fields of the contract: docs/reference/contract.md, Adjustment. */
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

/** With what it requests, as clients read it: they see which side decided, and no names or keys. */
export function fullAdjustmentOf(row: AdjustmentRow): Adjustment & { request: AdjustmentRequest } {
  const { decided_by, ...request } = requestOf(row)
  return {
    ...adjustmentOf(row),
    request: { ...request, decided_by: decided_by === null ? null : actorKind(decided_by) },
  }
}

/** With what it requests, as operators read it. */
export const operatorAdjustmentOf = (row: AdjustmentRow): OperatorAdjustment => ({
  ...adjustmentOf(row),
  request: requestOf(row),
})

type RequestRow = Pick<AdjustmentRow, keyof typeof joinedAdjustmentFields | 'adjustment_status'>

export function requestOf(row: RequestRow): OperatorAdjustmentRequest {
  const open = row.adjustment_status === 'WAIT'
  return {
    order_item_id: row.order_item_id,
    requested_quantity: row.quantity_wanted,
    quantity_before: row.quantity_before,
    reason: row.reason,
    decided_by: open ? null : row.decided_by,
    decided_at: open ? null : row.decided_at,
  }
}
