import Type, { type Static } from 'typebox'
import { call, functionCall } from '../../functions/call.ts'
import type { Database } from 'pg-statements/database.ts'
import { int8, text } from 'pg-statements/types.ts'

export const ErasedContact = Type.Object(
  {
    contact_id: Type.Integer({ description: 'The contact. Its orders and keys still refer to it.' }),
    contact_name: Type.String({ description: 'What is shown instead of its name.' }),
    revoked_keys: Type.Integer({ description: 'How many of its keys were revoked.' }),
    erased_comments: Type.Integer({ description: 'How many comments of its orders were erased.' }),
    erased_reasons: Type.Integer({
      description: 'How many reasons of adjustments and requested returns of its orders were erased.',
    }),
    erased_events: Type.Integer({ description: 'In how many stored events its name was replaced.' }),
  },
  {
    $id: 'ErasedContact',
    examples: [
      {
        contact_id: 1,
        contact_name: 'Erased contact',
        revoked_keys: 1,
        erased_comments: 3,
        erased_reasons: 0,
        erased_events: 2,
      },
    ],
  },
)
export type ErasedContact = Static<typeof ErasedContact>

const eraseContactSql = functionCall(new URL('erase_contact.sql', import.meta.url), {
  parameters: { client: int8, contact: int8, actor: text, request_id: text },
  columns: { contact_name: text, revoked_keys: int8, erased_comments: int8, erased_reasons: int8, erased_events: int8 },
})

interface Erasure {
  readonly client_id: number
  readonly contact_id: number
  readonly actor: string
  readonly request_id: string
}

/**
 * Erases the personal data of a contact and revokes its keys. What its orders say about goods, money, states and delivery
 * stays. Erasing again erases what has been added since. `slowDb`, because a contact may have very many orders.
 */
export async function eraseContact(
  slowDb: Database,
  { client_id: client, contact_id, ...by }: Erasure,
): Promise<ErasedContact> {
  return { contact_id, ...(await call(slowDb, eraseContactSql, { client, contact: contact_id, ...by })) }
}
