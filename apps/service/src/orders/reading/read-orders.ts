import { actionColumns } from '../order-actions.ts'
import { addDetails, type OrderInclude } from '../order-details.ts'
import { detailFields, lineFields, shipmentFields } from '../order-fields.ts'
import { documentFields } from '../order-document.ts'
import { metadataFields } from '../order-metadata.ts'
import { returnFields, type OrderPromise } from '../order-goods.ts'
import { packedReturnRequestFields } from '../return-request.ts'
import { orderColumns, orderOf, type Order, type StateLabels } from '../order.ts'
import { holdable, reschedulable, type OrderState } from '../../vocabulary/order-states.ts'
import type { MetadataPair } from '../../input/metadata.ts'
import type { Actor } from '../../identity/actor.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { packedRows } from 'pg-statements/packed-rows.ts'
import { shortStatement, statement, type Values } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, nullable, plainJsonOf, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const readOrderSql = shortStatement('read-order', {
  sql: `select -- columns o
    from client_orders o
    where o.client_id = :client_id and o.order_id = :order_id`,
  parameters: { client_id: int8, order_id: int8 },
  columns: orderColumns,
})

const listParameters = {
  client_id: int8,
  states: nullable(textArray),
  date_from: nullable(datetime),
  date_to: nullable(datetime),
  sku_code: nullable(text),
  reference: nullable(text),
  pair_key: nullable(text),
  pair_value: nullable(text),
  after_id: nullable(int8),
  page_size: int8,
}

const listOrdersSql = statement(new URL('list-orders.sql', import.meta.url), {
  parameters: listParameters,
  columns: orderColumns,
})

const fullParameters = {
  items: bool,
  shipments: bool,
  returns: bool,
  documents: bool,
  metadata: bool,
  actions: bool,
  reschedulable: textArray,
  days_ahead_max: int4,
}

const listed = { ...orderColumns, ...detailFields, history_count: int4 }
const fullColumns = {
  ...listed,
  ...actionColumns,
  lines: nullable(packedRows(lineFields)),
  shipped_lines: nullable(packedRows(shipmentFields)),
  returned_lines: nullable(packedRows(returnFields)),
  return_requests: nullable(packedRows(packedReturnRequestFields)),
  documents: nullable(packedRows(documentFields)),
  metadata: nullable(packedRows(metadataFields)),
}

const readFullOrderSql = statement(new URL('read-full-order.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    order_id: int8,
    ...fullParameters,
    promise: bool,
    holding: textArray,
    newer_max: int8,
  },
  columns: { ...fullColumns, promises: nullable(plainJsonOf<OrderPromise[]>()) },
  listed,
})

const listFullOrdersSql = statement(new URL('list-full-orders.sql', import.meta.url), {
  parameters: { ...listParameters, ...fullParameters },
  columns: fullColumns,
  listed,
})

export interface OrderSettings {
  readonly stateLabels: StateLabels
  readonly shippingDaysAheadMax: number
}

const newerLinesMax = 100 // For each of up to 1,000 lines: half a second if all of them wait for goods.

interface OrderRequest {
  readonly order_id: number
  readonly include?: readonly OrderInclude[] | undefined
}

export async function readOrder(
  db: Database,
  { client_id }: Actor,
  { order_id, include }: OrderRequest,
  settings: OrderSettings,
): Promise<Order> {
  if (include === undefined) {
    const row = await db.row(readOrderSql, { client_id, order_id })
    if (row !== undefined) return orderOf(row, settings.stateLabels)
  } else {
    const row = await db.row(readFullOrderSql, {
      client_id,
      order_id,
      ...fullValues(include, settings),
      promise: include.includes('promise'),
      holding: holdable,
      newer_max: newerLinesMax,
    })
    if (row !== undefined) return fullOrderOf(row, include, settings)
  }
  throw new Refusal('order_not_found', { order_id })
}

interface OrderFilter {
  readonly include?: readonly OrderInclude[] | undefined
  readonly state?: readonly OrderState[] | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
  readonly sku_code?: string | undefined
  readonly reference?: string | undefined
  readonly metadata?: MetadataPair | undefined
}

export const ordersPageDefault = 500 // The largest page: a client written only against the contract knows no pages.
export const ordersWithLinesMax = 50 // An order has up to 1,000 lines, so a page has at most 50,000: 16 MB.

/** Orders newest first, by creation and id. */
export async function listOrders(
  db: Database,
  { client_id }: Actor,
  { include, state, date_from, date_to, sku_code, reference, metadata }: OrderFilter,
  page: PageRequest,
  settings: OrderSettings,
): Promise<Page<Order>> {
  const withLines = include?.includes('items') === true
  const cut = { ...page, limit: withLines ? Math.min(page.limit, ordersWithLinesMax) : page.limit }
  const values = {
    client_id,
    states: state === undefined ? null : [...state],
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    sku_code: sku_code ?? null,
    reference: reference ?? null,
    pair_key: metadata?.key ?? null,
    pair_value: metadata?.value ?? null,
    after_id: idAfter(cut),
    page_size: cut.limit + 1,
  }
  const idOf = ({ order_id }: { order_id: number }): number => order_id
  if (include === undefined) {
    const { data, next_cursor } = cutPage(await db.rows(listOrdersSql, values), cut, idOf)
    return { data: data.map((row) => orderOf(row, settings.stateLabels)), next_cursor }
  }
  const rows = await db.rows(listFullOrdersSql, { ...values, ...fullValues(include, settings) })
  const { data, next_cursor } = cutPage(rows, cut, idOf)
  return { data: data.map((row) => fullOrderOf(row, include, settings)), next_cursor }
}

const fullValues = (
  include: readonly OrderInclude[],
  { shippingDaysAheadMax }: OrderSettings,
): Values<typeof fullParameters> => ({
  items: include.includes('items'),
  shipments: include.includes('items') || include.includes('shipments'), // A line shows what is shipped of it.
  returns: include.includes('returns'),
  documents: include.includes('documents'),
  metadata: include.includes('metadata'),
  actions: include.includes('actions'),
  reschedulable,
  days_ahead_max: shippingDaysAheadMax,
})

const fullOrderOf = (
  row: Values<typeof fullColumns>,
  include: readonly OrderInclude[],
  { stateLabels }: OrderSettings,
): Order => addDetails(orderOf(row, stateLabels), row, include)
