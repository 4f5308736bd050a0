import Type, { type Static } from 'typebox'
import { orderInputDigest, orderInputParameters, orderInputValues, type OrderInput } from './order-input.ts'
import { placedOrders, placingRefusedBy } from './place-order.ts'
import { regionProblems } from '../catalogue/countries.ts'
import { matchesMax } from '../catalogue/list-items.ts'
import { totalMax } from '../clients/amounts.ts'
import { quantityMax } from '../input/fields.ts'
import type { RequestedLine } from '../input/requested-lines.ts'
import { earlierOperatorAnswer, operatorRetryRefusedBy } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { arrayLiteral, bool, bytes, int4, int8, jsonOf, literal, nullable, numeric, text } from 'pg-statements/types.ts'
import { Refusal, refusalError } from '../refusals.ts'

const orNull = <T extends Type.TSchema>(schema: T, description: string): Type.TUnion<[T, Type.TNull]> =>
  Type.Union([schema, Type.Null()], { description })

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

const lineParameters = {
  item_ids: literal('bigint[]'),
  articles: literal('text[]'),
  brands: literal('text[]'),
  quantities: literal('bigint[]'),
  matches_max: int8,
}
const namedParameters = {
  client_id: int8,
  contact_id: nullable(int8),
  stock_id: int8,
  contract_id: nullable(int8),
  expected_total: nullable(numeric),
  ...lineParameters,
}

const orderForClientSql = statement(new URL('order-for-client.sql', import.meta.url), {
  parameters: {
    ...namedParameters,
    ...orderInputParameters,
    request_digest: bytes,
    quantity_max: int4,
    remark: text,
    actor: text,
    request_id: text,
    idempotency_key: nullable(text),
    retry_digest: nullable(bytes),
  },
  columns: {
    client_id: int8,
    created_order_id: int8,
    order_number: int8,
    order_contact_id: int8,
    stock_id: int8,
    contract_id: int8,
    currency_code: text,
    goods: numeric,
    order_discount: numeric,
    order_tax: numeric,
    order_shipping: numeric,
    order_total: numeric,
    limit_left_after: nullable(numeric),
    lines: jsonOf<OrderedLine[]>(),
  },
  refusedBy: [...placingRefusedBy, operatorRetryRefusedBy],
})
type OrderedRow = Values<(typeof orderForClientSql)['columns']>

const explainOrderForClientSql = statement(new URL('explain-order-for-client.sql', import.meta.url), {
  parameters: { ...namedParameters, reference: nullable(text), total_max: numeric },
  columns: {
    client_id: int8,
    client_block_reason: nullable(text),
    contact_id: nullable(int8),
    stock_id: nullable(int8),
    stock_serving: bool,
    contract_id: nullable(int8),
    contract_limit: nullable(numeric),
    exposure: nullable(numeric),
    contract_block_reason: nullable(text),
    currency_code: nullable(text),
    order_shipping: numeric,
    goods: nullable(numeric),
    discount: nullable(numeric),
    tax: nullable(numeric),
    total: nullable(numeric),
    limit_left_after: nullable(numeric),
    referring_order: nullable(int8),
    place: int8,
    matches: int8,
    item_id: nullable(int8),
    quantity: int4,
    on_sale: nullable(bool),
    item_vendor_code: nullable(text),
    item_title: nullable(text),
    brand_name: nullable(text),
    price: nullable(numeric),
    amount: nullable(numeric),
    available: nullable(int8),
    expected: nullable(bool),
    over_limit: nullable(bool),
    too_large: nullable(bool),
  },
})
type ExplainedRow = Values<(typeof explainOrderForClientSql)['columns']>

export interface OrderForClientRequest {
  readonly client_id: number
  readonly contact_id: number | undefined
  readonly stock_id: number
  readonly contract_id: number | undefined
  readonly lines: readonly RequestedLine[]
  readonly expected_total: number | undefined
  readonly input: OrderInput
  readonly remark: string
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Orders for a client what an operator has been told, for example on the phone, without a cart. */
export async function orderForClient(db: Database, request: OrderForClientRequest): Promise<OrderForClient> {
  const { client_id, input, remark, actor, request_id, retry } = request
  refuseRegion(input)
  const values = {
    ...namedValues(request),
    ...orderInputValues(input),
    request_digest: orderInputDigest(input),
    quantity_max: quantityMax,
    remark,
    actor,
    request_id,
    idempotency_key: retry.idempotency_key,
    retry_digest: retry.request_digest,
  }
  const ordered = await settle(
    db,
    { statement: orderForClientSql, contended: `orders of client ${client_id}` },
    async () => {
      const placed = await db.row(orderForClientSql, values)
      if (placed === undefined)
        return earlierOperatorAnswer<OrderedRow>(db, { actor, operation: orderForClientSql.name }, retry)
      placedOrders.inc()
      return placed
    },
    async () => void (await previewOrderForClient(db, request)),
  )
  return { dry_run: false, ...ordered }
}

function refuseRegion({ country_code, region_code }: OrderInput): void {
  const problems = regionProblems(country_code, region_code)
  if (problems.length > 0) throw new Refusal(problems)
}

const namedValues = ({
  client_id,
  contact_id,
  stock_id,
  contract_id,
  expected_total,
  lines,
}: OrderForClientRequest): Values<typeof namedParameters> => ({
  client_id,
  contact_id: contact_id ?? null,
  stock_id,
  contract_id: contract_id ?? null,
  expected_total: expected_total ?? null,
  item_ids: arrayLiteral(lines.map(({ item_id }) => item_id ?? null)),
  articles: arrayLiteral(lines.map(({ article }) => article ?? null)),
  brands: arrayLiteral(lines.map(({ brand }) => brand ?? null)),
  quantities: arrayLiteral(lines.map(({ quantity }) => quantity)),
  matches_max: matchesMax,
})

/** What the order would cost now. Throws if it cannot be placed. */
export async function previewOrderForClient(db: Database, request: OrderForClientRequest): Promise<OrderForClient> {
  const { client_id, input } = request
  refuseRegion(input)
  const rows = await db.rows(explainOrderForClientSql, {
    ...namedValues(request),
    reference: input.reference ?? null,
    total_max: totalMax,
  })
  const [order] = rows
  if (order === undefined) throw new Refusal('client_not_found', { client_id })
  const named = refuseNamed(order, request)
  const lines = soldLines(rows, request, named)
  const lacking = rows.flatMap(({ item_id, quantity: requested, available }) =>
    item_id !== null && available !== null && requested > available
      ? [refusalError('out_of_stock', { item_id, stock_id: named.stock_id, available, requested })]
      : [],
  )
  if (lacking.length > 0) throw new Refusal(lacking)
  return {
    dry_run: true,
    created_order_id: null,
    order_number: null,
    client_id,
    ...named,
    lines,
    ...refuseTotals(order, request),
  }
}

/** Throws unless everything that the request names exists and may be used. */
function refuseNamed(order: ExplainedRow, request: OrderForClientRequest) {
  const { client_id } = request
  const { client_block_reason, contact_id, contract_id, contract_block_reason, currency_code, stock_id } = order
  if (client_block_reason !== null) throw new Refusal('client_blocked', { block_reason: client_block_reason })
  if (contact_id === null) throw new Refusal('contact_not_found', { client_id, contact_id: request.contact_id ?? 0 })
  if (contract_id === null || currency_code === null)
    throw new Refusal('contract_not_found', { contract_id: request.contract_id ?? 0 })
  if (contract_block_reason !== null)
    throw new Refusal('contract_blocked', { contract_id, block_reason: contract_block_reason })
  if (stock_id === null) throw new Refusal('stock_not_found', { stock_id: request.stock_id })
  if (!order.stock_serving) throw new Refusal('stock_not_serving', { stock_id })
  return { order_contact_id: contact_id, stock_id, contract_id, currency_code }
}

/** Throws, with every line that cannot be sold. */
function soldLines(
  rows: readonly ExplainedRow[],
  { lines }: OrderForClientRequest,
  { contract_id }: { contract_id: number },
): OrderedLine[] {
  const sold: OrderedLine[] = []
  const refused = rows.flatMap((row) => {
    const { item_id, item_vendor_code, item_title, brand_name, quantity, price, amount } = row
    if (item_id === null || item_vendor_code === null || item_title === null || brand_name === null) {
      const { article, brand, item_id: named } = lines[row.place - 1] ?? {}
      const by = { ...(article !== undefined && { article }), ...(brand !== undefined && { brand }) }
      if (row.matches > 1) return [refusalError('article_ambiguous', by)]
      return [refusalError('article_not_found', { ...by, ...(named !== undefined && { item_id: named }) })]
    }
    if (row.on_sale !== true) return [refusalError('item_not_on_sale', { item_id })]
    if (price === null || amount === null) return [refusalError('item_not_priced', { item_id, contract_id })]
    if (quantity > quantityMax) {
      const exceeded = { item_id, in_cart: 0, requested: quantity, limit: quantityMax }
      return [refusalError('line_quantity_exceeded', exceeded)]
    }
    sold.push({ item_id, item_vendor_code, item_title, brand_name, quantity, price, amount })
    return []
  })
  if (refused.length > 0) throw new Refusal(refused)
  return sold
}

/** The totals of an order whose lines can all be sold. Throws if they are refused. */
function refuseTotals(order: ExplainedRow, { input: { reference }, expected_total }: OrderForClientRequest) {
  const { contract_id, contract_limit, exposure, goods, discount, tax, total, order_shipping, limit_left_after } = order
  if (reference !== undefined && order.referring_order !== null)
    throw new Refusal('reference_used', { reference, order_id: order.referring_order }, { field: 'reference' })
  if (goods === null || discount === null || tax === null || total === null || contract_id === null)
    throw new Error('An order whose lines have prices has totals.')
  if (expected_total !== undefined && order.expected === false)
    throw new Refusal('order_total_differs', { order_total: total, expected_total }, { field: 'expected_total' })
  if (order.too_large === true) throw new Refusal('order_total_too_large', { total_max: totalMax })
  if (order.over_limit === true && contract_limit !== null && exposure !== null)
    throw new Refusal('contract_limit_exceeded', {
      contract_id,
      limit: contract_limit,
      used: exposure,
      requested: total,
    })
  return {
    goods,
    order_discount: discount,
    order_tax: tax,
    order_shipping,
    order_total: total,
    limit_left_after,
  }
}
