/** Documents of an order: put and removed by operators, mostly by a program of the ERP. */
import { call, functionCall } from '../../functions/call.ts'
import { documentsMax } from '../order-document.ts'
import { operatorOrderColumns, operatorOrderOf, type OperatorOrder } from '../operator-order.ts'
import type { StateLabels } from '../order.ts'
import type { Database } from 'pg-statements/database.ts'
import { date, int4, int8, nullable, text } from 'pg-statements/types.ts'

const named = { order_id: int8, kind: text, number: text, actor: text, request_id: text }
const answered = { answer: 'operator_order(:order_id, f.refused)', columns: operatorOrderColumns }

const putDocumentSql = functionCall(new URL('put_document.sql', import.meta.url), {
  parameters: { ...named, url: text, issued_on: nullable(date), documents_max: int4 },
  ...answered,
})

const removeDocumentSql = functionCall(new URL('remove_document.sql', import.meta.url), {
  parameters: named,
  ...answered,
})

interface NamedDocument {
  readonly order_id: number
  readonly kind: string
  readonly number: string
  readonly actor: string
  readonly request_id: string
}

/** Puts a document on an order, in place of one of its kind and number. */
export const putDocument = async (
  db: Database,
  { issued_on = null, ...document }: NamedDocument & { url: string; issued_on?: string | null | undefined },
  labels: StateLabels,
): Promise<OperatorOrder> =>
  operatorOrderOf(await call(db, putDocumentSql, { ...document, issued_on, documents_max: documentsMax }), labels)

export const removeDocument = async (
  db: Database,
  document: NamedDocument,
  labels: StateLabels,
): Promise<OperatorOrder> => operatorOrderOf(await call(db, removeDocumentSql, document), labels)
