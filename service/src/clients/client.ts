/** A client as the distributor keeps it. */
import Type, { type Static } from 'typebox'

const Contact = Type.Object(
  {
    contact_id: Type.Integer({ description: 'Names the contact; keys are issued to contacts.' }),
    contact_name: Type.String({ description: 'Who it is.' }),
    contact_email: Type.Union([Type.String(), Type.Null()], { description: 'Where to write to; null if unknown.' }),
  },
  { additionalProperties: false },
)

const ContractTerms = Type.Object(
  {
    contract_id: Type.Integer({ description: 'Names the contract.' }),
    contract_name: Type.String({ description: 'What it is called.' }),
    contract_default: Type.Boolean({ description: 'Whether it is taken where an order names none; one of them is.' }),
    contract_service: Type.Boolean({ description: 'For the client to know; no rule reads it.' }),
    contract_limit: Type.Number({ description: 'What open orders may add up to; 0 for no limit.' }),
    exposure: Type.Number({ description: 'What they add up to now.' }),
    price_list_id: Type.Integer({ description: 'The prices that hold.' }),
    discount_percent: Type.Number({ description: 'What is taken off the goods.' }),
    tax_mode: Type.String({ description: '`included` in the prices, or `added` to them.' }),
    tax_percent: Type.Number({ description: 'The tax.' }),
  },
  { additionalProperties: false },
)

const ServingStock = Type.Object(
  {
    stock_id: Type.Integer({ description: 'Names the stock.' }),
    stock_name: Type.String({ description: 'What it is called.' }),
  },
  { additionalProperties: false },
)

export const OperatorClient = Type.Object(
  {
    client_id: Type.Integer({ description: 'Names the client.' }),
    client_name: Type.String({ description: 'What it is called.' }),
    contacts: Type.Array(Contact, { description: 'People of the client.' }),
    contracts: Type.Array(ContractTerms, { description: 'On what terms it orders.' }),
    stocks: Type.Array(ServingStock, { description: 'The stocks that serve it.' }),
  },
  {
    $id: 'OperatorClient',
    additionalProperties: false,
    examples: [
      {
        client_id: 12,
        client_name: 'Autohaus Lindner',
        contacts: [{ contact_id: 31, contact_name: 'Karl Lindner', contact_email: 'karl@lindner.example' }],
        contracts: [
          {
            contract_id: 7,
            contract_name: 'Supply contract',
            contract_default: true,
            contract_service: false,
            contract_limit: 25_000,
            exposure: 1_221.04,
            price_list_id: 1,
            discount_percent: 5,
            tax_mode: 'included',
            tax_percent: 19,
          },
        ],
        stocks: [{ stock_id: 1, stock_name: 'Berlin' }],
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
