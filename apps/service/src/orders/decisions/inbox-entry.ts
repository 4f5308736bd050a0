/** An open request in the operator's inbox, with the effect of accepting it. */
import Type, { type Static } from 'typebox'
import { exampleAdjustmentRequest, OperatorAdjustmentRequest } from '../adjustment.ts'
import { orderStateWords } from '../../vocabulary/order-states.ts'
import { refer, textOrNull, word, type WordList } from '../../vocabulary/schema-parts.ts'

export const inboxKinds: WordList = {
  name: 'InboxKind',
  meaning: 'What a client requests.',
  words: ['cancellation', 'adjustment', 'return'],
}
const decisions: WordList = {
  name: 'Decision',
  meaning: 'What an operator may decide.',
  words: ['accept', 'reject'],
}

const StockEffect = Type.Object({
  stock_id: Type.Integer({ description: 'The stock of the order.' }),
  item_id: Type.Integer({ description: 'The item.' }),
  item_vendor_code: Type.String({ description: 'Its article code.' }),
  item_title: Type.String({ description: 'Its title.' }),
  quantity_before: Type.Integer({ description: 'The quantity in the order now.' }),
  quantity_after: Type.Integer({ description: 'The quantity after accepting.' }),
  quantity_allowed: Type.Boolean({
    description:
      "Whether the item's quantity rules allow the quantity after accepting, as an order must; false is only a mark.",
  }),
  available: Type.Union([Type.Integer(), Type.Null()], {
    description: 'The unreserved quantity in the stock; null for a virtual order, which reserves nothing.',
  }),
})

const ReturnedLine = Type.Object({
  order_item_id: Type.Integer({ description: 'The line of the order.' }),
  item_id: Type.Integer({ description: 'The item.' }),
  item_vendor_code: Type.String({ description: 'Its article code.' }),
  item_title: Type.String({ description: 'Its title.' }),
  quantity: Type.Integer({ description: 'How many pieces are to be returned.' }),
  returnable: Type.Integer({
    description: 'How many were shipped, have not come back, and are not expected by accepted requests.',
  }),
})

const RequestedReturn = Type.Object({
  return_request_id: Type.Integer({ description: 'The id of the request in paths.' }),
  reason: Type.String({ description: "The client's reason." }),
  lines: Type.Array(ReturnedLine, { description: 'What is to be returned.' }),
})

export const InboxEntry = Type.Object(
  {
    kind: word(inboxKinds, 'What is requested.'),
    since: Type.String({ description: 'When the request was made, `YYYY-MM-DD HH:MM:SS`.' }),
    age_seconds: Type.Integer({ description: 'How long the request has been open.' }),
    adjustment_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The id of the adjustment in paths; null for another request.',
    }),
    client_id: Type.Integer({ description: 'The client that made the request.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
    order_id: Type.Integer({ description: 'The id of the order in paths.' }),
    order_number: Type.Integer({ description: "The distributor's own number of the order." }),
    reference: textOrNull("The client's own number of the order."),
    state_before: word(
      orderStateWords,
      'The current state of the order; for a cancellation, the state before the request.',
    ),
    state_after: word(
      orderStateWords,
      'The state of the order after accepting: `canceled` also if it removes the last line.',
    ),
    request: Type.Union([refer(OperatorAdjustmentRequest), Type.Null()], {
      description: 'What the adjustment requests; null for another request.',
    }),
    return_request: Type.Union([RequestedReturn, Type.Null()], {
      description: 'What is to be returned, and why; null for another request.',
    }),
    items: Type.Array(StockEffect, { description: 'The lines that accepting changes; none for a return.' }),
    contract: Type.Object(
      {
        contract_id: Type.Integer({ description: 'The contract of the order.' }),
        limit: Type.Number({ description: 'Its limit; 0 for none.' }),
        used: Type.Number({ description: 'The sum of its open orders.' }),
        change: Type.Number({ description: 'The change of that sum if the request is accepted.' }),
      },
      { description: 'The effect of accepting on the limit.' },
    ),
    decisions: Type.Array(word(decisions, 'A decision that is possible now.'), {
      description:
        '`accept` and `reject`, or only `reject` if stock, limit or what can be returned do not allow accepting now.',
    }),
  },
  {
    $id: 'InboxEntry',
    examples: [
      {
        kind: 'adjustment',
        since: '2026-11-15 09:45:00',
        age_seconds: 420,
        adjustment_id: 88,
        client_id: 1,
        client_name: 'Lindner Car Service',
        order_id: 5012,
        order_number: 100_234,
        reference: 'PO-2026-0815',
        state_before: 'new',
        state_after: 'new',
        return_request: null,
        request: { ...exampleAdjustmentRequest, requested_quantity: 5, reason: 'The customer needs more of them.' },
        items: [
          {
            stock_id: 1,
            item_id: 1024,
            item_vendor_code: 'JF-11024',
            item_title: 'Air filter washable 280 mm, 10 pcs',
            quantity_before: 4,
            quantity_after: 5,
            quantity_allowed: true,
            available: 40,
          },
        ],
        contract: { contract_id: 1, limit: 25_000, used: 1_221.04, change: 104.17 },
        decisions: ['accept', 'reject'],
      },
    ],
  },
)
export type InboxEntry = Static<typeof InboxEntry>
export type StockEffect = Static<typeof StockEffect>
export type ReturnedLine = Static<typeof ReturnedLine>
