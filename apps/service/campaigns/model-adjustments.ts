/** Adjustments in the model: requests and withdrawals of clients, and decisions of operators. */
import { anyText } from '../src/testing/mask-volatile.ts'
import {
  adjustable,
  contractOf,
  fail,
  orderOf,
  overLimit,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelAdjustment,
  type ModelOrder,
} from './model-state.ts'
import { changedTotals, type ModelEvents } from './model-events.ts'
import type { ModelStock } from './model-stock.ts'
import { orderMissing, requestView, type ModelViews } from './model-views.ts'

const withdrawn = 'Withdrawn by the client.'
const byClient = { by: 'client', message: withdrawn } as const

export class ModelAdjustments {
  readonly #views: ModelViews
  readonly #stock: ModelStock
  readonly #events: ModelEvents

  constructor(views: ModelViews, stock: ModelStock, events: ModelEvents) {
    this.#views = views
    this.#stock = stock
    this.#events = events
  }

  request(
    account: ModelAccount,
    orderId: number,
    lineId: number,
    { quantity, reason = null }: { quantity: number; reason?: string | null },
  ): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const line = order.lines.find(({ id, quantity: left }) => id === lineId && left > 0)
    if (!line) return fail(404, 'order_item_not_found', { order_id: orderId, order_item_id: lineId })
    if (!adjustable.includes(order.state))
      return fail(409, 'order_not_adjustable', { order_id: orderId, order_state_id: order.state })
    const latest = order.adjustments.find((other) => other.line === line)
    const open = latest?.status === 'WAIT' ? latest : undefined
    const unchanged = line.quantity === quantity
    if (latest?.wanted === quantity && (open || (unchanged && latest.status === 'ACCEPTED')))
      return this.#answer(order, { ...latest, status: 'WAIT', difference: 0 })
    const made: ModelAdjustment = {
      id: 0,
      line,
      wanted: quantity,
      before: line.quantity,
      reason,
      status: 'WAIT',
      message: null,
      difference: 0,
      decidedBy: null,
    }
    return {
      ...this.#answer(order, made),
      learn: ({ adjustment_id }) => {
        made.id = adjustment_id
        const message = `Superseded by adjustment ${adjustment_id}.`
        if (open) this.#events.closeAdjustment(account, order, open, { by: 'client', message })
        order.adjustments.unshift(made)
        this.#events.adjustment(account, 'adjustment.created', order, made)
        if (!unchanged) return
        Object.assign(made, { status: 'ACCEPTED', decidedBy: 'service' })
        this.#events.adjustment(account, 'adjustment.decided', order, made)
      },
    }
  }

  withdraw(account: ModelAccount, orderId: number, adjustmentId: number): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const found = order.adjustments.find(({ id }) => id === adjustmentId)
    if (!found) return fail(404, 'adjustment_not_found', { order_id: orderId, adjustment_id: adjustmentId })
    if (found.status === 'WAIT') this.#events.closeAdjustment(account, order, found, byClient)
    return found.message === withdrawn ? this.#answer(order, found) : decided(found)
  }

  list(account: ModelAccount, orderId: number, { include }: { include: boolean }): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const data = order.adjustments.map((adjustment) => ({
      ...this.#views.adjustmentView(order, adjustment),
      ...(include ? { request: requestView(adjustment) } : {}),
    }))
    return { status: 200, data }
  }

  /** By an operator, who sees adjustments of all clients. */
  accept(account: ModelAccount, order: ModelOrder, adjustment: ModelAdjustment): ExpectedAnswer {
    if (adjustment.status !== 'WAIT') return decided(adjustment)
    const { line, wanted } = adjustment
    const difference = wanted - line.quantity
    const needed = [{ item: line.item, quantity: difference }]
    const lacking = order.virtual || difference <= 0 ? undefined : this.#stock.lacking(order.group.stock, needed)
    if (lacking) return lacking
    const lines = order.lines.map((other) => (other === line ? { ...line, quantity: wanted } : other))
    const { totals, rise, emptied } = changedTotals(account, order, lines)
    const refused = overLimit(contractOf(account, order.group), rise)
    if (refused) return refused
    const recordLow = this.#events.expose(account, order, rise)
    this.#stock.reserve(order, needed)
    const text = `M-${line.item}: ${line.quantity} → ${wanted}`
    line.quantity = wanted
    Object.assign(order, totals)
    Object.assign(adjustment, { status: 'ACCEPTED', difference, decidedBy: 'distributor' })
    this.#events.enter(account, order, { group: 'Change of items', text, event_type: 'order.items_changed' })
    this.#events.adjustment(account, 'adjustment.decided', order, adjustment)
    recordLow()
    if (emptied) endOrder(this.#events, account, order, { state: 'canceled', text: 'The last item was removed.' })
    return this.#operatorAnswer(order, adjustment)
  }

  reject(account: ModelAccount, order: ModelOrder, adjustment: ModelAdjustment, message: string): ExpectedAnswer {
    if (adjustment.status !== 'WAIT') return decided(adjustment)
    this.#events.closeAdjustment(account, order, adjustment, { by: 'distributor', message })
    return this.#operatorAnswer(order, adjustment)
  }

  #operatorAnswer(order: ModelOrder, adjustment: ModelAdjustment): ExpectedAnswer {
    const data = { ...this.#views.adjustmentView(order, adjustment), request: requestView(adjustment, anyText) }
    return { status: 200, data }
  }

  #answer(order: ModelOrder, adjustment: ModelAdjustment): ExpectedAnswer {
    return { status: 200, data: this.#views.adjustmentView(order, adjustment) }
  }
}

/** An order of which nothing is left ends, and with it a hold. */
export function endOrder(
  events: ModelEvents,
  account: ModelAccount,
  order: ModelOrder,
  { state, text }: { state: 'canceled' | 'shipped'; text: string },
): void {
  order.hold = null
  if (state === 'canceled') Object.assign(order, { stateBefore: order.state, wasCancelled: true })
  order.state = state
  events.enter(account, order, { group: 'Change of status', text, event_type: 'order.state_changed' })
}

const decided = ({ id, status, message }: ModelAdjustment): ExpectedAnswer =>
  fail(409, 'adjustment_decided', {
    adjustment_id: id,
    adjustment_status: status,
    adjustment_canceled_message: message,
  })
