/** Adjustments in the model: requests and withdrawals of clients, and acceptance by operators. */
import { anyText } from '../src/testing/mask-volatile.ts'
import {
  fail,
  isLimited,
  orderOf,
  overLimit,
  totalsOf,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelAdjustment,
  type ModelOrder,
} from './model-state.ts'
import { orderMissing, requestView, type ModelViews } from './model-views.ts'

const withdrawn = 'Withdrawn by the client.'

export class ModelAdjustments {
  readonly #views: ModelViews
  readonly #free: Map<string, number>

  constructor(views: ModelViews, free: Map<string, number>) {
    this.#views = views
    this.#free = free
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
    if (order.state !== 'new')
      return fail(409, 'order_not_adjustable', { order_id: orderId, order_state_id: order.state })
    const open = order.adjustments.find((other) => other.line === line && other.status === 'WAIT')
    if (line.quantity === quantity) {
      if (!open) return fail(409, 'quantity_unchanged', { order_item_id: lineId, quantity })
      closeAdjustment(open, withdrawn)
      return this.#answer(order, open)
    }
    if (open?.wanted === quantity) return this.#answer(order, open)
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
        if (open) closeAdjustment(open, `Superseded by adjustment ${adjustment_id}.`)
        order.adjustments.unshift(made)
      },
    }
  }

  withdraw(account: ModelAccount, orderId: number, adjustmentId: number): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const found = order.adjustments.find(({ id }) => id === adjustmentId)
    if (!found) return fail(404, 'adjustment_not_found', { order_id: orderId, adjustment_id: adjustmentId })
    if (found.status === 'WAIT') closeAdjustment(found, withdrawn)
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
    const level = `${order.group.stock}:${line.item}`
    const available = this.#free.get(level) ?? 0
    if (difference > available)
      return fail(409, 'out_of_stock', {
        item_id: line.item,
        stock_id: order.group.stock,
        available,
        requested: difference,
      })
    const lines = order.lines.map((other) => (other === line ? { ...line, quantity: wanted } : other))
    const limited = isLimited(account, order.group)
    const totals = totalsOf(limited, order.terms, lines)
    const rise = totals.total - order.total
    const refused = limited ? overLimit(account, order.group, rise) : undefined
    if (refused) return refused
    if (limited) account.limitedExposure += rise
    this.#free.set(level, available - difference)
    const text = `M-${line.item}: ${line.quantity} → ${wanted}`
    order.history.unshift({ group: 'Change of items', state_id: order.state, text })
    line.quantity = wanted
    Object.assign(order, totals)
    Object.assign(adjustment, { status: 'ACCEPTED', difference, decidedBy: 'distributor' })
    if (order.lines.every(({ quantity }) => quantity === 0)) {
      order.state = 'canceled'
      order.history.unshift({ group: 'Change of status', state_id: 'canceled', text: 'The last item was removed.' })
    }
    const data = { ...this.#views.adjustmentView(order, adjustment), request: requestView(adjustment, anyText) }
    return { status: 200, data }
  }

  #answer(order: ModelOrder, adjustment: ModelAdjustment): ExpectedAnswer {
    return { status: 200, data: this.#views.adjustmentView(order, adjustment) }
  }
}

/** By its client. */
export function closeAdjustment(adjustment: ModelAdjustment, message: string): void {
  Object.assign(adjustment, { status: 'CANCELED', message, decidedBy: 'client' })
}

const decided = ({ id, status, message }: ModelAdjustment): ExpectedAnswer =>
  fail(409, 'adjustment_decided', {
    adjustment_id: id,
    adjustment_status: status,
    adjustment_canceled_message: message,
  })
