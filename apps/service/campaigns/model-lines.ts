/** Changes of lines by operators in the model: reduced, removed, raised and added. */
import { anyId } from '../src/testing/mask-volatile.ts'
import { endOrder } from './model-adjustments.ts'
import {
  adjustable,
  contractOf,
  correctable,
  fail,
  openOf,
  overLimit,
  shownMoney,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelOrder,
  type ModelOrderLine,
} from './model-state.ts'
import { changedTotals } from './model-events.ts'
import type { Model } from './model.ts'

interface LineChange {
  readonly quantity: number
  readonly reason: string
  /** Nothing changes; the answer is the effect. */
  readonly dry: boolean
}

export class ModelLines {
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  change(account: ModelAccount, order: ModelOrder, lineId: number, change: LineChange): ExpectedAnswer {
    const { quantity } = change
    const line = order.lines.find(({ id, quantity: left }) => id === lineId && left > 0)
    if (!line) return fail(404, 'order_item_not_found', { order_id: order.id, order_item_id: lineId })
    if (line.quantity === quantity) return fail(409, 'quantity_unchanged', { order_item_id: lineId, quantity })
    const fixed = linesFixed(order, quantity > line.quantity ? adjustable : correctable)
    if (fixed) return fixed
    if (quantity < line.shipped)
      return fail(409, 'quantity_below_shipped', { order_item_id: lineId, quantity, shipped: line.shipped })
    return this.#settle(account, order, line, change)
  }

  add(account: ModelAccount, order: ModelOrder, item: number, change: LineChange): ExpectedAnswer {
    const fixed = linesFixed(order, adjustable)
    if (fixed) return fixed
    const present = order.lines.find((line) => line.item === item && line.quantity > 0)
    if (present)
      return fail(409, 'item_in_order', {
        order_id: order.id,
        item_id: item,
        order_item_id: present.id === 0 ? anyId : present.id,
      })
    if (this.#model.goods.onSale.get(item) !== true) return fail(409, 'item_not_on_sale', { item_id: item })
    const price = this.#model.goods.price({ item, quantity: change.quantity }) ?? 0
    return this.#settle(account, order, { id: 0, item, quantity: 0, shipped: 0, returned: 0, price }, change)
  }

  /** Stock and limit must allow a rise. The line is a new one if its quantity is 0. */
  #settle(
    account: ModelAccount,
    order: ModelOrder,
    line: ModelOrderLine,
    { quantity, reason, dry }: LineChange,
  ): ExpectedAnswer {
    const { stock, events } = this.#model
    const added = line.quantity === 0
    const difference = quantity - line.quantity
    const needed = [{ item: line.item, quantity: difference }]
    const contract = contractOf(account, order.group)
    const after = { ...line, quantity }
    const lines = added ? [...order.lines, after] : order.lines.map((other) => (other === line ? after : other))
    const { totals, rise, emptied } = changedTotals(account, order, lines)
    const ended = emptied ? 'canceled' : lines.every((one) => openOf(one) === 0) ? 'shipped' : undefined
    if (ended && order.hold !== null) return fail(409, 'order_held', { order_id: order.id, hold_reason: order.hold })
    const refused =
      (order.virtual || difference < 0 ? undefined : stock.lacking(order.group.stock, needed)) ??
      overLimit(contract, rise)
    if (refused) return refused
    const open = order.adjustments.find((other) => other.line === line && other.status === 'WAIT')
    const level = stock.level(order.group.stock, line.item)
    const data = {
      dry_run: dry,
      order_id: order.id,
      order_number: order.number === 0 ? anyId : order.number,
      order_item_id: added && dry ? null : line.id === 0 ? anyId : line.id,
      item_id: line.item,
      item_vendor_code: `M-${line.item}`,
      item_title: this.#model.views.itemView(line.item).item_title,
      order_item_price: shownMoney(line.price),
      quantity_before: line.quantity,
      quantity_after: quantity,
      state_before: order.state,
      state_after: ended ?? order.state,
      total_before: shownMoney(order.total),
      total_after: shownMoney(totals.total),
      tax_before: shownMoney(order.tax),
      tax_after: shownMoney(totals.tax),
      discount_before: shownMoney(order.discount),
      discount_after: shownMoney(totals.discount),
      stock_id: order.group.stock,
      available_after:
        order.virtual || !level || level.backOrder ? null : Math.max(level.onHand - level.reserved - difference, 0),
      contract_id: contract.id,
      limit_left_after: contract.limit === 0 ? null : shownMoney(contract.limit - contract.exposure - rise),
      closed_adjustment_id: open?.id ?? null,
    }
    if (dry) return { status: 200, data }

    const recordLow = events.expose(account, order, rise)
    stock.reserve(order, needed)
    const text = `M-${line.item}: ${line.quantity} → ${quantity}. ${reason}`
    line.quantity = quantity
    if (added) order.lines.push(line)
    Object.assign(order, totals)
    events.enter(account, order, { group: 'Change of items', text, event_type: 'order.items_changed' })
    recordLow()
    const why = emptied ? 'The last item was removed.' : 'Nothing is left to ship.'
    if (ended) endOrder(events, account, order, { state: ended, text: why })
    events.closeAdjustments(account, order, 'distributor', (adjustment) =>
      adjustment === open ? `The distributor changed the quantity to ${quantity}.` : undefined,
    )
    const learn = (answer: { order_item_id: number }): void => void (line.id = answer.order_item_id)
    return { status: 200, data, learn }
  }
}

const linesFixed = (order: ModelOrder, possible: readonly string[]): ExpectedAnswer | undefined =>
  possible.includes(order.state)
    ? undefined
    : fail(409, 'order_lines_fixed', { order_id: order.id, order_state_id: order.state, possible })
