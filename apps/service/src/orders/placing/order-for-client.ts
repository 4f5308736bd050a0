import Type, { type Static } from 'typebox'
import {
  inputProblems,
  orderInputDigest,
  orderInputParameters,
  orderInputValues,
  type PlacedInput,
} from '../order-input.ts'
import { orNull } from '../../vocabulary/schema-parts.ts'
import { placedOrders } from './place-order.ts'
import { matchesMax } from '../../catalogue/list-items.ts'
import { call, functionCall } from '../../functions/call.ts'
import { quantityMax } from '../../input/fields.ts'
import type { RequestedLine } from '../../input/requested-lines.ts'
import type { Retry } from '../../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import {
  arrayLiteral,
  bool,
  bytes,
  int4,
  int8,
  literal,
  nullable,
  numeric,
  plainJsonOf,
  text,
} from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

const OrderedLine = Type.Object({
  item_id: Type.Integer({ description: 'The item.' }),
  item_vendor_code: Type.String({ description: 'Its article code.' }),
  item_title: Type.String({ description: 'Its title.' }),
  brand_name: Type.String({ description: 'Its brand.' }),
  quantity: Type.Integer({ description: 'Number of pieces.' }),
  price: Type.Number({ description: 'The unit price.' }),
  amount: Type.Number({ description: 'The price of all pieces.' }),
})
type OrderedLine = Static<typeof OrderedLine>

export const OrderForClient = Type.Object(
  {
    dry_run: Type.Boolean({ description: 'Whether nothing was ordered and this is only what the order would cost.' }),
    created_order_id: orNull(Type.Integer(), 'The new order; null with `dry_run`.'),
    order_number: orNull(Type.Integer(), 'Its number; null with `dry_run`.'),
    client_id: Type.Integer({ description: 'The client.' }),
    order_contact_id: Type.Integer({ description: 'The contact of the client.' }),
    stock_id: Type.Integer({ description: 'The stock.' }),
    contract_id: Type.Integer({ description: 'The contract.' }),
    currency_code: Type.String({ description: 'The currency of all amounts.' }),
    lines: Type.Array(OrderedLine, { description: 'The lines; those of the same item are one.' }),
    goods: Type.Number({ description: 'The sum of the lines.' }),
    order_discount: Type.Number({ description: 'The discount.' }),
    order_tax: Type.Number({ description: 'The tax, included in the prices or added to them as the contract says.' }),
    order_shipping: Type.Number({ description: 'The cost of shipping.' }),
    order_total: Type.Number({ description: 'The total.' }),
    limit_left_after: orNull(
      Type.Number(),
      "How much of the contract's limit is left after the order; null if it has no limit.",
    ),
  },
  {
    $id: 'OrderForClient',
    examples: [
      {
        dry_run: false,
        created_order_id: 5014,
        order_number: 100_236,
        client_id: 1,
        order_contact_id: 1,
        stock_id: 1,
        contract_id: 1,
        currency_code: 'EUR',
        lines: [
          {
            item_id: 1024,
            item_vendor_code: 'JF-11024',
            item_title: 'Air filter washable 280 mm, 10 pcs',
            brand_name: 'JetFlow',
            quantity: 4,
            price: 104.17,
            amount: 416.68,
          },
        ],
        goods: 416.68,
        order_discount: 0,
        order_tax: 66.53,
        order_shipping: 0,
        order_total: 416.68,
        limit_left_after: null,
      },
    ],
  },
)
export type OrderForClient = Static<typeof OrderForClient>

const orderForClientSql = functionCall(new URL('order_for_client.sql', import.meta.url), {
  parameters: {
    client: int8,
    contact: nullable(int8),
    stock: int8,
    contract: nullable(int8),
    item_ids: literal('bigint[]'),
    articles: literal('text[]'),
    brands: literal('text[]'),
    quantities: literal('bigint[]'),
    matches_max: int8,
    quantity_max: int4,
    expected_total: nullable(numeric),
    dry_run: bool,
    request_digest: bytes,
    remark: text,
    actor: text,
    request_id: text,
    idempotency_key: nullable(text),
    retry_digest: nullable(bytes),
    ...orderInputParameters,
  },
  columns: { answer: plainJsonOf<OrderForClient>(), repeated: bool },
})

export interface OrderForClientRequest {
  readonly client_id: number
  readonly contact_id: number | undefined
  readonly stock_id: number
  readonly contract_id: number | undefined
  readonly lines: readonly RequestedLine[]
  readonly expected_total: number | undefined
  readonly input: PlacedInput
  readonly remark: string
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Orders for a client what an operator has been told, for example on the phone, without a cart. */
export const orderForClient = (db: Database, request: OrderForClientRequest): Promise<OrderForClient> =>
  order(db, request, false)

/** What the order would cost now. Throws if it cannot be placed. */
export const previewOrderForClient = (db: Database, request: OrderForClientRequest): Promise<OrderForClient> =>
  order(db, request, true)

async function order(db: Database, request: OrderForClientRequest, dry_run: boolean): Promise<OrderForClient> {
  const { client_id, contact_id, stock_id, contract_id, lines, expected_total, input, retry } = request
  const problems = inputProblems(input)
  if (problems.length > 0) throw new Refusal(problems)
  const { answer, repeated } = await call(db, orderForClientSql, {
    client: client_id,
    contact: contact_id ?? null,
    stock: stock_id,
    contract: contract_id ?? null,
    item_ids: arrayLiteral(lines.map(({ item_id }) => item_id ?? null)),
    articles: arrayLiteral(lines.map(({ article }) => article ?? null)),
    brands: arrayLiteral(lines.map(({ brand }) => brand ?? null)),
    quantities: arrayLiteral(lines.map(({ quantity }) => quantity)),
    matches_max: matchesMax,
    quantity_max: quantityMax,
    expected_total: expected_total ?? null,
    dry_run,
    request_digest: orderInputDigest(input),
    remark: request.remark,
    actor: request.actor,
    request_id: request.request_id,
    idempotency_key: retry.idempotency_key,
    retry_digest: retry.request_digest,
    ...orderInputValues(input),
  })
  if (!dry_run && !repeated) placedOrders.inc()
  return { ...answer, dry_run }
}
