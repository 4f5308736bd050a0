/** The order desk in the model: what operators do with orders. */
import type { OrderState } from '../src/vocabulary/order-states.ts'
import { at } from '../src/testing/mask-volatile.ts'
import {
  adjustable,
  contractOf,
  correctable,
  fail,
  moves,
  openOf,
  overLimit,
  partlyShipped,
  shownLines,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelOrder,
  type ModelPieces,
} from './model-state.ts'
import { changedTotals } from './model-events.ts'
import type { Model } from './model.ts'
import { failAll, type ReturnedGoods, type WantedLine, type Wrong } from './model-returns.ts'
import { shipmentView } from './model-views.ts'

export class ModelDesk {
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  read(account: ModelAccount, order: ModelOrder): ExpectedAnswer {
    return {
      status: 200,
      data: this.#model.views.fullOrderView(account, order),
      learn: learnOrder(order),
    }
  }

  move(account: ModelAccount, order: ModelOrder, to: OrderState, text: string): ExpectedAnswer {
    if (order.state === to) return this.#answer(account, order)
    if (to === 'shipped') return this.ship(account, order, { text })
    const refused = this.#moveRefused(order, to)
    if (refused) return refused
    if (partlyShipped(order) && to !== 'completed') return fail(409, 'order_partly_shipped', { order_id: order.id })
    this.#enterState(account, order, to, text)
    return this.#answer(account, order)
  }

  #moveRefused(order: ModelOrder, to: OrderState): ExpectedAnswer | undefined {
    const possible = moves[order.state]
    if (!possible.includes(to))
      return fail(409, 'order_move_refused', {
        order_id: order.id,
        order_state_id: order.state,
        state_id: to,
        possible,
      })
    return order.hold === null ? undefined : fail(409, 'order_held', { order_id: order.id, hold_reason: order.hold })
  }

  #enterState(account: ModelAccount, order: ModelOrder, to: OrderState, text: string): void {
    if (to === 'canceled') {
      if (order.state !== 'zayavka-na-otmen') order.stateBefore = order.state
      Object.assign(order, { hold: null, wasCancelled: true })
      this.#model.stock.release(order)
    }
    if (to === 'canceled' || to === 'completed') this.#model.events.expose(account, order, -order.total)
    order.state = to
    this.#model.events.enter(account, order, { group: 'Change of status', text, event_type: 'order.state_changed' })
    if (!adjustable.includes(to))
      this.#model.events.closeAdjustments(
        account,
        order,
        'distributor',
        () => `The order has moved on to the state ${to}.`,
      )
  }

  /** Without lines, everything that is open. */
  ship(
    account: ModelAccount,
    order: ModelOrder,
    {
      lines,
      carrier,
      tracking,
      text,
    }: {
      lines?: readonly WantedLine[] | undefined
      carrier?: string | undefined
      tracking?: string | undefined
      text: string
    },
  ): ExpectedAnswer {
    const refused = this.#moveRefused(order, 'shipped')
    if (refused) return refused
    if (order.virtual) return fail(409, 'order_is_virtual', { order_id: order.id })
    const wanted = lines?.map((line) => ({ ...line, line: order.lines.find(({ id }) => id === line.order_item_id) }))
    const wrong = (wanted ?? []).flatMap(({ line, order_item_id, quantity }): Wrong[] => {
      if (!line) return [{ code: 'order_item_not_found', details: { order_id: order.id, order_item_id } }]
      const open = openOf(line)
      return quantity > open
        ? [{ code: 'quantity_not_open', details: { order_item_id, open, requested: quantity } }]
        : []
    })
    if (wrong.length > 0) return failAll(wrong)
    const pieces: ModelPieces[] = order.lines.flatMap((line) => {
      const quantity = wanted ? (wanted.find((one) => one.line === line)?.quantity ?? 0) : openOf(line)
      return quantity > 0 ? [{ line, quantity }] : []
    })
    const { stock } = order.group
    const missing = pieces
      .toSorted((a, b) => a.line.item - b.line.item)
      .flatMap(({ line: { item }, quantity: needed }) => {
        const on_hand = this.#model.stock.level(stock, item)?.onHand ?? 0
        return needed > on_hand
          ? [{ code: 'goods_missing', details: { item_id: item, stock_id: stock, on_hand, needed } }]
          : []
      })
    if (missing.length > 0) return failAll(missing)
    for (const { line, quantity } of pieces) {
      line.shipped += quantity
      this.#model.stock.change(stock, line.item, { reserved: -quantity, onHand: -quantity })
    }
    const shipment = { id: 0, carrier: carrier ?? null, tracking: tracking ?? null, pieces }
    order.shipments.push(shipment)
    const complete = order.lines.every((line) => openOf(line) === 0)
    if (complete) order.state = 'shipped'
    order.history.unshift({ group: complete ? 'Change of status' : 'Shipment', state_id: order.state, text })
    this.#model.events.order(account, 'order.shipped', order, { shipment: shipmentView(shipment) })
    if (complete) this.#model.events.order(account, 'order.state_changed', order)
    return this.#answer(account, order)
  }

  closeOpen(account: ModelAccount, order: ModelOrder, reason: string): ExpectedAnswer {
    const refused = this.#moveRefused(order, 'shipped')
    if (refused) return refused
    if (!partlyShipped(order)) return fail(409, 'nothing_shipped', { order_id: order.id })
    this.#model.stock.release(order)
    for (const line of order.lines) line.quantity = line.shipped
    const { totals, rise } = changedTotals(account, order, order.lines)
    this.#model.events.expose(account, order, rise)
    Object.assign(order, totals)
    this.#model.events.enter(account, order, {
      group: 'Change of items',
      text: reason,
      event_type: 'order.items_changed',
    })
    this.#enterState(account, order, 'shipped', '')
    return this.#answer(account, order)
  }

  decideCancellation(account: ModelAccount, order: ModelOrder, rejection: string | undefined): ExpectedAnswer {
    if (order.state !== 'zayavka-na-otmen')
      return fail(409, 'cancellation_not_requested', { order_id: order.id, order_state_id: order.state })
    if (rejection === undefined) this.#enterState(account, order, 'canceled', '')
    else this.#enterState(account, order, order.stateBefore, rejection)
    return this.#answer(account, order)
  }

  undoCancellation(account: ModelAccount, order: ModelOrder, reason: string): ExpectedAnswer {
    const lines = shownLines(order)
    if (order.state !== 'canceled' || lines.length === 0)
      return fail(409, 'cancellation_not_undoable', {
        order_id: order.id,
        order_state_id: order.state,
        cancelled_at: order.wasCancelled ? at : null,
        why: order.state === 'canceled' ? 'no_lines' : 'not_cancelled',
      })
    const refused =
      (order.virtual ? undefined : this.#model.stock.lacking(order.group.stock, lines)) ??
      overLimit(contractOf(account, order.group), order.total)
    if (refused) return refused
    this.#model.stock.reserve(order, lines)
    const recordLow = this.#model.events.expose(account, order, order.total)
    order.state = order.stateBefore
    const entry = { group: 'Change of status', text: reason, event_type: 'order.state_changed' }
    this.#model.events.enter(account, order, entry)
    recordLow()
    return this.#answer(account, order)
  }

  /** A reason holds the order, null releases it. */
  hold(account: ModelAccount, order: ModelOrder, reason: string | null): ExpectedAnswer {
    if (order.hold === reason) return this.#answer(account, order)
    if (!correctable.includes(order.state) && order.state !== 'zayavka-na-otmen')
      return fail(409, 'order_not_holdable', { order_id: order.id, order_state_id: order.state })
    order.hold = reason
    const entry = reason === null ? { group: 'Release' } : { group: 'Hold', text: reason }
    this.#model.events.enter(account, order, {
      ...entry,
      event_type: reason === null ? 'order.released' : 'order.held',
    })
    return this.#answer(account, order)
  }

  return(account: ModelAccount, order: ModelOrder, goods: ReturnedGoods): ExpectedAnswer {
    return this.#model.returns.arrive(account, order, goods) ?? this.#answer(account, order)
  }

  note(
    account: ModelAccount,
    order: ModelOrder,
    { text, internal }: { text: string; internal: boolean },
  ): ExpectedAnswer {
    if (internal) order.notes.unshift(text)
    else this.#model.events.enter(account, order, { group: 'Note', text, event_type: 'order.noted' })
    return this.#answer(account, order)
  }

  clearVirtual(account: ModelAccount, order: ModelOrder): ExpectedAnswer {
    if (!order.virtual) return this.#answer(account, order)
    if (!correctable.includes(order.state))
      return fail(409, 'virtual_not_clearable', { order_id: order.id, order_state_id: order.state })
    const lines = shownLines(order)
    const lacking = this.#model.stock.lacking(order.group.stock, lines)
    if (lacking) return lacking
    order.virtual = false
    this.#model.stock.reserve(order, lines)
    this.#model.events.enter(account, order, { group: 'Change of reservation', event_type: 'order.changed' })
    return this.#answer(account, order)
  }

  reschedule(
    account: ModelAccount,
    order: ModelOrder,
    date: string,
    window: { earliest_date: string; latest_date: string },
  ): ExpectedAnswer {
    const answer = this.#model.reschedule(account, order.id, date, window)
    return answer.status === 200 ? this.#answer(account, order) : answer
  }

  #answer(account: ModelAccount, order: ModelOrder): ExpectedAnswer {
    return {
      status: 200,
      data: this.#model.views.operatorOrderView(account, order),
      learn: learnOrder(order),
    }
  }
}

/** An operator's answer has every id of the order. */
function learnOrder(order: ModelOrder): NonNullable<ExpectedAnswer['learn']> {
  const lines = shownLines(order)
  return ({ order_number, items, shipments, returns }) => {
    order.number = order_number
    for (const [i, line] of lines.entries()) line.id = items[i].order_item_id
    for (const [i, shipment] of order.shipments.entries()) shipment.id = shipments[i].shipment_id
    for (const [i, returned] of order.returns.entries()) returned.id = returns[i].return_id
  }
}
