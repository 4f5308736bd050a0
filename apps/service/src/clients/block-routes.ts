/** Operator routes that block clients and contracts, and end the block. */
import { blockClient } from './block-client.ts'
import { blockContract } from './contracts/block-contract.ts'
import { BlockedClient } from './client.ts'
import { ContractTerms } from './contract-terms.ts'
import { operatorActor } from '../identity/actor.ts'
import { exampleIds } from '../vocabulary/example-ids.ts'
import { id, text } from '../input/fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const client_id = id('The client.', exampleIds.client_id)
const contract_id = id('The contract.', exampleIds.contract_id)
const form = { reason: text({ max: 500, description: 'Why; shown to the client.', example: 'Payment is overdue.' }) }
const continues =
  'Everything else continues: reading, carts, cancellations and adjustments, and the orders that are placed already. Another reason replaces the reason; with the same one, nothing changes.'

export const blockRoutes: readonly Route[] = [
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/block/',
    operationId: 'blockClient',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event client.blocked',
    summary: 'Block a client',
    description: `The client places no new orders until the block ends. ${continues}`,
    params: { client_id },
    form,
    data: refer(BlockedClient),
    refusals: ['client_not_found'],
    handle: ({ db, actor, params, form: { reason }, request_id }) =>
      blockClient(db, { ...params, reason, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/unblock/',
    operationId: 'unblockClient',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event client.unblocked',
    summary: 'End the block of a client',
    description: 'The client places orders again. A client that is not blocked stays unchanged.',
    params: { client_id },
    data: refer(BlockedClient),
    refusals: ['client_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      blockClient(db, { ...params, reason: null, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contracts/{contract_id}/block/',
    operationId: 'blockContract',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contract.blocked',
    summary: 'Block a contract',
    description: `The client places no new orders under the contract until the block ends. ${continues}`,
    params: { client_id, contract_id },
    form,
    data: refer(ContractTerms),
    refusals: ['client_not_found', 'contract_not_found'],
    handle: ({ db, actor, params, form: { reason }, request_id }) =>
      blockContract(db, { ...params, reason, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/clients/{client_id}/contracts/{contract_id}/unblock/',
    operationId: 'unblockContract',
    tag: 'Clients',
    permission: 'administer',
    trace: 'event contract.unblocked',
    summary: 'End the block of a contract',
    description: 'The client orders under the contract again. A contract that is not blocked stays unchanged.',
    params: { client_id, contract_id },
    data: refer(ContractTerms),
    refusals: ['client_not_found', 'contract_not_found'],
    handle: ({ db, actor, params, request_id }) =>
      blockContract(db, { ...params, reason: null, actor: operatorActor(actor), request_id }),
  }),
]
