/** The distributor's side of clients: making them, and their keys. */
import Type from 'typebox'
import { ClientName, OperatorClient } from './client.ts'
import { ClientKey, issueClientKey, listClientKeys, revokeClientKey } from './client-keys.ts'
import { createClient, listClients, readClient } from './keep-clients.ts'
import { operatorActor, scopes, type Scope } from '../http/actor.ts'
import { amount, choice, choices, day, flag, id, ids, optional, text } from '../http/fields.ts'
import { pageFields } from '../http/paging.ts'
import { operatorRoute, type Route } from '../http/route.ts'
import { refer } from '../http/schemas.ts'
import type { Database } from '../postgres/database.ts'

const client_id = id('The client.', 12)
const percent = (description: string, example: number) => amount({ max: 100, digits: 2, description, example })
const stocksMax = 100 // More warehouses than any distributor here has.

export const clientOperatorRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/',
    tag: 'Operator: clients',
    permission: 'view',
    summary: 'List clients',
    description: 'In the order in which they were made.',
    query: pageFields,
    data: refer(ClientName),
    paged: true,
    refusals: [],
    handle: ({ query }) => listClients(db, query),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/',
    tag: 'Operator: clients',
    permission: 'view',
    summary: 'Read a client',
    params: { client_id },
    data: refer(OperatorClient),
    refusals: ['client_not_found'],
    handle: ({ params }) => readClient(db, params.client_id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Make a client',
    description:
      'With its first contact, its default contract and the stocks that serve it, all at once or not at all. Then issue a key to the contact, and it can order.',
    form: {
      client_name: text({ description: 'What the client is called.', example: 'Autohaus Lindner' }),
      contact_name: text({ description: 'Its first contact.', example: 'Karl Lindner' }),
      contact_email: optional(text({ description: 'Where to write to.', example: 'karl@lindner.example' })),
      contract_name: text({ description: 'What its default contract is called.', example: 'Supply contract' }),
      contract_service: optional(flag({ description: 'For the client to know; no rule reads it.', example: false })),
      contract_limit: optional(
        amount({
          max: 999_999_999_999,
          digits: 3,
          description: 'What open orders may add up to; 0 or absent for no limit.',
          example: 25_000,
        }),
      ),
      price_list_id: id('The prices that hold.', 1),
      discount_percent: optional(percent('What is taken off the goods.', 5)),
      tax_mode: optional(
        choice(['included', 'added'], {
          description: 'Whether the tax is in the prices (standard) or comes on top.',
          example: 'included',
        }),
      ),
      tax_percent: optional(percent('The tax.', 19)),
      stock_ids: ids({ max: stocksMax, description: 'The stocks that serve it.', example: [1, 2] }),
    },
    data: Type.Object({ client_id: Type.Integer({ description: 'Names the new client.' }) }),
    refusals: ['price_list_not_found', 'stock_not_found'],
    handle: ({ actor, form, request_id }) => createClient(db, { ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/keys/',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "List a client's keys",
    description: 'In the order in which they were issued; revoked ones too. A client that does not exist has none.',
    params: { client_id },
    query: pageFields,
    data: refer(ClientKey),
    paged: true,
    refusals: [],
    handle: ({ params, query }) => listClientKeys(db, { ...params, ...query }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/keys/',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "Issue a client's key",
    description:
      'The key is shown this once. To rotate a key, issue a second one, let the client change over to it, and revoke the first.',
    params: { client_id },
    form: {
      contact_id: id('The contact it is issued to.', 31),
      scopes: optional(
        choices<Scope>(scopes, { description: 'What it may do; everything if absent.', example: ['orders:read'] }),
      ),
      expires_on: optional(day({ description: 'The first day on which it no longer works.', example: '2027-06-30' })),
    },
    data: Type.Object({
      key_id: Type.Integer({ description: 'Names the key in paths and in the log.' }),
      key: Type.String({ description: 'The key itself, for the Authorization header.' }),
    }),
    refusals: ['client_not_found', 'contact_not_found'],
    handle: ({ actor, params, form: { expires_on, ...form }, request_id }) =>
      issueClientKey(db, { ...params, ...form, expires_at: expires_on, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/operator/v1/keys/{key_id}/',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: "Revoke a client's key",
    description: 'Every process refuses it within 5 seconds. Revoking it again changes nothing.',
    params: { key_id: id('The key.', 17) },
    data: refer(ClientKey),
    refusals: ['key_not_found'],
    handle: ({ actor, params, request_id }) =>
      revokeClientKey(db, { ...params, actor: operatorActor(actor), request_id }),
  }),
]
