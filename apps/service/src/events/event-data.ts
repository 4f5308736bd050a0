/**
 * The `data` of an event: an Order, an Adjustment, a ReturnRequest or a Contract as it was at that moment, or the type's own fields.
 * An event stores what may change later; the rest is joined when it is read (orders/order-fields.ts lists both).
 * State labels and the time zone are settings of the service, so they are applied when the event is read.
 */
import assert from 'node:assert/strict'
import { clientEventTypes, snapshotOf } from './event-types.ts'
import { fieldReader } from './read-fields.ts'
import { contractColumns, contractOf } from '../clients/contracts/list-contracts.ts'
import {
  adjustmentColumns,
  fullAdjustmentOf,
  joinedAdjustmentFields,
  joinedLineFields,
  operatorAdjustmentOf,
} from '../orders/adjustment.ts'
import { detailsOf } from '../orders/order-details.ts'
import {
  detailFields,
  historyFields,
  joinedOrderFields,
  lineFields,
  newOrderFields,
  shipmentFields,
  storedOrderFields,
} from '../orders/order-fields.ts'
import type { OrderDocument } from '../orders/order-document.ts'
import { returnFields, returnsOf, type OrderReturn, type Shipment } from '../orders/order-goods.ts'
import {
  joinedReturnRequestFields,
  operatorReturnRequestOf,
  returnRequestColumns,
  returnRequestOf,
} from '../orders/return-request.ts'
import { orderOf, orderOwnColumns, type Order, type StateLabels } from '../orders/order.ts'
import type { Metadata } from '../input/metadata.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import type { Shape, Values } from 'pg-statements/statement.ts'
import {
  bool,
  datetime,
  int8,
  json,
  jsonOf,
  nullable,
  numeric,
  text,
  type Type,
  type ValueOf,
} from 'pg-statements/types.ts'

const { order_id: _, ...ofOrder } = { ...joinedOrderFields, ...detailFields }

/** The columns of the order that an event joins; event-columns.part.sql lists them. */
export const eventOrderColumns = nullableColumns(ofOrder)

/**
 * The columns of event-columns.part.sql. Those of the order and of the adjustment are null if the event joins none. The
 * dates and times that an event stores are columns too, because PostgreSQL has to read them back.
 */
export const eventColumns = {
  event_number: int8,
  event_type: text,
  event_datetime: datetime,
  data: json,
  fits: nullable(bool),
  order_id: nullable(joinedOrderFields.order_id),
  ...eventOrderColumns,
  order_update_datetime: nullable(storedOrderFields.order_update_datetime),
  order_shipped_datetime: storedOrderFields.order_shipped_datetime,
  order_archive_datetime: storedOrderFields.order_archive_datetime,
  history: nullable(packedRows(historyFields)),
  lines: nullable(packedRows(lineFields)),
  shipped_lines: nullable(packedRows(shipmentFields)),
  returned_lines: nullable(packedRows(returnFields)),
  sent_metadata: nullable(jsonOf<Metadata>()),
  ...nullableColumns(joinedReturnRequestFields),
  ...nullableColumns(joinedAdjustmentFields),
  ...nullableColumns(joinedLineFields),
}
export type EventRow = Values<typeof eventColumns>

/** Whether the row has an event that fits. The statements return one row without an event if there is none. */
export const hasEvent = <R extends { event_number: number | null; fits: boolean | null }>(
  row: R,
): row is R & { event_number: number } => row.event_number !== null && row.fits === true

const readOrder = fieldReader({ ...orderOwnColumns, ...detailFields })
const readAdjustment = fieldReader(adjustmentColumns)
const readReturnRequest = fieldReader(returnRequestColumns)
const readContract = fieldReader({ ...contractColumns, exposure: numeric }) // The sum of its open orders.

export type EventData = Readonly<Record<string, unknown>>

/** As operators read it. */
export function eventDataOf(row: EventRow, labels: StateLabels): EventData {
  switch (snapshotOf(row.event_type)) {
    case 'order':
      return { ...orderInFullOf(row, labels), ...distributorsOf(row) }
    case 'adjustment':
      return operatorAdjustmentOf(readAdjustment({ ...row.data, ...row }))
    case 'return_request':
      return operatorReturnRequestOf(readReturnRequest({ ...row.data, ...row }))
    case 'contract': {
      const contract = readContract({ ...row.data, ...row })
      return { ...contractOf(contract), contract_used: contract.exposure }
    }
    default:
      return row.data
  }
}

/**
 * As the client reads it: of the fields that a type has of its own, only those that the catalogue of types names; and not
 * who of the distributor decided a request.
 */
export function clientDataOf(row: EventRow, labels: StateLabels): EventData {
  const of = snapshotOf(row.event_type)
  if (of === 'return_request') return returnRequestOf(readReturnRequest({ ...row.data, ...row }))
  if (of === 'adjustment') return fullAdjustmentOf(readAdjustment({ ...row.data, ...row }))
  if (of === 'order') return orderInFullOf(row, labels)
  const data = eventDataOf(row, labels)
  if (of !== null) return data
  const shown = clientEventTypes[row.event_type]?.example ?? {}
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(shown, name)))
}

/** What the distributor keeps with an order, which its client does not see. */
const distributorsOf = ({ event_type, data: { metadata, before } }: EventRow): EventData =>
  event_type === 'order.metadata_changed' ? { metadata, before } : {}

interface OrderEventData extends Order {
  readonly shipment?: Shipment
  readonly return?: OrderReturn
  readonly document?: OrderDocument
  readonly replaced?: OrderDocument
  readonly metadata?: Metadata
}

function orderInFullOf(row: EventRow, labels: StateLabels): OrderEventData & EventData {
  const { history, lines, shipped_lines, returned_lines } = row
  assert(history && lines && shipped_lines) // The event joins its order.
  const order = readOrder(
    row.event_type === 'order.created'
      ? { ...newOrderFields, ...row.data, ...row, order_update_datetime: row.order_create_datetime }
      : { ...row.data, ...row },
  )
  const full = { ...order, history, lines, shipped_lines }
  const details = detailsOf(full)
  const shipment = details.shipments.find(({ shipment_id }) => shipment_id === row.data['shipment_id'])
  const [returned] = returnsOf(returned_lines ?? [])
  const { document, replaced } = row.data as { document?: OrderDocument; replaced?: OrderDocument }
  return {
    ...orderOf(full, labels),
    ...details,
    ...(shipment && { shipment }),
    ...(returned && { return: returned }),
    ...(document && { document }),
    ...(replaced && { replaced }),
    ...(row.sent_metadata && { metadata: row.sent_metadata }),
  }
}

type NullableColumns<S extends Shape> = { [K in keyof S]: Type<ValueOf<S[K]> | null> }

function nullableColumns<S extends Shape>(columns: S): NullableColumns<S> {
  const entries = Object.entries(columns).map(([name, type]) => [name, nullable(type)])
  return Object.fromEntries(entries) as NullableColumns<S> // Object.fromEntries forgets the names.
}
