/** A client as operators see it. */
import Type, { type Static } from 'typebox'
import { Contact, exampleContact } from './contact.ts'
import { ContractTerms, exampleTerms } from './contract-terms.ts'
import { metadataOf } from '../input/metadata.ts'
import { refer, textOrNull } from '../vocabulary/schema-parts.ts'

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
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it, the preferred one first.' }),
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
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it, the preferred one first.' }),
    metadata: metadataOf(
      'What operators and their programs keep with the client, by their own keys. The client does not see it.',
    ),
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
        metadata: { debtor: '70118' },
      },
    ],
  },
)
export type OperatorClient = Static<typeof OperatorClient>

/** A client in the list, with what is left of its limits. */
export const ListedClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Identifies the client.' }),
    client_name: Type.String({ description: "The client's name." }),
    block_reason,
    contracts: Type.Array(
      Type.Object({
        contract_id: Type.Integer({ description: 'Identifies the contract.' }),
        contract_name: Type.String({ description: "The contract's name." }),
        contract_default: Type.Boolean({ description: 'Whether it applies where no contract is named.' }),
        currency_code: Type.String({ description: 'The currency of its prices, as in ISO 4217.' }),
        contract_limit: Type.Number({ description: 'The limit for the sum of open orders; 0 for no limit.' }),
        exposure: Type.Number({ description: 'The current sum of open orders.' }),
        limit_left: Type.Union([Type.Number(), Type.Null()], {
          description: 'What is left of the limit; null if there is none.',
        }),
      }),
      { description: "The client's contracts, with their limits." },
    ),
  },
  {
    $id: 'ListedClient',
    examples: [
      {
        client_id: 1,
        client_name: 'Lindner Car Service',
        block_reason: null,
        contracts: [
          {
            contract_id: 1,
            contract_name: 'Supply contract',
            contract_default: true,
            currency_code: 'EUR',
            contract_limit: 25_000,
            exposure: 1_221.04,
            limit_left: 23_778.96,
          },
        ],
      },
    ],
  },
)
export type ListedClient = Static<typeof ListedClient>

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
