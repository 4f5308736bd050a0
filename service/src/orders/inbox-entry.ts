/** An open request in the operator's inbox, with the effect of accepting it. */
import Type, { type Static } from 'typebox'

const StockEffect = Type.Object(
  {
    stock_id: Type.Integer({ description: 'The stock of the order.' }),
    item_id: Type.Integer({ description: 'The item.' }),
    item_vendor_code: Type.String({ description: 'Its article code.' }),
    item_title: Type.String({ description: 'Its title.' }),
    quantity_before: Type.Integer({ description: 'The quantity in the order now.' }),
    quantity_after: Type.Integer({ description: 'The quantity after accepting.' }),
    available: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The unreserved quantity in the stock; null for a virtual order, which reserves nothing.',
    }),
  },
  { additionalProperties: false },
)

export const InboxEntry = Type.Object(
  {
    kind: Type.String({ description: '`cancellation` or `adjustment`.' }),
    since: Type.String({ description: 'When the request was made, `YYYY-MM-DD HH:MM:SS`.' }),
    age_seconds: Type.Integer({ description: 'How long the request has been open.' }),
    adjustment_id: Type.Union([Type.Integer(), Type.Null()], {
      description: 'The id of the adjustment in paths; null for a cancellation.',
    }),
    client_id: Type.Integer({ description: 'The client that made the request.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
    order_id: Type.Integer({ description: 'The id of the order in paths.' }),
    order_number: Type.Integer({ description: "The distributor's own number of the order." }),
    state_before: Type.String({
      description: 'The current state of the order; for a cancellation, the state before the request.',
    }),
    state_after: Type.String({ description: 'The state of the order after accepting.' }),
    items: Type.Array(StockEffect, { description: 'The lines that accepting changes.' }),
    contract: Type.Object(
      {
        contract_id: Type.Integer({ description: 'The contract of the order.' }),
        limit: Type.Number({ description: 'Its limit; 0 for none.' }),
        used: Type.Number({ description: 'The sum of its open orders.' }),
        change: Type.Number({ description: 'The change of that sum if the request is accepted.' }),
      },
      { additionalProperties: false, description: 'The effect of accepting on the limit.' },
    ),
    decisions: Type.Array(Type.String(), {
      description: '`accept` and `reject`, or only `reject` if stock or limit do not allow accepting now.',
    }),
  },
  {
    $id: 'InboxEntry',
    additionalProperties: false,
    examples: [
      {
        kind: 'adjustment',
        since: '2026-11-15 09:45:00',
        age_seconds: 420,
        adjustment_id: 88,
        client_id: 12,
        client_name: 'Autohaus Lindner',
        order_id: 5012,
        order_number: 100_234,
        state_before: 'new',
        state_after: 'new',
        items: [
          {
            stock_id: 1,
            item_id: 1024,
            item_vendor_code: 'BX-11024',
            item_title: 'Brake disc front 280 mm vented, 2 pcs',
            quantity_before: 2,
            quantity_after: 5,
            available: 40,
          },
        ],
        contract: { contract_id: 7, limit: 25_000, used: 1_221.04, change: 173.7 },
        decisions: ['accept', 'reject'],
      },
    ],
  },
)
export type InboxEntry = Static<typeof InboxEntry>
export type StockEffect = Static<typeof StockEffect>
