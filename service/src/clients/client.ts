/** A client as the distributor keeps it. */
import Type, { type Static } from 'typebox'
import { Contact, exampleContact } from './contact.ts'
import { ContractTerms, exampleTerms } from './contract-terms.ts'
import { refer } from '../schema-ref.ts'

const exampleStock = { stock_id: 1, stock_name: 'Berlin' }

const ServingStock = Type.Object(
  {
    stock_id: Type.Integer({ description: 'Names the stock.' }),
    stock_name: Type.String({ description: 'What it is called.' }),
  },
  { additionalProperties: false },
)

/** What a change of a client answers with. */
export const ServedClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Names the client.' }),
    client_name: Type.String({ description: 'What it is called.' }),
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it.' }),
  },
  {
    $id: 'ServedClient',
    additionalProperties: false,
    examples: [{ client_id: 12, client_name: 'Autohaus Lindner', stocks: [exampleStock] }],
  },
)
export type ServedClient = Static<typeof ServedClient>

export const OperatorClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Names the client.' }),
    client_name: Type.String({ description: 'What it is called.' }),
    contacts: Type.Array(refer(Contact), { description: 'People of the client.' }),
    contracts: Type.Array(refer(ContractTerms), { description: 'On what terms it orders.' }),
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it.' }),
  },
  {
    $id: 'OperatorClient',
    additionalProperties: false,
    examples: [
      {
        client_id: 12,
        client_name: 'Autohaus Lindner',
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
    client_id: Type.Integer({ description: 'Names the client.' }),
    client_name: Type.String({ description: 'What it is called.' }),
  },
  {
    $id: 'ClientName',
    additionalProperties: false,
    examples: [{ client_id: 12, client_name: 'Autohaus Lindner' }],
  },
)
