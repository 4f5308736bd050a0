/** The distributor's side of clients: making and changing them, their contacts and their contracts. */
import Type from 'typebox'
import { changeClient } from './change-client.ts'
import { changeContract } from './change-contract.ts'
import { ClientName, OperatorClient, ServedClient } from './client.ts'
import { Contact } from './contact.ts'
import { ContractTerms } from './contract-terms.ts'
import { createContract } from './create-contract.ts'
import { createClient, listClients, readClient } from './read-client.ts'
import { changeContact, createContact } from './create-contact.ts'
import { operatorActor } from '../access/actor.ts'
import { amount, choice, flag, id, ids, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const client_id = id('The client.', 12)
const client_name = text({ description: 'What the client is called.', example: 'Autohaus Lindner' })
const contact_name = text({ description: 'Who it is.', example: 'Karl Lindner' })
const contact_email = optional(text({ description: 'Where to write to.', example: 'karl@lindner.example' }))
const contract_name = text({ description: 'What the contract is called.', example: 'Supply contract' })
const price_list_id = id('The prices that hold.', 1)
const stocksMax = 100 // More warehouses than any distributor here has.
const stock_ids = ids({ max: stocksMax, description: 'The stocks that serve it.', example: [1, 2] })

const percent = (description: string, example: number) =>
  optional(amount({ max: 100, digits: 2, description, example }))
const terms = {
  contract_service: optional(flag({ description: 'For the client to know; no rule reads it.', example: false })),
  contract_limit: optional(
    amount({
      max: 999_999_999_999,
      digits: 3,
      description: 'What open orders may add up to; 0 for no limit.',
      example: 25_000,
    }),
  ),
  discount_percent: percent('What is taken off the goods.', 5),
  tax_mode: optional(
    choice(['included', 'added'], {
      description: 'Whether the tax is in the prices or comes on top.',
      example: 'included',
    }),
  ),
  tax_percent: percent('The tax.', 19),
}
const contract_default = optional(
  flag({ description: 'Whether it is the one that orders without a contract are placed under.', example: true }),
)
const standard = 'What is not said of the contract: no limit, no discount, tax in the prices at 0 percent.'

export const clientOperatorRoutes = (db: Database): Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/',
    operationId: 'listClients',
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
    operationId: 'readClient',
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
    operationId: 'createClient',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Make a client',
    description: `With its first contact, its default contract and the stocks that serve it, all at once or not at all. Then issue a key to the contact, and it can order. ${standard}`,
    form: { client_name, contact_name, contact_email, contract_name, price_list_id, ...terms, stock_ids },
    data: Type.Object({ client_id: Type.Integer({ description: 'Names the new client.' }) }),
    refusals: ['price_list_not_found', 'stock_not_found'],
    handle: ({ actor, form, request_id }) => createClient(db, { ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/',
    operationId: 'changeClient',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Change a client',
    description:
      'The stocks are replaced as a whole. What lies in carts stays there, but cannot be ordered from a stock that no longer serves the client.',
    params: { client_id },
    form: { client_name: optional(client_name), stock_ids: optional(stock_ids) },
    partial: true,
    data: refer(ServedClient),
    refusals: ['nothing_to_change', 'client_not_found', 'stock_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      changeClient(db, { ...params, changes: form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contacts/',
    operationId: 'createContact',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Add a contact',
    description: 'Somebody of the client to whom keys can be issued.',
    params: { client_id },
    form: { contact_name, contact_email },
    data: refer(Contact),
    refusals: ['client_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      createContact(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/contacts/{contact_id}/',
    operationId: 'changeContact',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Change a contact',
    description: 'An address can be replaced, not removed.',
    params: { client_id, contact_id: id('The contact.', 31) },
    form: { contact_name: optional(contact_name), contact_email },
    partial: true,
    data: refer(Contact),
    refusals: ['nothing_to_change', 'client_not_found', 'contact_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      changeContact(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contracts/',
    operationId: 'createContract',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Add a contract',
    description: `As the default it takes that mark from the one that had it. ${standard}`,
    params: { client_id },
    form: { contract_name, price_list_id, ...terms, contract_default },
    data: refer(ContractTerms),
    refusals: ['client_not_found', 'price_list_not_found'],
    handle: ({ actor, params, form, request_id }) =>
      createContract(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/contracts/{contract_id}/',
    operationId: 'changeContract',
    tag: 'Operator: clients',
    permission: 'administer',
    summary: 'Change a contract',
    description:
      'Orders keep the terms under which they were placed. Carts show the prices of the new list from now on, and what was shown with other prices cannot be ordered unseen. Making a contract the default takes that mark from the one that had it; it cannot be taken away otherwise.',
    params: { client_id, contract_id: id('The contract.', 7) },
    form: {
      contract_name: optional(contract_name),
      price_list_id: optional(price_list_id),
      ...terms,
      contract_default,
    },
    partial: true,
    data: refer(ContractTerms),
    refusals: [
      'nothing_to_change',
      'client_not_found',
      'contract_not_found',
      'price_list_not_found',
      'price_list_currency_differs',
      'contract_limit_below_exposure',
      'contract_is_default',
    ],
    handle: ({ actor, params, form, request_id }) =>
      changeContract(db, { ...params, changes: form, actor: operatorActor(actor), request_id }),
  }),
]
