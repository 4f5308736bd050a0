import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from './operator-order.ts'
import { orderOfEarlierRequest } from './order-of-earlier-request.ts'
import { historyMax } from './order-actions.ts'
import { notesMax } from './order-note.ts'
import type { StateLabels } from './order.ts'
import { operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, datetime, int4, int8, nullable, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const addNoteSql = statement(new URL('add-note.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    text,
    internal: bool,
    notes_max: int8,
    history_max: int4,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: { ...operatorOrderColumns, kept_datetime: nullable(datetime) },
  refusedBy: [operatorRetryRefusedBy],
})

const explainNoteSql = statement(new URL('explain-note.sql', import.meta.url), {
  parameters: { order_id: int8 },
  columns: { history_count: int4, note_count: int8 },
})

interface NoteRequest {
  readonly order_id: number
  readonly text: string
  readonly internal: boolean
  readonly actor: string
  readonly request_id: string
}

/** An internal note is shown to operators only; any other becomes an entry of the history, with an event. */
export function addNote(db: Database, request: NoteRequest, labels: StateLabels, retry: Retry): Promise<OperatorOrder> {
  const { order_id, internal, actor } = request
  return settle(
    db,
    { statement: addNoteSql, contended: `order ${order_id}` },
    async () => {
      const noted = await db.row(addNoteSql, { ...request, ...retry, notes_max: notesMax, history_max: historyMax })
      if (noted === undefined) return orderOfEarlierRequest(db, { actor, operation: addNoteSql.name }, retry, labels)
      return operatorOrderOf({ ...noted, notes: [...newNotes(noted, request), ...noted.notes] }, labels)
    },
    async () => {
      const order = await db.row(explainNoteSql, { order_id })
      if (order === undefined) throw new Refusal('order_not_found', { order_id })
      if (internal && order.note_count >= notesMax) throw new Refusal('order_notes_full', { order_id, limit: notesMax })
      if (!internal && order.history_count >= historyMax)
        throw new Refusal('order_history_full', { order_id, limit: historyMax })
    },
  )
}

/** A statement does not read what it inserts, so the new note is added here. */
const newNotes = (
  { kept_datetime }: { kept_datetime: string | null },
  { actor, text }: NoteRequest,
): OperatorOrder['notes'] =>
  kept_datetime === null ? [] : [{ note_datetime: kept_datetime, note_author: actor, note_text: text }]
