/** Events in the model: what happened, with the data as it was at that moment. */
import {
  addsTax,
  contractOf,
  shownMoney,
  totalsOf,
  type ModelAccount,
  type ModelAdjustment,
  type ModelOrder,
  type ModelReturnRequest,
} from './model-state.ts'
import { contractView, requestView, returnRequestView, type ModelViews } from './model-views.ts'

export class ModelEvents {
  readonly #views: ModelViews

  constructor(views: ModelViews) {
    this.#views = views
  }

  /** About a client, a contract or a cart. */
  own(account: ModelAccount, event_type: string, data: object): void {
    account.events.push({ event_type, order: null, data })
  }

  order(account: ModelAccount, event_type: string, order: ModelOrder, more: object = {}): void {
    const data = { ...this.#views.orderView(account, order), ...this.#views.orderDetails(account, order), ...more }
    account.events.push({ event_type, order, data })
  }

  adjustment(account: ModelAccount, event_type: string, order: ModelOrder, adjustment: ModelAdjustment): void {
    const data = { ...this.#views.adjustmentView(order, adjustment), request: requestView(adjustment) }
    account.events.push({ event_type, order, data })
  }

  returnRequest(account: ModelAccount, what: string, order: ModelOrder, request: ModelReturnRequest): void {
    account.events.push({ event_type: `return_request.${what}`, order, data: returnRequestView(order, request) })
  }

  /** Changes the exposure. A rise to 90% of the limit or more is an event, which the caller records in its place. */
  expose(account: ModelAccount, order: ModelOrder, rise: number): () => void {
    const contract = contractOf(account, order.group)
    contract.exposure += rise
    const { limit, exposure } = contract
    const low = limit > 0 && exposure * 10 >= limit * 9 && (exposure - rise) * 10 < limit * 9
    const data = { ...contractView(account, contract.id), contract_used: shownMoney(exposure) }
    return () => void (low && account.events.push({ event_type: 'contract.limit_low', order, data }))
  }

  /** A history entry, and the event with the order after it. */
  enter(
    account: ModelAccount,
    order: ModelOrder,
    { group, text = '', event_type, more }: { group: string; text?: string; event_type: string; more?: object },
  ): void {
    order.history.unshift({ group, state_id: order.state, text })
    this.order(account, event_type, order, more)
  }

  /** Closes the open requests of an order, with an event for each. */
  closeAdjustments(
    account: ModelAccount,
    order: ModelOrder,
    by: 'client' | 'distributor',
    message: (adjustment: ModelAdjustment) => string | undefined,
  ): void {
    for (const adjustment of order.adjustments.toReversed()) {
      const why = adjustment.status === 'WAIT' ? message(adjustment) : undefined
      if (why !== undefined) this.closeAdjustment(account, order, adjustment, { by, message: why })
    }
  }

  closeAdjustment(
    account: ModelAccount,
    order: ModelOrder,
    adjustment: ModelAdjustment,
    { by, message }: { by: 'client' | 'distributor'; message: string },
  ): void {
    Object.assign(adjustment, { status: 'CANCELED', message, decidedBy: by })
    this.adjustment(account, 'adjustment.decided', order, adjustment)
  }
}

/** Totals and exposure of the order if it had these lines. One without lines is cancelled, and exposes nothing. */
export function changedTotals(
  account: ModelAccount,
  order: ModelOrder,
  lines: readonly { price: number; quantity: number }[],
): { totals: ReturnType<typeof totalsOf>; rise: number; emptied: boolean } {
  const totals = totalsOf(addsTax(account, order.group), order.terms, lines)
  const emptied = lines.every(({ quantity }) => quantity === 0)
  return { totals, rise: (emptied ? 0 : totals.total) - order.total, emptied }
}
