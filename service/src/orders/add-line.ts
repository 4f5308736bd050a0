import { numericOverflow, totalMax } from '../clients/amounts.ts'
import { linesPerCartMax } from '../carts/cart.ts'
import { matchesMax } from '../catalogue/list-items.ts'
import { lineChangeColumns, lineChangeOf, type LineChange } from './line-change.ts'
import { adjustable } from './order-states.ts'
import { neededColumns, refuseNeeds, refuseState } from './refuse-line.ts'
import { earlierOperatorAnswer, operatorRetryRefusedBy, retryParameters } from '../retries/find-earlier-answer.ts'
import type { Retry } from '../retries/retry.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, numeric, text, textArray } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

const item = { item_id: nullable(int8), article: nullable(text), quantity: int4, matches_max: int8 }

const addLineSql = statement(new URL('add-line.sql', import.meta.url), {
  parameters: {
    order_id: int8,
    ...item,
    reason: text,
    raisable: textArray,
    lines_max: int8,
    actor: text,
    request_id: text,
    ...retryParameters,
  },
  columns: lineChangeColumns,
  refusedBy: ['out_of_stock', 'contract_limit_exceeded', numericOverflow, operatorRetryRefusedBy],
})

const { order_item_id: _, closed_adjustment_id: _none, ...effectColumns } = lineChangeColumns

const explainAddedLineSql = statement(new URL('explain-added-line.sql', import.meta.url), {
  parameters: { order_id: int8, ...item, total_max: numeric },
  columns: {
    ...effectColumns,
    ...neededColumns,
    /** The order's line of the same item. */
    order_item_id: nullable(int8),
    matches: int8,
    item_id: nullable(int8),
    item_vendor_code: nullable(text),
    item_title: nullable(text),
    on_sale: nullable(bool),
    order_item_price: nullable(numeric),
    total_after: nullable(numeric),
    tax_after: nullable(numeric),
    discount_after: nullable(numeric),
    total_difference: nullable(numeric),
    currency_code: text,
    contract_currency_code: text,
    line_count: int8,
  },
})

interface AddedLine {
  readonly order_id: number
  readonly item_id: number | undefined
  readonly article: string | undefined
  readonly quantity: number
  readonly reason: string
  readonly actor: string
  readonly request_id: string
  readonly retry: Retry
}

/** Adds a line at the price that the contract has now; the order's own terms apply to it. */
export async function addLine(db: Database, request: AddedLine): Promise<LineChange> {
  const { order_id, quantity, reason, actor, request_id, retry } = request
  const added = await settle(
    db,
    { statement: addLineSql, contended: `order ${order_id}` },
    async () =>
      (await db.row(addLineSql, {
        ...itemOf(request),
        order_id,
        quantity,
        reason,
        raisable: adjustable,
        lines_max: linesPerCartMax,
        actor,
        request_id,
        ...retry,
      })) ??
      (await earlierOperatorAnswer<Values<typeof lineChangeColumns>>(db, { actor, operation: addLineSql.name }, retry)),
    async () => void (await previewAddedLine(db, request)),
  )
  return lineChangeOf(added, false)
}

const itemOf = ({ item_id, article }: AddedLine) => ({
  item_id: item_id ?? null,
  article: article ?? null,
  matches_max: matchesMax,
})

/** The effect that adding the line would have now. Throws if it cannot be added. */
export async function previewAddedLine(db: Database, request: AddedLine): Promise<LineChange> {
  const { order_id, quantity } = request
  const found = await db.row(explainAddedLineSql, { ...itemOf(request), order_id, quantity, total_max: totalMax })
  if (found === undefined) throw new Refusal('order_not_found', { order_id })
  refuseState(found, adjustable)
  const { item_id, item_vendor_code, item_title, contract_id } = found
  if (item_id === null || item_vendor_code === null || item_title === null) {
    const { article } = request
    if (found.matches > 1 && article !== undefined) throw new Refusal('article_ambiguous', { article })
    throw new Refusal('article_not_found', {
      ...(article !== undefined && { article }),
      ...(request.item_id !== undefined && { item_id: request.item_id }),
    })
  }
  if (found.order_item_id !== null)
    throw new Refusal('item_in_order', { order_id, item_id, order_item_id: found.order_item_id })
  if (found.on_sale !== true) throw new Refusal('item_not_on_sale', { item_id })
  if (found.currency_code !== found.contract_currency_code)
    throw new Refusal('order_currency_differs', {
      order_id,
      currency_code: found.currency_code,
      contract_currency_code: found.contract_currency_code,
    })
  const { order_item_price, total_after, tax_after, discount_after, total_difference } = found
  if (
    order_item_price === null ||
    total_after === null ||
    tax_after === null ||
    discount_after === null ||
    total_difference === null
  )
    throw new Refusal('item_not_priced', { item_id, contract_id })
  if (found.line_count >= linesPerCartMax) throw new Refusal('order_full', { order_id, limit: linesPerCartMax })
  refuseNeeds({ ...found, total_difference }, item_id)
  return lineChangeOf(
    {
      ...found,
      item_id,
      item_vendor_code,
      item_title,
      order_item_price,
      total_after,
      tax_after,
      discount_after,
      closed_adjustment_id: null,
    },
    true,
  )
}
