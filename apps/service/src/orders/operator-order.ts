/** An order as operators see it: in full, with the client and the contact that placed it. */
import Type, { type Static } from 'typebox'
import { OperatorAdjustment } from './adjustment.ts'
import { detailsOf, exampleDetails, orderDetails } from './order-details.ts'
import { detailFields, historyFields, lineFields, shipmentFields } from './order-fields.ts'
import { metadataBy, metadataFields, sentMetadata } from './order-metadata.ts'
import { documentFields, documentsOf, exampleDocument, orderDocuments } from './order-document.ts'
import { exampleReturn, orderReturns, returnFields, returnsOf } from './order-goods.ts'
import {
  exampleHistoryEntry,
  exampleOrder,
  HistoryEntry,
  orderOf,
  orderOwnColumns,
  orderProperties,
  type StateLabels,
} from './order.ts'
import { Contact, contactColumns, exampleContact } from '../clients/contact.ts'
import {
  exampleReturnRequest,
  OperatorReturnRequest,
  operatorReturnRequestOf,
  packedReturnRequestFields,
} from './return-request.ts'
import { exampleMetadata, metadataOf } from '../input/metadata.ts'
import { operatorIdOf } from '../identity/actor.ts'
import { integerOrNull, refer, textOrNull } from '../vocabulary/schema-parts.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, int8, nullable, text } from 'pg-statements/types.ts'

export const notesMax = 100 // An order is shown with all of its notes, so they must not grow without limit.

export const exampleNote = {
  note_datetime: '2026-11-15 10:00:00',
  note_author: 'operator 3 key 3, Anna Berg',
  note_text: 'Call before loading.',
}

/** An internal note on an order: operators see it, clients do not. */
export const OrderNote = Type.Object(
  {
    note_datetime: Type.String({ description: 'When it was written. `YYYY-MM-DD HH:MM:SS`.' }),
    note_author: Type.String({ description: 'Who wrote it: the operator by id, key or session, and present name.' }),
    note_text: Type.String({ description: 'The note.' }),
  },
  { $id: 'OrderNote', description: 'An internal note. Clients do not see it.', examples: [exampleNote] },
)
type OrderNote = Static<typeof OrderNote>

/** Columns of a note (m). */
export const noteFields = { note_datetime: datetime, note_author: text, note_text: text }

const noteOf = ({ note_datetime, note_author, note_text }: Values<typeof noteFields>): OrderNote => ({
  note_datetime,
  note_author,
  note_text,
})

const exampleOperatorHistoryEntry = { ...exampleHistoryEntry, actor: 'key 17', operator_id: null }

/** An entry of the history, with who made it: clients do not see that. */
export const OperatorHistoryEntry = Type.Object(
  {
    ...HistoryEntry.properties,
    actor: textOrNull(
      'Who made it: a key of the client; an operator by id, key or session, and present name; or the worker. Null if it was made before this was recorded. It is kept as long as the order.',
    ),
    operator_id: integerOrNull('The operator who made it; null for anybody else.'),
  },
  { $id: 'OperatorHistoryEntry', examples: [exampleOperatorHistoryEntry] },
)

const exampleOperatorOrder = {
  client_id: 1,
  client_name: 'Lindner Car Service',
  order_contact: exampleContact,
  hold_reason: null,
  ...exampleOrder,
  order_history: [exampleOperatorHistoryEntry],
  ...exampleDetails,
  returns: [exampleReturn],
  return_requests: [exampleReturnRequest],
  documents: [exampleDocument],
  client_metadata: exampleMetadata,
  metadata: {},
  notes: [exampleNote],
}

export const OperatorOrder = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client that placed the order.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
    order_contact: refer(Contact),
    hold_reason: textOrNull('Why the order is on hold: nobody moves it until it is released. Null if it is not.'),
    ...orderProperties,
    order_history: Type.Array(refer(OperatorHistoryEntry), { description: 'Newest first.' }),
    ...orderDetails,
    returns: orderReturns,
    return_requests: Type.Array(refer(OperatorReturnRequest), {
      description: "The client's requests to return shipped goods, oldest first.",
    }),
    documents: orderDocuments,
    client_metadata: sentMetadata,
    metadata: metadataOf(
      'What operators and their programs keep with the order, by their own keys. Clients do not see it.',
    ),
    notes: Type.Array(refer(OrderNote), { description: 'Internal notes, newest first. Clients do not see them.' }),
  },
  {
    $id: 'OperatorOrder',
    examples: [exampleOperatorOrder],
  },
)
export type OperatorOrder = Static<typeof OperatorOrder>

export const FullOrder = Type.Object(
  {
    ...OperatorOrder.properties,
    adjustments: Type.Array(refer(OperatorAdjustment), { description: 'Oldest first.' }),
  },
  {
    $id: 'FullOrder',
    description: 'An order as operators read it, with its adjustments.',
    examples: [{ ...exampleOperatorOrder, adjustments: [] }],
  },
)
export type FullOrder = Static<typeof FullOrder>

/** For the descriptions of routes that change an order. */
export const orderAsItIs =
  ' With an Idempotency-Key, a repeated request changes nothing and returns the order as it is then.'

/** The fields of the order, its client and its contact. The order has the contact's id. */
const { contact_name, contact_email } = contactColumns
export const operatorOrderFields = {
  ...orderOwnColumns,
  ...detailFields,
  client_id: int8,
  client_name: text,
  contact_name,
  contact_email,
  hold_reason: nullable(text),
}

/** A row is an order. Its lines are null where a page does not show it. */
export const operatorOrderColumns = {
  ...operatorOrderFields,
  history: packedRows(historyFields),
  lines: nullable(packedRows(lineFields)),
  notes: packedRows(noteFields),
  /** Empty where none was recorded; the last ones of these are missing. */
  actors: packedRows({ actor: text }),
  shipped_lines: packedRows(shipmentFields),
  returned_lines: packedRows(returnFields),
  return_requests: packedRows(packedReturnRequestFields),
  documents: packedRows(documentFields),
  metadata: packedRows(metadataFields),
}

export const operatorOrderOf = (row: Values<typeof operatorOrderColumns>, labels: StateLabels): OperatorOrder => {
  const { order_history, ...order } = orderOf(row, labels)
  return {
    client_id: row.client_id,
    client_name: row.client_name,
    order_contact: {
      contact_id: row.order_contact_id,
      contact_name: row.contact_name,
      contact_email: row.contact_email,
    },
    hold_reason: row.hold_reason,
    ...order,
    order_history: order_history.map((entry, n) => entryBy(entry, row.actors[n]?.actor)),
    ...detailsOf(row),
    returns: returnsOf(row.returned_lines),
    return_requests: row.return_requests.map((request) =>
      operatorReturnRequestOf({ ...request, order_id: row.order_id }),
    ),
    documents: documentsOf(row.documents),
    client_metadata: metadataBy('client', row.metadata),
    metadata: metadataBy('distributor', row.metadata),
    notes: row.notes.map(noteOf),
  }
}

const entryBy = (entry: HistoryEntry, actor = ''): Static<typeof OperatorHistoryEntry> => ({
  ...entry,
  actor: actor === '' ? null : actor,
  operator_id: operatorIdOf(actor),
})
