/** A document of an order, such as an invoice: a link that the distributor puts on the order. */
import Type, { type Static } from 'typebox'
import { refer, textOrNull, word, type WordList } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { text } from 'pg-statements/types.ts'

export const documentsMax = 50 // An order is shown with all of them, so they must not grow without limit.

export const documentKinds = ['invoice', 'delivery_note', 'credit_note', 'other'] as const

const kinds: WordList = { name: 'DocumentKind', meaning: 'What a document of an order is.', words: documentKinds }

export const exampleDocument = {
  kind: 'invoice',
  number: 'R-2026-4711',
  url: 'https://documents.distributor.example/invoices/R-2026-4711.pdf',
  issued_on: '2026-11-20',
}

export const OrderDocument = Type.Object(
  {
    kind: word(kinds, 'What it is.'),
    number: Type.String({ description: "The document's number." }),
    url: Type.String({ description: "Where it is. The distributor's server decides who may read it." }),
    issued_on: textOrNull('The day on which it was issued, `YYYY-MM-DD`, if that is known.'),
  },
  { $id: 'OrderDocument', description: 'A link to a document of an order.', examples: [exampleDocument] },
)
export type OrderDocument = Static<typeof OrderDocument>

export const orderDocuments = Type.Array(refer(OrderDocument), {
  description: 'Links to invoices and other documents, by the day of issue; those without a day come last.',
})

/** Columns of a document (d). The day is empty if none was given. */
export const documentFields = { kind: text, number: text, url: text, issued_on: text }

export const documentsOf = (rows: readonly Values<typeof documentFields>[]): OrderDocument[] =>
  rows.map(({ kind, number, url, issued_on }) => ({ kind, number, url, issued_on: issued_on || null }))
