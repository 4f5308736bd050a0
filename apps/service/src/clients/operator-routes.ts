/** Operators manage clients, their contacts and their contracts. */
import Type from 'typebox'
import { changeClient } from './change-client.ts'
import { changeContact } from './contacts/change-contact.ts'
import { changeContract } from './contracts/change-contract.ts'
import { ListedClient, OperatorClient, ServedClient } from './client.ts'
import { Contact } from './contact.ts'
import { ContractTerms, type TermsInput } from './contract-terms.ts'
import { createClient } from './create-client.ts'
import { createContact } from './contacts/create-contact.ts'
import { createContract } from './contracts/create-contract.ts'
import { eraseContact, ErasedContact } from './contacts/erase-contact.ts'
import { listClients, wordsScannedMax } from './list-clients.ts'
import { readClient } from './read-client.ts'
import { operatorActor } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { confirmed, expectedAmount } from '../input/expected.ts'
import { amount, choice, flag, id, ids, optional, text } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'

const client_id = id('The client.', exampleIds.client_id)
const client_name = text({ description: "The client's name.", example: 'Lindner Car Service' })
const contact_name = text({ description: "The contact's name.", example: 'Marta Lindner' })
const contact_email = optional(text({ description: 'The email address.', example: 'marta@lindner.example' }))
const contract_name = text({ description: "The contract's name.", example: 'Supply contract' })
const price_list_id = id('The price list that applies.', 1)
const stocksMax = 100 // More warehouses than a distributor has.
const stock_ids = ids({
  max: stocksMax,
  description:
    'The stocks that serve the client, the preferred one first: rows of a list that name no stock take the first one that has all their pieces.',
  example: [1, 2],
})

const unique_references = optional(
  flag({
    description:
      'Whether a second order with the same reference is refused. It applies to the orders that are placed while it is set.',
    example: true,
  }),
)

const percent = (description: string, example: number) =>
  optional(amount({ max: 100, digits: 2, description, example }))
const terms = {
  contract_service: optional(
    flag({ description: 'Information for the client; the service does not act on it.', example: false }),
  ),
  contract_limit: optional(
    amount({
      max: 999_999_999_999,
      digits: 3,
      description: 'The limit for the sum of open orders; 0 for no limit.',
      example: 25_000,
    }),
  ),
  discount_percent: percent('The discount on the items.', 5),
  tax_mode: optional(
    choice(['included', 'added'], {
      description: 'Whether the tax is included in the prices or added to them.',
      example: 'included',
    }),
  ),
  tax_percent: percent('The tax rate.', 19),
} satisfies Partial<Record<keyof TermsInput, unknown>>
const contract_default = optional(
  flag({ description: 'Whether it applies where no contract is named.', example: true }),
)
const termsDefaults =
  'By default, the contract has no limit, no discount, and a tax of 0 percent included in the prices.'

export const clientOperatorRoutes = (slowDb: Database): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/',
    operationId: 'listClients',
    tag: 'Clients',
    permission: 'view',
    summary: 'List clients',
    description: `With the exposure and the limit of their contracts, in the order in which they were created. A search lists them by the word found, and examines at most ${wordsScannedMax} words for a page: a page can have fewer entries than \`limit\`, or none, and still have a next page.`,
    query: {
      search: optional(
        text({
          description:
            'Only clients with words that begin with each of these words, ignoring case: of the name, or of the name or email address of a contact. A number finds the client with that id too.',
          example: 'lindner',
        }),
      ),
      ...pageFields,
    },
    data: refer(ListedClient),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listClients(db, query, page),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/clients/{client_id}/',
    operationId: 'readClient',
    tag: 'Clients',
    permission: 'view',
    summary: 'Read a client',
    params: { client_id },
    data: refer(OperatorClient),
    refusals: ['client_not_found'],
    handle: ({ db, params }) => readClient(db, params.client_id),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/',
    operationId: 'createClient',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event client.created',
    summary: 'Create a client',
    description: `Creates the client with its first contact, its default contract and the stocks that serve it, or nothing at all. Then issue a key to the contact, and the client can order. ${termsDefaults}`,
    form: {
      client_name,
      contact_name,
      contact_email,
      contract_name,
      price_list_id,
      ...terms,
      stock_ids,
      unique_references,
    },
    takesIdempotencyKey: true,
    data: Type.Object({
      client_id: Type.Integer({ description: 'Identifies the new client.' }),
      contact_id: Type.Integer({ description: 'Identifies its first contact.' }),
      contract_id: Type.Integer({ description: 'Identifies its default contract.' }),
    }),
    refusals: ['price_list_not_found', 'stock_not_found', 'idempotency_key_used'],
    handle: ({ db, actor, form, request_id, retry }) =>
      createClient(db, { ...form, actor: operatorActor(actor), request_id, retry }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/',
    operationId: 'changeClient',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event client.changed',
    summary: 'Change a client',
    description:
      "If stock_ids are sent, they replace all of the client's stocks. Cart items stay, but they cannot be ordered from a stock that no longer serves the client.",
    params: { client_id },
    form: { client_name: optional(client_name), stock_ids: optional(stock_ids), unique_references },
    partial: true,
    data: refer(ServedClient),
    refusals: ['nothing_to_change', 'client_not_found', 'stock_not_found'],
    handle: ({ db, actor, params, form, request_id }) =>
      changeClient(db, { client_id: params.client_id, changes: form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contacts/',
    operationId: 'createContact',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contact.created',
    summary: 'Add a contact',
    description: 'Keys are issued to contacts.',
    params: { client_id },
    form: { contact_name, contact_email },
    takesIdempotencyKey: true,
    data: refer(Contact),
    refusals: ['client_not_found', 'idempotency_key_used'],
    handle: ({ db, actor, params, form, request_id, retry }) =>
      createContact(db, {
        client_id: params.client_id,
        contact_name: form.contact_name,
        contact_email: form.contact_email,
        actor: operatorActor(actor),
        request_id,
        retry,
      }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/contacts/{contact_id}/',
    operationId: 'changeContact',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contact.changed',
    summary: 'Change a contact',
    description: 'An email address can be replaced, but not removed.',
    params: { client_id, contact_id: id('The contact.', exampleIds.contact_id) },
    form: { contact_name: optional(contact_name), contact_email },
    partial: true,
    data: refer(Contact),
    refusals: ['nothing_to_change', 'client_not_found', 'contact_not_found'],
    handle: ({ db, actor, params, form, request_id }) =>
      changeContact(db, {
        client_id: params.client_id,
        contact_id: params.contact_id,
        contact_name: form.contact_name,
        contact_email: form.contact_email,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contacts/{contact_id}/erase/',
    operationId: 'eraseContact',
    changesKeys: true,
    slow: true,
    tag: 'Clients',
    permission: 'administer',
    trace: 'audit contact_erased',
    summary: "Erase a contact's personal data",
    description:
      "Replaces the contact's name, also in stored events, removes its email address, the comments of its orders and the reasons of their adjustments and requested returns, and revokes its keys. It cannot be undone. Goods, amounts and states of its orders stay. Their delivery addresses, references and what operators wrote about them stay too, unless the setting `ERASE_ADDRESSES_AFTER_DAYS` says after how many days they are erased from orders that were shipped, completed or cancelled; later orders of the contact are treated in the same way. Erasing it again erases what was added since.",
    params: { client_id, contact_id: id('The contact.', exampleIds.contact_id) },
    data: refer(ErasedContact),
    refusals: ['client_not_found', 'contact_not_found'],
    handle: ({ actor, params, request_id }) =>
      eraseContact(slowDb, {
        client_id: params.client_id,
        contact_id: params.contact_id,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contracts/',
    operationId: 'createContract',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contract.created',
    summary: 'Add a contract',
    description: `If it is the default, the previous default loses that mark. ${termsDefaults}`,
    params: { client_id },
    form: { contract_name, price_list_id, ...terms, contract_default },
    takesIdempotencyKey: true,
    data: refer(ContractTerms),
    refusals: ['client_not_found', 'price_list_not_found', 'idempotency_key_used'],
    handle: ({ db, actor, params, form, request_id, retry }) =>
      createContract(db, { ...params, ...form, actor: operatorActor(actor), request_id, retry }),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/operator/v1/clients/{client_id}/contracts/{contract_id}/',
    operationId: 'changeContract',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contract.changed',
    summary: 'Change a contract',
    description:
      'Orders keep the terms under which they were placed. Carts show the prices of a new price list at once, and a client cannot order at prices that it has not seen. When a contract becomes the default, the previous default loses that mark; there is no other way to remove it. The limit may be lowered below the open orders: nothing new is accepted then until they are below it. Removing the limit (0) must be confirmed.',
    params: { client_id, contract_id: id('The contract.', exampleIds.contract_id) },
    form: {
      contract_name: optional(contract_name),
      price_list_id: optional(price_list_id),
      ...terms,
      contract_default,
      expected: expectedAmount('The limit', 25_000),
      confirmed: confirmed('that `contract_limit` 0 removes the limit'),
    },
    partial: true,
    data: refer(ContractTerms),
    refusals: [
      'nothing_to_change',
      'client_not_found',
      'contract_not_found',
      'price_list_not_found',
      'price_list_currency_differs',
      'expected_differs',
      'confirmation_required',
      'contract_is_default',
    ],
    handle: ({ db, actor, params, form: { expected, confirmed: isConfirmed, ...changes }, request_id }) =>
      changeContract(db, {
        client_id: params.client_id,
        contract_id: params.contract_id,
        changes,
        expected,
        confirmed: isConfirmed,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
]
