/** A client as operators see it. */
import Type, { type Static } from 'typebox'
import { Contact, exampleContact } from './contact.ts'
import { ContractTerms, exampleTerms } from './contract-terms.ts'
import { refer, textOrNull } from '../schema-ref.ts'

const exampleStock = { stock_id: 1, stock_name: 'Berlin' }

const ServingStock = Type.Object({
  stock_id: Type.Integer({ description: 'Identifies the stock.' }),
  stock_name: Type.String({ description: "The stock's name." }),
})
export type ServingStock = Static<typeof ServingStock>

const unique_references = Type.Boolean({
  description: 'Whether a second order with the same reference is refused. It applies to orders placed from then on.',
})

const block_reason = textOrNull('Why the client places no new orders; null if it is not blocked.')

/** The answer to a change of a client. */
export const ServedClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Identifies the client.' }),
    client_name: Type.String({ description: "The client's name." }),
    unique_references,
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it.' }),
  },
  {
    $id: 'ServedClient',
    examples: [{ client_id: 1, client_name: 'Lindner Car Service', unique_references: false, stocks: [exampleStock] }],
  },
)
export type ServedClient = Static<typeof ServedClient>

export const OperatorClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Identifies the client.' }),
    client_name: Type.String({ description: "The client's name." }),
    unique_references,
    block_reason,
    contacts: Type.Array(refer(Contact), { description: "The client's contacts." }),
    contracts: Type.Array(refer(ContractTerms), { description: "The client's contracts, with their terms." }),
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it.' }),
  },
  {
    $id: 'OperatorClient',
    examples: [
      {
        client_id: 1,
        client_name: 'Lindner Car Service',
        unique_references: false,
        block_reason: null,
        contacts: [exampleContact],
        contracts: [exampleTerms],
        stocks: [exampleStock],
      },
    ],
  },
)
export type OperatorClient = Static<typeof OperatorClient>

export const ClientName = Type.Object(
  {
    client_id: Type.Integer({ description: 'Identifies the client.' }),
    client_name: Type.String({ description: "The client's name." }),
    block_reason,
  },
  {
    $id: 'ClientName',
    examples: [{ client_id: 1, client_name: 'Lindner Car Service', block_reason: null }],
  },
)
export type ClientName = Static<typeof ClientName>

/** The answer to a block, or to its end. */
export const BlockedClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Identifies the client.' }),
    client_name: Type.String({ description: "The client's name." }),
    block_reason,
  },
  {
    $id: 'BlockedClient',
    examples: [{ client_id: 1, client_name: 'Lindner Car Service', block_reason: 'Payment is overdue.' }],
  },
)
export type BlockedClient = Static<typeof BlockedClient>
