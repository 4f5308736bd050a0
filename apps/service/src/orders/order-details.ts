/**
 * What an order has besides the fields of the contract. Clients see it on request (`include=`); events and
 * operators always see it.
 */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { actionsOf, OrderActions, type ActionRow } from './order-actions.ts'
import type { detailFields } from './order-fields.ts'
import {
  addressFields,
  addressSchemas,
  exampleAddress,
  exampleRemarks,
  remarkFields,
  remarkSchemas,
} from './order-input.ts'
import {
  exampleOrderLine,
  OrderLine,
  OrderPromise,
  orderLinesOf,
  type LineRow,
  orderReturns,
  type returnFields,
  returnsOf,
  Shipment,
  shipmentsOf,
  type ShippedLine,
} from './order-goods.ts'
import { metadataBy, sentMetadata, type metadataFields } from './order-metadata.ts'
import { type documentFields, documentsOf, orderDocuments } from './order-document.ts'
import { type packedReturnRequestFields, ReturnRequest, returnRequestOf } from './return-request.ts'
import { orderStateOf } from '../vocabulary/order-states.ts'
import { taxModes } from '../clients/contract-terms.ts'
import { refer, word } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'

export const OrderAddress = Type.Object(addressSchemas, {
  $id: 'OrderAddress',
  description:
    'Where the order is delivered, as it was sent with the order. Once it was erased, only `country_code` is left: what an address may lack is null, and the other fields are empty.',
  examples: [exampleAddress],
})

const exampleTerms = { currency_code: 'EUR', tax_mode: 'included', tax_percent: 19, discount_percent: 0 }

export const OrderTerms = Type.Object(
  {
    currency_code: Type.String({ description: 'The currency of all amounts of the order, as in ISO 4217.' }),
    tax_mode: word(taxModes, 'Included in the prices, or added to them.'),
    tax_percent: Type.Number({ description: 'The tax rate.' }),
    discount_percent: Type.Number({ description: 'The discount on the goods.' }),
  },
  {
    $id: 'OrderTerms',
    description: 'The terms of the contract when the order was placed. Later changes do not affect the order.',
    examples: [exampleTerms],
  },
)

/** Every detail of an order except `actions`, which depend on the moment: events and operators see all of these. */
export const orderDetails = {
  address: refer(OrderAddress),
  items: Type.Array(refer(OrderLine), { description: 'The lines. Lines that were dropped are not shown.' }),
  terms: refer(OrderTerms),
  shipments: Type.Array(refer(Shipment), { description: 'What has been shipped so far, oldest first.' }),
  ...remarkSchemas,
}
export type OrderDetails = Static<Type.TObject<typeof orderDetails>>

export const exampleDetails = {
  address: exampleAddress,
  items: [exampleOrderLine],
  terms: exampleTerms,
  shipments: [],
  ...exampleRemarks,
}

/** Optional members of the Order. Values of `include` add them. */
export const includableDetails = {
  address: Type.Optional(orderDetails.address),
  items: Type.Optional(orderDetails.items),
  terms: Type.Optional(orderDetails.terms),
  shipments: Type.Optional(orderDetails.shipments),
  returns: Type.Optional(orderReturns),
  return_requests: Type.Optional(
    Type.Array(refer(ReturnRequest), { description: "The client's requests to return shipped goods, oldest first." }),
  ),
  documents: Type.Optional(orderDocuments),
  metadata: Type.Optional(sentMetadata),
  promise: Type.Optional(
    Type.Array(refer(OrderPromise), { description: 'When the stock can ship what is open, for each such line.' }),
  ),
  ...Type.Partial(Type.Object(remarkSchemas)).properties,
  actions: Type.Optional(refer(OrderActions)),
}

type DetailRow = Values<typeof detailFields>

interface WithLines {
  readonly order_state_id: string
  readonly lines: readonly LineRow[] | null
  readonly shipped_lines: readonly ShippedLine[] | null
}

export function detailsOf(row: DetailRow & WithLines): OrderDetails {
  return {
    address: addressOf(row),
    items: itemsOf(row),
    terms: termsOf(row),
    shipments: orderShipmentsOf(row),
    ...remarksOf(row),
  }
}

/** Not a detail that events have: `order.returned` has the return itself. */
interface WithReturns {
  readonly order_id: number
  readonly returned_lines: readonly Values<typeof returnFields>[] | null
  readonly return_requests: readonly Values<typeof packedReturnRequestFields>[] | null
}

/** Events about them have them. */
interface WithDocuments {
  readonly documents: readonly Values<typeof documentFields>[] | null
  readonly metadata: readonly Values<typeof metadataFields>[] | null
}

/** Only of one order: a page of orders may have too many lines. */
interface WithPromises {
  readonly promises?: OrderPromise[] | null
}

type Included = Static<Type.TObject<typeof includableDetails>>
type IncludableRow = DetailRow & WithLines & WithReturns & WithDocuments & WithPromises & ActionRow

/** What each value of `include` adds to an order. */
const includes = {
  address: (order: Included, row: IncludableRow) => void (order.address = addressOf(row)),
  items: (order: Included, row: IncludableRow) => void (order.items = itemsOf(row)),
  terms: (order: Included, row: IncludableRow) => void (order.terms = termsOf(row)),
  shipments: (order: Included, row: IncludableRow) => void (order.shipments = orderShipmentsOf(row)),
  returns: (order: Included, row: IncludableRow) => void Object.assign(order, orderReturnsOf(row)),
  documents: (order: Included, row: IncludableRow) => {
    assert(row.documents)
    order.documents = documentsOf(row.documents)
  },
  metadata: (order: Included, row: IncludableRow) => {
    assert(row.metadata)
    order.metadata = metadataBy('client', row.metadata)
  },
  promise: (order: Included, row: IncludableRow) => void (order.promise = row.promises ?? []),
  reference: (order: Included, row: IncludableRow) => void Object.assign(order, remarksOf(row)),
  actions: (order: Included, row: IncludableRow) =>
    void (order.actions = actionsOf(orderStateOf(row.order_state_id), row)),
}

export type OrderInclude = keyof typeof includes
const allIncludes = Object.keys(includes) as OrderInclude[] // Object.keys forgets the names.
export const orderIncludes = allIncludes.filter((name) => name !== 'promise') // Of lists, too.

/** Adds the members that `include` names. */
export function addDetails<O extends Included>(order: O, row: IncludableRow, include: readonly OrderInclude[]): O {
  for (const name of include) includes[name](order, row)
  return order
}

const addressOf = (row: DetailRow): OrderDetails['address'] => picked(row, addressFields)
const remarksOf = (row: DetailRow): Pick<OrderDetails, keyof typeof remarkFields> => picked(row, remarkFields)

/** The values of these columns. */
const picked = <C extends object, R extends { [K in keyof C]: unknown }>(
  row: R,
  columns: C,
): Pick<R, keyof C & keyof R> =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, row[name as keyof R]])) as Pick<R, keyof C & keyof R>

function itemsOf({ lines, shipped_lines, order_state_id }: WithLines): OrderDetails['items'] {
  assert(lines && shipped_lines) // The statement selects them if they are shown.
  return orderLinesOf(lines, shipped_lines, orderStateOf(order_state_id))
}

function orderShipmentsOf({ shipped_lines }: WithLines): OrderDetails['shipments'] {
  assert(shipped_lines)
  return shipmentsOf(shipped_lines)
}

function orderReturnsOf({ order_id, returned_lines, return_requests }: WithReturns): Included {
  assert(returned_lines && return_requests)
  return {
    returns: returnsOf(returned_lines),
    return_requests: return_requests.map((row) => returnRequestOf({ ...row, order_id })),
  }
}

const termsOf = ({ currency_code, tax_mode, tax_percent, discount_percent }: DetailRow): OrderDetails['terms'] => ({
  currency_code,
  tax_mode,
  tax_percent,
  discount_percent,
})
