/** An internal note on an order: operators see it, clients do not. */
import Type, { type Static } from 'typebox'
import type { Values } from 'pg-statements/statement.ts'
import { datetime, text } from 'pg-statements/types.ts'

export const notesMax = 100 // An order is shown with all of its notes, so they must not grow without limit.

export const exampleNote = {
  note_datetime: '2026-11-15 10:00:00',
  note_author: 'operator key 3, Anna Berg',
  note_text: 'Call before loading.',
}

export const OrderNote = Type.Object(
  {
    note_datetime: Type.String({ description: 'When it was written. `YYYY-MM-DD HH:MM:SS`.' }),
    note_author: Type.String({ description: 'Who wrote it: the operator key and its name.' }),
    note_text: Type.String({ description: 'The note.' }),
  },
  { $id: 'OrderNote', description: 'An internal note. Clients do not see it.', examples: [exampleNote] },
)
export type OrderNote = Static<typeof OrderNote>

/** Columns of a note (m). */
export const noteFields = { note_datetime: datetime, note_author: text, note_text: text }

export const noteOf = ({ note_datetime, note_author, note_text }: Values<typeof noteFields>): OrderNote => ({
  note_datetime,
  note_author,
  note_text,
})
