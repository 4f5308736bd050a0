import Type from 'typebox'
import { issueOperatorKey, listOperatorKeys, OperatorKey, revokeOperatorKey } from './issue-operator-key.ts'
import { operatorActor, roleNames, type Role } from './actor.ts'
import { choice, day, id, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

export const operatorKeyRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/operator-keys/',
    operationId: 'listOperatorKeys',
    tag: 'Operator: access',
    permission: 'administer',
    summary: 'List operator keys',
    description: 'In the order in which they were issued; revoked ones too.',
    query: pageFields,
    data: refer(OperatorKey),
    paged: true,
    refusals: [],
    handle: ({ query }) => listOperatorKeys(db, query),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/operator-keys/',
    operationId: 'issueOperatorKey',
    tag: 'Operator: access',
    permission: 'administer',
    summary: 'Issue an operator key',
    description:
      'The key is shown this once. To rotate a key, issue a second one, change over to it, and revoke the first.',
    form: {
      operator_name: text({ description: 'Whose key it is.', example: 'Anna Berg' }),
      role: choice<Role>(roleNames, { description: 'What the key may do.', example: 'decider' }),
      expires_on: optional(day({ description: 'The first day on which it no longer works.', example: '2027-06-30' })),
    },
    data: Type.Object({
      key_id: Type.Integer({ description: 'Names the key in paths and in the log.' }),
      key: Type.String({ description: 'The key itself, for the Authorization header.' }),
    }),
    refusals: [],
    handle: ({ actor, form: { expires_on, ...whose } }) =>
      issueOperatorKey(db, { ...whose, expires_at: expires_on, actor: operatorActor(actor) }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/operator-keys/{key_id}/',
    operationId: 'revokeOperatorKey',
    tag: 'Operator: access',
    permission: 'administer',
    summary: 'Revoke an operator key',
    description: 'Every process refuses it within 5 seconds.',
    params: { key_id: id('The key.', 3) },
    data: refer(OperatorKey),
    refusals: ['key_not_found'],
    handle: ({ actor, params }) => revokeOperatorKey(db, params.key_id, operatorActor(actor)),
  }),
]
