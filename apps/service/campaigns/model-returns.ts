/** Returns in the model: requests and withdrawals of clients, decisions of operators, and goods that come back. */
import {
  fail,
  orderOf,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelOrder,
  type ModelOrderLine,
  type ModelPieces,
  type ModelReturnRequest,
} from './model-state.ts'
import type { ModelEvents } from './model-events.ts'
import type { ModelStock } from './model-stock.ts'
import { anyText } from '../src/testing/mask-volatile.ts'
import { orderMissing, returnRequestView, returnView } from './model-views.ts'

const withdrawn = 'Withdrawn by the client.'

/** A line by its id, and how much of it. */
export interface WantedLine {
  readonly order_item_id: number
  readonly quantity: number
}

export interface ReturnedGoods {
  readonly lines: readonly WantedLine[]
  readonly reason: string
  readonly restock: boolean
  readonly request: ModelReturnRequest | undefined
}

/** One error of several. */
export interface Wrong {
  readonly code: string
  readonly details: unknown
}

export class ModelReturns {
  readonly #stock: ModelStock
  readonly #events: ModelEvents

  constructor(stock: ModelStock, events: ModelEvents) {
    this.#stock = stock
    this.#events = events
  }

  request(account: ModelAccount, orderId: number, lines: readonly WantedLine[], reason: string): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const { pieces, refused } = this.#pieces(order, lines, ['WAIT', 'ACCEPTED'])
    if (refused) return refused
    const made: ModelReturnRequest = {
      id: 0,
      status: 'WAIT',
      reason,
      pieces,
      instruction: null,
      message: null,
      decidedBy: null,
      arrival: null,
    }
    return {
      status: 200,
      data: returnRequestView(order, made),
      learn: ({ return_request_id }) => {
        made.id = return_request_id
        order.returnRequests.push(made)
        this.#events.returnRequest(account, 'created', order, made)
      },
    }
  }

  withdraw(account: ModelAccount, orderId: number, requestId: number): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const found = order.returnRequests.find(({ id }) => id === requestId)
    if (!found) return fail(404, 'return_request_not_found', { order_id: orderId, return_request_id: requestId })
    if (found.status === 'WAIT')
      this.#decide(account, order, found, { status: 'CANCELED', message: withdrawn, decidedBy: 'client' })
    return found.message === withdrawn ? { status: 200, data: returnRequestView(order, found) } : decided(found)
  }

  accept(account: ModelAccount, order: ModelOrder, request: ModelReturnRequest, instruction: string): ExpectedAnswer {
    if (request.status !== 'WAIT') return decided(request)
    const wanted = request.pieces.map(({ line, quantity }) => ({ order_item_id: line.id, quantity }))
    const { refused } = this.#pieces(order, wanted, ['ACCEPTED'])
    if (refused) return refused
    return this.#decide(account, order, request, { status: 'ACCEPTED', instruction })
  }

  reject(account: ModelAccount, order: ModelOrder, request: ModelReturnRequest, message: string): ExpectedAnswer {
    if (request.status !== 'WAIT' && request.status !== 'ACCEPTED') return decided(request)
    return this.#decide(account, order, request, { status: 'CANCELED', message })
  }

  #decide(
    account: ModelAccount,
    order: ModelOrder,
    request: ModelReturnRequest,
    decision: Partial<ModelReturnRequest>,
  ): ExpectedAnswer {
    Object.assign(request, { decidedBy: 'distributor' }, decision)
    this.#events.returnRequest(account, 'decided', order, request)
    return { status: 200, data: { ...returnRequestView(order, request), decided_by: anyText } }
  }

  /** The refusal; undefined if the goods are booked. */
  arrive(
    account: ModelAccount,
    order: ModelOrder,
    { lines, reason, restock, request }: ReturnedGoods,
  ): ExpectedAnswer | undefined {
    if (request && request.status !== 'ACCEPTED') {
      const details = { return_request_id: request.id, request_status: request.status }
      return fail(409, 'return_request_not_accepted', details)
    }
    const { pieces, refused } = this.#pieces(order, lines, [])
    if (refused) return refused
    for (const { line, quantity } of pieces) {
      line.returned += quantity
      if (restock) this.#stock.change(order.group.stock, line.item, { onHand: quantity })
    }
    const returned = { id: 0, reason, restocked: restock, pieces }
    order.returns.push(returned)
    const more = { return: returnView(returned) }
    this.#events.enter(account, order, { group: 'Return', text: reason, event_type: 'order.returned', more })
    if (request) {
      Object.assign(request, { status: 'RETURNED', arrival: returned })
      this.#events.returnRequest(account, 'arrived', order, request)
    }
    return undefined
  }

  /** The lines in the order of their ids. What requests with these statuses ask for counts as returned. */
  #pieces(
    order: ModelOrder,
    lines: readonly WantedLine[],
    statuses: readonly string[],
  ): { pieces: ModelPieces[]; refused: ExpectedAnswer | undefined } {
    const pieces: ModelPieces[] = []
    const wrong = lines.flatMap(({ order_item_id, quantity }): Wrong[] => {
      const line = order.lines.find(({ id }) => id === order_item_id)
      if (!line) return [{ code: 'order_item_not_found', details: { order_id: order.id, order_item_id } }]
      pieces.push({ line, quantity })
      const returnable = Math.max(line.shipped - line.returned - requestedOf(order, line, statuses), 0)
      return quantity > returnable
        ? [{ code: 'quantity_not_returnable', details: { order_item_id, returnable, requested: quantity } }]
        : []
    })
    return {
      pieces: pieces.toSorted((a, b) => a.line.id - b.line.id),
      refused: wrong.length > 0 ? failAll(wrong) : undefined,
    }
  }
}

export const requestedOf = (order: ModelOrder, line: ModelOrderLine, statuses: readonly string[]): number =>
  order.returnRequests
    .filter(({ status }) => statuses.includes(status))
    .flatMap(({ pieces }) => pieces)
    .reduce((sum, piece) => sum + (piece.line === line ? piece.quantity : 0), 0)

const decided = ({ id, status, message }: ModelReturnRequest): ExpectedAnswer =>
  fail(409, 'return_request_decided', { return_request_id: id, request_status: status, canceled_message: message })

export const failAll = (errors: readonly Wrong[]): ExpectedAnswer => ({
  status: errors[0]?.code === 'order_item_not_found' ? 404 : 409,
  codes: errors.map(({ code }) => code),
  details: errors[0]?.details,
})
