/** The operator's inbox: open cancellation, adjustment and return requests, each with the effect of accepting it. */
import type { InboxEntry, ReturnedLine, StockEffect } from './inbox-entry.ts'
import { cutPage, type Page, type PageRequest, positionAfter } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'

const entryColumns = {
  kind: text,
  since_micros: int8,
  since: datetime,
  age_seconds: int8,
  id: int8,
  client_id: int8,
  client_name: text,
  order_id: int8,
  order_number: int8,
  reference: nullable(text),
  order_state_id: text,
  state_before_request: nullable(text),
  order_total: numeric,
  virtual: bool,
  stock_id: int8,
  contract_id: int8,
  contract_limit: numeric,
  exposure: numeric,
  total_difference: numeric,
  over_limit: bool,
}

const listInboxSql = statement(new URL('list-inbox.sql', import.meta.url), {
  parameters: { after_micros: int8, after_kind: text, after_id: int8, page_size: int8 },
  columns: {
    ...entryColumns,
    order_item_id: int8,
    item_id: int8,
    item_vendor_code: text,
    item_title: text,
    order_item_quantity: int4,
    quantity_before: nullable(int4),
    quantity_wanted: nullable(int4),
    reason: nullable(text),
    emptied: bool,
    available: nullable(int8),
    back_order: nullable(bool),
    quantity_allowed: bool,
    returning: nullable(int4),
    returnable: nullable(int4),
  },
})

type InboxRow = Values<(typeof listInboxSql)['columns']>

interface Place {
  readonly entry: InboxEntry
  readonly position: string
}

/** Oldest first. */
export async function listInbox(db: Database, page: PageRequest): Promise<Page<InboxEntry>> {
  const [, micros = '0', kind = '', id = '0'] =
    positionAfter(page, /^(\d{1,16})-(cancellation|adjustment|return)-(\d{1,16})$/) ?? []
  const rows = await db.rows(listInboxSql, {
    after_micros: Number(micros),
    after_kind: kind,
    after_id: Number(id),
    page_size: page.limit + 1,
  })
  const { data, next_cursor } = cutPage(entriesOf(rows), page, ({ position }) => position)
  return { data: data.map(({ entry }) => entry), next_cursor }
}

/** Rows come entry by entry; a cancellation and a return have one row per line. */
function entriesOf(rows: readonly InboxRow[]): Place[] {
  const places: Place[] = []
  for (const row of rows) {
    const position = `${row.since_micros}-${row.kind}-${row.id}`
    let place = places.at(-1)
    if (place?.position !== position) {
      place = { entry: entryOf(row), position }
      places.push(place)
    }
    if (place.entry.return_request) addReturned(place.entry, row)
    else if (row.order_item_quantity > 0) place.entry.items.push(effectOf(row)) // Others were removed from the order.
  }
  return places
}

function entryOf(row: InboxRow): InboxEntry {
  const { kind, since, age_seconds, client_id, client_name, order_id, order_number, reference, contract_id } = row
  const adjustment = kind === 'adjustment'
  return {
    kind,
    since,
    age_seconds,
    adjustment_id: adjustment ? row.id : null,
    client_id,
    client_name,
    order_id,
    order_number,
    reference,
    state_before: row.state_before_request ?? row.order_state_id,
    state_after: kind === 'return' || (adjustment && !row.emptied) ? row.order_state_id : 'canceled',
    request: openRequestOf(row),
    return_request: kind === 'return' ? { return_request_id: row.id, reason: row.reason ?? '', lines: [] } : null,
    items: [],
    contract: { contract_id, limit: row.contract_limit, used: row.exposure, change: row.total_difference },
    decisions: adjustment && !isAcceptable(row) ? ['reject'] : ['accept', 'reject'],
  }
}

/** Nothing has been decided: the inbox lists open requests. */
function openRequestOf({ order_item_id, quantity_before, quantity_wanted, reason }: InboxRow): InboxEntry['request'] {
  if (quantity_before === null || quantity_wanted === null) return null
  return {
    order_item_id,
    requested_quantity: quantity_wanted,
    quantity_before,
    reason,
    decided_by: null,
    decided_at: null,
  }
}

function addReturned({ return_request, decisions }: InboxEntry, row: InboxRow): void {
  const { order_item_id, item_id, item_vendor_code, item_title } = row
  const [quantity, returnable] = [row.returning ?? 0, Math.max(row.returnable ?? 0, 0)]
  const line: ReturnedLine = { order_item_id, item_id, item_vendor_code, item_title, quantity, returnable }
  return_request?.lines.push(line)
  if (quantity > returnable && decisions[0] === 'accept') decisions.shift()
}

function isAcceptable({
  over_limit,
  virtual,
  back_order,
  available,
  quantity_wanted,
  order_item_quantity,
}: InboxRow): boolean {
  const more = (quantity_wanted ?? 0) - order_item_quantity
  return !over_limit && (virtual || back_order === true || more <= (available ?? 0))
}

function effectOf(row: InboxRow): StockEffect {
  const { stock_id, item_id, item_vendor_code, item_title } = row
  return {
    stock_id,
    item_id,
    item_vendor_code,
    item_title,
    quantity_before: row.order_item_quantity,
    quantity_after: row.quantity_wanted ?? 0,
    quantity_allowed: row.quantity_allowed,
    available: row.virtual ? null : row.available,
  }
}
