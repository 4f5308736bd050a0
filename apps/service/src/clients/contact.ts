import Type, { type Static } from 'typebox'
import { int8, nullable, text } from 'pg-statements/types.ts'

export const exampleContact = { contact_id: 1, contact_name: 'Marta Lindner', contact_email: 'marta@lindner.example' }

export const Contact = Type.Object(
  {
    contact_id: Type.Integer({ description: 'Identifies the contact. Keys are issued to contacts.' }),
    contact_name: Type.String({ description: "The contact's name." }),
    contact_email: Type.Union([Type.String(), Type.Null()], { description: 'The email address; null if unknown.' }),
  },
  { $id: 'Contact', examples: [exampleContact] },
)
export type Contact = Static<typeof Contact>

export const contactColumns = { contact_id: int8, contact_name: text, contact_email: nullable(text) }
