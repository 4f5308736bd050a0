/** The log of what happened, with old and new values. */
import Type, { type Static } from 'typebox'
import { eventTypeWords } from '../event-types.ts'
import { operatorIdOf } from '../../identity/actor.ts'
import { idMax } from '../../input/fields.ts'
import { newOrderFields } from '../../orders/order-fields.ts'
import { type Page, type PageRequest, positionAfter } from '../../vocabulary/paging.ts'
import { word, textOrNull } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, datetime, int8, json, jsonOf, nullable, text } from 'pg-statements/types.ts'

const numberOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })

export const LogEntry = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client it happened to.' }),
    client_name: Type.String({ description: "The client's present name." }),
    event_number: Type.Integer({ description: "The number of the event in the client's log." }),
    event_type: word(eventTypeWords, 'What happened.'),
    event_datetime: Type.String({ description: 'When it happened, `YYYY-MM-DD HH:MM:SS`.' }),
    order_id: numberOrNull('The order it happened to, if any.'),
    order_number: numberOrNull("The distributor's own number of the order."),
    actor: Type.String({
      description:
        'Who caused it: a key of the client; an operator by id, key or session, and present name; or the worker.',
    }),
    operator_id: numberOrNull('The operator who caused it; null for anybody else.'),
    request_id: Type.String({ description: 'The X-Request-Id of the request that caused it.' }),
    changes: Type.Array(
      Type.Object({
        field: Type.String({ description: 'What changed; `quantity` for a line.' }),
        order_item_id: numberOrNull('The line of the order, if a line changed.'),
        article: Type.Optional(Type.String({ description: 'The article of the line.' })),
        old: textOrNull('The value before; null if there was none, or if it was not recorded.'),
        new: textOrNull('The value after; lists as JSON.'),
      }),
      { description: 'What changed. Of a new order nothing: read the order.' },
    ),
  },
  {
    $id: 'LogEntry',
    examples: [
      {
        client_id: 1,
        client_name: 'Lindner Car Service',
        event_number: 8,
        event_type: 'order.state_changed',
        event_datetime: '2026-11-15 10:00:00',
        order_id: 5012,
        order_number: 100_234,
        actor: 'operator 3 key 3, Anna Berg',
        operator_id: 3,
        request_id: 'pC2k9QxZ-1f',
        changes: [{ field: 'order_state_id', order_item_id: null, old: 'new', new: 'processing' }],
      },
    ],
  },
)
export type LogEntry = Static<typeof LogEntry>

const listLogSql = statement(new URL('list-log.sql', import.meta.url), {
  parameters: {
    way: text,
    order_id: nullable(int8),
    client: nullable(int8),
    operator_id: nullable(text),
    actor: nullable(text),
    event_type: nullable(text),
    date_from: nullable(datetime),
    date_to: nullable(datetime),
    before_key: nullable(int8),
    before_client: int8,
    before_number: int8,
    scan_max: int8,
    page_size: int8,
  },
  columns: {
    client_id: int8,
    client_name: text,
    event_number: int8,
    event_type: text,
    event_datetime: datetime,
    key: int8,
    order_id: nullable(int8),
    order_number: nullable(int8),
    actor: text,
    request_id: text,
    data: json,
    data_before: nullable(json),
    lines: jsonOf<{ order_item_id: number; article: string; old: number; new: number }[]>(),
    found: bool,
  },
})

type LogRow = Values<(typeof listLogSql)['columns']>

export interface LogFilter {
  readonly order_id?: number | undefined
  readonly client_id?: number | undefined
  readonly operator_id?: number | undefined
  /** Of an operator, as an entry shows it, the id counts. */
  readonly actor?: string | undefined
  readonly event_type?: string | undefined
  readonly date_from?: string | undefined
  readonly date_to?: string | undefined
}

interface LogPosition {
  /** The time in microseconds, or the transaction if everything is listed. */
  readonly key: number
  readonly client: number
  readonly number: number
}

export const eventsScannedMax = 2_000 // Events examined for one page, as many as a page of orders examines.

/** Newest first. */
export async function listLog(db: Database, filter: LogFilter, page: PageRequest): Promise<Page<LogEntry>> {
  const [, key, client, number] = positionAfter(page, /^(\d+)-(\d+)-(\d+)$/) ?? []
  const before = key === undefined ? null : { key: Number(key), client: Number(client), number: Number(number) }
  const rows = await db.rows(listLogSql, logPage(filter, before, page.limit + 1))
  const found = rows.filter((row) => row.found)
  const shown = found.slice(0, page.limit)
  // After a full page, the next one starts after its last event; otherwise after the last event examined.
  const last = found.length > shown.length ? shown.at(-1) : rows.find((row) => !row.found)
  return {
    data: shown.map(entryOf),
    next_cursor: last === undefined ? null : page.cursorAt(`${last.key}-${last.client_id}-${last.event_number}`),
  }
}

/** The statement's parameters for a page. */
export function logPage(
  filter: LogFilter,
  before: LogPosition | null,
  page_size: number,
): Values<(typeof listLogSql)['parameters']> {
  const { order_id, client_id, actor = null, event_type, date_from, date_to } = filter
  const operator_id = operatorOf(filter)
  return {
    way: wayTo(filter),
    order_id: order_id ?? null,
    client: client_id ?? null,
    operator_id: operator_id === null ? null : String(operator_id),
    actor: operator_id === null ? actor : null,
    event_type: event_type ?? null,
    date_from: date_from ?? null,
    date_to: date_to ?? null,
    before_key: before?.key ?? null,
    before_client: before?.client ?? 0,
    before_number: before?.number ?? ((order_id ?? client_id) === undefined ? 0 : idMax),
    scan_max: eventsScannedMax,
    page_size,
  }
}

/** The most selective index for the filters. */
function wayTo(filter: LogFilter): string {
  const { order_id, client_id, event_type } = filter
  if (order_id !== undefined) return 'order'
  if (client_id !== undefined) return 'client'
  if (operatorOf(filter) !== null) return 'operator'
  return event_type === undefined || event_type === 'order.created' ? 'all' : 'type'
}

const operatorOf = ({ operator_id, actor = '' }: LogFilter): number | null => operator_id ?? operatorIdOf(actor)

const entryOf = (row: LogRow): LogEntry => ({
  client_id: row.client_id,
  client_name: row.client_name,
  event_number: row.event_number,
  event_type: row.event_type,
  event_datetime: row.event_datetime,
  order_id: row.order_id,
  order_number: row.order_number,
  actor: row.actor,
  operator_id: operatorIdOf(row.actor),
  request_id: row.request_id,
  changes: [
    ...changesOf(row),
    ...row.lines.map((line) => ({
      field: 'quantity',
      order_item_id: line.order_item_id,
      article: line.article,
      old: String(line.old),
      new: String(line.new),
    })),
  ],
})

/** Fields that every event of an order changes, or whose time is that of the event. */
const notShown = new Set(['order_update_datetime', 'order_archive_datetime', 'history_count'])

function changesOf({ event_type, data, data_before }: LogRow): LogEntry['changes'] {
  const ofOrder = event_type.startsWith('order.')
  if (ofOrder && data_before === null) return [] // A new order; or the events before it have expired.
  const { before = {}, ...set } = data as { before?: Record<string, unknown> } & Record<string, unknown>
  const old: Record<string, unknown> = ofOrder ? { ...newOrderFields, ...data_before } : before
  return [...new Set(Object.keys({ ...set, ...before }))]
    .map((field) => ({ field, order_item_id: null, old: textOf(old[field]), new: textOf(set[field]) }))
    .filter((change) => !(ofOrder && (notShown.has(change.field) || change.old === change.new)))
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null
  return typeof value === 'string' ? value : JSON.stringify(value)
}
