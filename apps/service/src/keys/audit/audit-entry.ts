/** An entry of the audit log. */
import Type, { type Static } from 'typebox'
import { word, type WordList } from '../../vocabulary/schema-parts.ts'
import { account } from '../operators/operator.ts'
import { datetime, int8, jsonOf, nullable, text } from 'pg-statements/types.ts'

const auditActions: WordList = {
  name: 'AuditAction',
  meaning:
    "What was done: `key_issued` and `key_revoked` for a client's key, `operator_key_issued` and `operator_key_revoked` for an operator's, `session_started` and `session_ended` for an operator who signed in and out, `contact_erased` for a contact whose personal data was erased, `operator_erased` for an operator.",
  words: [
    'key_issued',
    'key_revoked',
    'operator_key_issued',
    'operator_key_revoked',
    'session_started',
    'session_ended',
    'contact_erased',
    'operator_erased',
  ],
}

const numberOrNull = (description: string) => Type.Union([Type.Integer(), Type.Null()], { description })
const textOrNull = (description: string) => Type.Union([Type.String(), Type.Null()], { description })

export const AuditEntry = Type.Object(
  {
    audit_id: Type.Integer({ description: 'Identifies the entry.' }),
    audit_action: word(auditActions, 'What was done.'),
    audit_datetime: Type.String({ description: 'When it was done, `YYYY-MM-DD HH:MM:SS`.' }),
    client_id: numberOrNull("The client; null for operators' keys."),
    client_name: textOrNull("The client's present name."),
    contact_id: numberOrNull("The contact; null for operators' keys."),
    contact_name: textOrNull("The contact's present name."),
    key_id: numberOrNull('The key; null if the action is not about a key.'),
    session_id: numberOrNull('The session; null if the action is not about a session.'),
    operator_id: numberOrNull("The operator whose key or session it is, or who was erased; null for clients' keys."),
    operator_name: textOrNull("That operator's present name."),
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
        audit_action: 'key_revoked',
        audit_datetime: '2026-11-16 07:02:11',
        client_id: 1,
        client_name: 'Lindner Car Service',
        contact_id: 1,
        contact_name: 'Marta Lindner',
        key_id: 17,
        session_id: null,
        operator_id: null,
        operator_name: null,
        actor: 'operator 3 key 3, Anna Berg',
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
  actor: text,
  actor_operator: nullable(jsonOf<NonNullable<AuditEntry['actor_operator']>>()),
  request_id: text,
}
