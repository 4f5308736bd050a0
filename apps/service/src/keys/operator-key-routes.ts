/** Operators manage operators' keys, and read who issued and revoked keys of both kinds. */
import { AuditEntry, auditMeanings } from './audit/audit-entry.ts'
import { issueOperatorKey } from './issue-operator-key.ts'
import { IssuedKey } from './issued-key.ts'
import { listAuditEntries } from './audit/list-audit-entries.ts'
import { listOperatorKeys } from './list-operator-keys.ts'
import { eraseOperator, ErasedOperator } from './operators/erase-operator.ts'
import { listOperators } from './operators/list-operators.ts'
import { ListedOperator } from './operators/operator.ts'
import { OperatorKey, operatorName } from './operator-key.ts'
import { revokeOperatorKey } from './revoke-operator-key.ts'
import { operatorActor, roleNames, type Role } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { choice, day, id, idMax, integer, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'

interface KeyParts {
  readonly keyDaysMax: number
  readonly slowDb: Database
}

export const operatorKeyRoutes = ({ keyDaysMax, slowDb }: KeyParts): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/operator-keys/',
    operationId: 'listOperatorKeys',
    tag: 'Access',
    permission: 'administer',
    summary: 'List operator keys',
    description: 'In the order in which they were issued, revoked keys included.',
    query: pageFields,
    data: refer(OperatorKey),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listOperatorKeys(db, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/operator-keys/',
    operationId: 'issueOperatorKey',
    configures: true,
    tag: 'Access',
    permission: 'administer',
    trace: 'audit operator_key_issued',
    summary: 'Issue an operator key',
    description:
      'The response is the only place where the key is shown. To rotate a key, issue a second one for the same operator, switch over to it, and revoke the first.',
    form: {
      operator_id: optional(id('The operator whose key it is. By default a new one.', 3)),
      operator_name: operatorName,
      role: choice<Role>(roleNames, { description: 'What the key may do.', example: 'decider' }),
      expires_on: optional(day({ description: 'The first day on which it no longer works.', example: '2027-06-30' })),
    },
    takesIdempotencyKey: true,
    data: IssuedKey,
    refusals: ['operator_not_found', 'idempotency_key_used', 'key_already_issued'],
    handle: ({ db, actor, form, request_id, retry }) =>
      issueOperatorKey(db, {
        operator_id: form.operator_id,
        operator_name: form.operator_name,
        role: form.role,
        expires_at: form.expires_on,
        keyDaysMax,
        actor: operatorActor(actor),
        request_id,
        retry,
      }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/operator-keys/{key_id}/',
    operationId: 'revokeOperatorKey',
    configures: true,
    changesKeys: true,
    urgency: 'orders',
    tag: 'Access',
    permission: 'administer',
    trace: 'audit operator_key_revoked',
    summary: 'Revoke an operator key',
    description: 'Every process refuses it within 5 seconds. Revoking it again changes nothing.',
    params: { key_id: id('The key.', 3) },
    data: refer(OperatorKey),
    refusals: ['key_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      revokeOperatorKey(db, { key_id: params.key_id, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/operators/',
    operationId: 'listOperators',
    tag: 'Access',
    permission: 'administer',
    summary: 'List operators',
    description:
      'Everybody who has or had an operator key, and everybody who signed in with a company account, erased ones included, in the order in which they were added.',
    query: pageFields,
    data: refer(ListedOperator),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listOperators(db, page),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/operators/{operator_id}/erase/',
    operationId: 'eraseOperator',
    slow: true,
    tag: 'Access',
    permission: 'administer',
    changesKeys: true,
    trace: 'audit operator_erased',
    summary: "Erase an operator's name",
    description:
      'Removes the name of the operator and its subject at the identity provider, ends its sessions and revokes its keys. What it did stays, under its id. It cannot be undone; a person who signs in again is another operator. Erasing it again changes nothing.',
    params: { operator_id: id('The operator.', 3) },
    data: refer(ErasedOperator),
    refusals: ['operator_not_found'],
    handle: ({ actor, params, request_id }) =>
      eraseOperator(slowDb, { operator_id: params.operator_id, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/audit/',
    operationId: 'listAuditEntries',
    tag: 'Access',
    permission: 'administer',
    summary: 'List audit entries',
    description:
      'What operators and programs did that is no event of a client and no change of the catalogue, newest first. With `after`, the entries after a position, oldest first: entries are numbered in the order in which they were stored, so that nothing is missed before the last one read. Entries cannot be changed. They are kept for ever, or for the days that the service is configured with.',
    query: {
      client_id: optional(id('Only entries about this client.', exampleIds.client_id)),
      audit_action: optional(
        choice(Object.keys(auditMeanings), { description: 'Only entries of this action.', example: 'cart_renamed' }),
      ),
      actor: optional(
        text({ description: 'Only entries of this actor, as entries show it.', example: 'operator 3 key 3' }),
      ),
      operator_id: optional(id('Only what this operator did, with any key or session, also for clients.', 3)),
      after: optional(
        integer({
          min: 0,
          max: idMax,
          description: 'Only entries after this `audit_id`, oldest first; 0 for all.',
          example: 12,
        }),
      ),
      ...pageFields,
    },
    data: refer(AuditEntry),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listAuditEntries(db, query, page),
  }),
]
