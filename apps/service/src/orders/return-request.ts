/** A client's request to return shipped goods, as clients and operators see it. */
import Type, { type Static } from 'typebox'
import type { LineQuantity } from '../input/fields.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { actorKind } from '../identity/actor.ts'
import { deciders } from './adjustment.ts'
import { integerOrNull, textOrNull, word, wordOrNull, type WordList } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int8, nullable, text } from 'pg-statements/types.ts'

export const returnRequestsMax = 100 // An order is shown with all of them, so they must not grow without limit.

export const returnRequestStatuses = ['WAIT', 'ACCEPTED', 'CANCELED', 'RETURNED'] as const

const statuses: WordList = {
  name: 'ReturnRequestStatus',
  meaning:
    'Whether a request to return goods waits for the distributor, was accepted, was rejected or withdrawn, or its goods have arrived.',
  words: returnRequestStatuses,
}

export const exampleReturnRequest = {
  return_request_id: exampleIds.return_request_id,
  order_id: exampleIds.order_id,
  request_datetime: '2026-11-18 09:45:00',
  request_status: 'WAIT',
  reason: 'Does not fit.',
  lines: [{ order_item_id: exampleIds.order_item_id, quantity: 1 }],
  instruction: null,
  canceled_message: null,
  decided_by: null,
  decided_at: null,
  return_id: null,
}

export const ReturnRequest = Type.Object(
  {
    return_request_id: Type.Integer({ description: 'The id of the request, used in paths.' }),
    order_id: Type.Integer({ description: 'The order it belongs to.' }),
    request_datetime: Type.String({ description: 'When it was made, `YYYY-MM-DD HH:MM:SS`.' }),
    request_status: word(statuses, '`WAIT` until it is decided.'),
    reason: Type.String({ description: "The client's reason." }),
    lines: Type.Array(
      Type.Object({
        order_item_id: Type.Integer({ description: 'The line of the order.' }),
        quantity: Type.Integer({ description: 'How many pieces of it.' }),
      }),
      { description: 'What is to be returned.' },
    ),
    instruction: textOrNull('How the goods come back, from the distributor; null until the request is accepted.'),
    canceled_message: textOrNull('Why it was cancelled.'),
    decided_by: wordOrNull(deciders, 'Who accepted or cancelled it; null while it waits.'),
    decided_at: textOrNull('When it was accepted or cancelled, `YYYY-MM-DD HH:MM:SS`; null while it waits.'),
    return_id: integerOrNull('The return that recorded the arrival of the goods; null until then.'),
  },
  {
    $id: 'ReturnRequest',
    description: 'A request to return shipped goods. The distributor accepts or rejects it.',
    examples: [exampleReturnRequest],
  },
)
export type ReturnRequest = Static<typeof ReturnRequest>

export const OperatorReturnRequest = Type.Object(
  {
    ...ReturnRequest.properties,
    decided_by: textOrNull(
      'Who accepted or cancelled it: a key of the client, or an operator by id, key or session, and present name; null while it waits.',
    ),
  },
  {
    $id: 'OperatorReturnRequest',
    description: 'A request to return shipped goods, as operators see it.',
    examples: [exampleReturnRequest],
  },
)
export type OperatorReturnRequest = Static<typeof OperatorReturnRequest>

/** Columns of the request (q) that an event stores: its id, and what it was at that moment. */
export const storedReturnRequestFields = { return_request_id: int8, request_status: text }

/** Those that an event joins. `returnRequestOf` leaves out what the request had not at that moment. */
export const joinedReturnRequestFields = {
  request_datetime: datetime,
  reason: text,
  instruction: text,
  canceled_message: text,
  decided_at: nullable(datetime),
  decided_by: nullable(text),
  return_id: nullable(int8),
  /** Its lines, as `20044 1,20045 3`. */
  pieces: text,
}

/** The columns of the view shown_return_requests.sql. */
export const returnRequestColumns = { order_id: int8, ...storedReturnRequestFields, ...joinedReturnRequestFields }
export type ReturnRequestRow = Values<typeof returnRequestColumns>

/** As shown_orders.sql packs them: 0 and empty for null. */
export const packedReturnRequestFields = {
  ...storedReturnRequestFields,
  ...joinedReturnRequestFields,
  decided_at: datetime,
  decided_by: text,
  return_id: int8,
}

export function returnRequestOf(row: ReturnRequestRow): ReturnRequest {
  const { return_request_id, order_id, request_datetime, request_status, reason } = row
  const isIn = (...states: (typeof returnRequestStatuses)[number][]): boolean =>
    (states as string[]).includes(request_status)
  return {
    return_request_id,
    order_id,
    request_datetime,
    request_status,
    reason,
    lines: row.pieces.split(',').map(pieceOf),
    instruction: isIn('WAIT') ? null : row.instruction || null,
    canceled_message: isIn('CANCELED') ? row.canceled_message || null : null,
    decided_by: isIn('WAIT') || row.decided_by === null ? null : actorKind(row.decided_by),
    decided_at: isIn('WAIT') ? null : row.decided_at,
    return_id: isIn('RETURNED') ? row.return_id : null,
  }
}

export const operatorReturnRequestOf = (row: ReturnRequestRow): OperatorReturnRequest => ({
  ...returnRequestOf(row),
  decided_by: row.request_status === 'WAIT' ? null : row.decided_by,
})

function pieceOf(piece: string): LineQuantity {
  const [order_item_id, quantity] = piece.split(' ')
  return { order_item_id: Number(order_item_id), quantity: Number(quantity) }
}
