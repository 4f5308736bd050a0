import { call, functionCall } from '../../functions/call.ts'
import { historyMax } from '../order-actions.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder, notesMax } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import { retryParameters } from '../../retries/find-earlier-answer.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { bool, int4, int8, text } from 'pg-statements/types.ts'

const addNoteSql = functionCall(new URL('add_note.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    note: text,
    internal: bool,
    notes_max: int8,
    history_max: int4,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  answer: 'operator_order(:order_id, f.refused)',
  columns: operatorOrderColumns,
})

interface NoteRequest {
  readonly order_id: number
  readonly text: string
  readonly internal: boolean
  readonly actor: string
  readonly request_id: string
}

/** An internal note is shown to operators only; any other becomes an entry of the history, with an event. */
export async function addNote(
  db: Database,
  { text: note, ...request }: NoteRequest,
  labels: StateLabels,
  retry: Retry,
): Promise<OperatorOrder> {
  const values = { ...request, note, ...retry, notes_max: notesMax, history_max: historyMax }
  return operatorOrderOf(await call(db, addNoteSql, values), labels)
}
