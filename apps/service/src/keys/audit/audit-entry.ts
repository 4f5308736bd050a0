/** An entry of the audit log. */
import Type, { type Static } from 'typebox'
import { word, type WordList } from '../../vocabulary/schema-parts.ts'
import { account } from '../operators/operator.ts'
import { datetime, int8, json, jsonOf, nullable, text } from 'pg-statements/types.ts'

/** What each action means. `subject`, `old_value` and `new_value` are what the statement of the action writes. */
export const auditMeanings = {
  key_issued: "a client's key was issued",
  key_revoked: "a client's key was revoked",
  operator_key_issued: "an operator's key was issued",
  operator_key_revoked: "an operator's key was revoked",
  session_started: 'an operator signed in',
  session_ended: 'a session of an operator ended',
  sign_in_failed:
    'somebody tried to sign in with an invalid key, with a key although that is switched off, or with a company account that has no role or is not confirmed',
  role_missing: 'an operator asked for something that its role may not do',
  contact_erased: 'the personal data of a contact was erased',
  operator_erased: 'the name of an operator was erased',
  cart_created: 'an operator created a cart for a client',
  cart_renamed: 'an operator renamed a cart of a client',
  cart_deleted: 'an operator deleted a cart of a client',
  cart_item_added: 'an operator added an item to a cart of a client',
  cart_items_added: 'an operator added several items to a cart of a client; quantities are by line',
  cart_item_changed: 'an operator changed the quantity of a cart item of a client',
  cart_item_removed: 'an operator removed a cart item of a client',
  view_created: 'an operator saved a view',
  view_changed: 'an operator changed a view',
  view_deleted: 'an operator deleted a view',
  reject_reasons_changed: 'the reasons for rejecting were changed',
  feed_endpoint_created: 'an endpoint of the feed was created',
  feed_endpoint_changed: 'an endpoint of the feed was changed, or its secret rotated',
  feed_endpoint_deleted: 'an endpoint of the feed was deleted',
  feed_endpoint_paused: 'the worker paused an endpoint of the feed that answered 410 or failed for three days',
  import_started: 'an import was received',
  import_stopped: 'an import was asked to stop',
  list_exported: 'an operator downloaded a list as CSV',
} as const
export type AuditAction = keyof typeof auditMeanings

const auditActions: WordList = {
  name: 'AuditAction',
  meaning: `What was done: ${Object.entries(auditMeanings)
    .map(([action, meaning]) => `\`${action}\`: ${meaning}`)
    .join('; ')}.`,
  words: Object.keys(auditMeanings),
}

const numberOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })
const valuesOrNull = (description: string) =>
  Type.Union([Type.Object({}, { additionalProperties: true }), Type.Null()], { description })

export const AuditEntry = Type.Object(
  {
    audit_id: Type.Integer({
      description: 'Identifies the entry, and is its position: entries are numbered without gaps, in order.',
    }),
    audit_action: word(auditActions, 'What was done.'),
    audit_datetime: Type.String({ description: 'When it was done, `YYYY-MM-DD HH:MM:SS`.' }),
    client_id: numberOrNull('The client; null if the action concerns none.'),
    client_name: textOrNull("The client's present name."),
    contact_id: numberOrNull('The contact; null if the action is not about one.'),
    contact_name: textOrNull("The contact's present name."),
    key_id: numberOrNull('The key; null if the action is not about a key.'),
    session_id: numberOrNull('The session; null if the action is not about a session.'),
    operator_id: numberOrNull("The operator whose key or session it is, or who was erased; null for clients' keys."),
    operator_name: textOrNull("That operator's present name."),
    subject: valuesOrNull('What else it was about, by ids such as `cart_id`; null if nothing.'),
    old_value: valuesOrNull('The values before; null if there were none.'),
    new_value: valuesOrNull('The values after; null if there are none.'),
    actor: Type.String({
      description:
        'Who did it: an operator by id, key or session, and present name; a client by its key; the command line.',
    }),
    actor_operator: Type.Union(
      [
        Type.Object({
          operator_id: Type.Integer({ description: 'Identifies the operator.' }),
          operator_name: Type.String({ description: 'Its present name.' }),
          ...account,
        }),
        Type.Null(),
      ],
      { description: 'The operator who did it; null if it was nobody of the distributor.' },
    ),
    request_id: Type.String({ description: 'The request that did it, as in the log; empty for older entries.' }),
  },
  {
    $id: 'AuditEntry',
    examples: [
      {
        audit_id: 12,
        audit_action: 'cart_renamed',
        audit_datetime: '2026-11-16 07:02:11',
        client_id: 1,
        client_name: 'Lindner Car Service',
        contact_id: null,
        contact_name: null,
        key_id: null,
        session_id: null,
        operator_id: null,
        operator_name: null,
        subject: { cart_id: 17 },
        old_value: { cart_name: 'Weekly order' },
        new_value: { cart_name: 'Order of week 47' },
        actor: 'operator 3 key 3, Anna Berg, for client 1',
        actor_operator: { operator_id: 3, operator_name: 'Anna Berg', issuer: null, subject: null },
        request_id: '0198a1f2-7b1c-7d3e-9c55-2f0a6f6f2a11',
      },
    ],
  },
)
export type AuditEntry = Static<typeof AuditEntry>

export const auditEntryColumns = {
  audit_id: int8,
  audit_action: text,
  audit_datetime: datetime,
  client_id: nullable(int8),
  client_name: nullable(text),
  contact_id: nullable(int8),
  contact_name: nullable(text),
  key_id: nullable(int8),
  session_id: nullable(int8),
  operator_id: nullable(int8),
  operator_name: nullable(text),
  subject: nullable(json),
  old_value: nullable(json),
  new_value: nullable(json),
  actor: text,
  actor_operator: nullable(jsonOf<NonNullable<AuditEntry['actor_operator']>>()),
  request_id: text,
}
