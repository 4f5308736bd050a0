/** What operators do besides orders in the model: stock, limits, blocks and the mark of carts. */
import { anyId, at } from '../src/testing/mask-volatile.ts'
import {
  contractOf,
  correctable,
  fail,
  openOf,
  shownMoney,
  type ExpectedAnswer,
  type ModelAccount,
} from './model-state.ts'
import type { ModelArrival } from './model-stock.ts'
import type { Model } from './model.ts'
import { cartMissing, cartView } from './model-views.ts'

export class ModelOffice {
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  /** A count is always recorded; what it does not find of the reserved goods is a shortage. */
  countStock(stock: number, item: number, onHand: number): ExpectedAnswer {
    const level = this.#model.stock.level(stock, item) ?? this.#model.stock.add(stock, item, { onHand: 0 })
    const on_hand_before = level.onHand
    level.onHand = onHand
    level.shortage = level.backOrder ? 0 : Math.max(level.reserved - onHand, 0)
    return {
      status: 200,
      data: {
        ...this.#model.views.levelView(stock, item, level),
        on_hand_before,
        affected_orders: this.#affected(stock, item, level.reserved - onHand),
        short_unlisted: 0,
      },
    }
  }

  /** The newest orders cannot be served: oldest first, with how much each lacks. */
  #affected(stock: number, item: number, missing: number): object[] {
    const lines = this.#model.accounts
      .flatMap((account) => account.orders.map((order) => ({ account, order })))
      .filter(
        ({ order: { group, virtual, state } }) =>
          group.stock === stock && !virtual && [...correctable, 'zayavka-na-otmen'].includes(state),
      )
      .flatMap(({ account, order }) => order.lines.map((line) => ({ account, order, line })))
      .filter(({ line }) => line.item === item && openOf(line) > 0)
      .toSorted((a, b) => b.order.id - a.order.id)
    const affected: object[] = []
    let left = missing
    for (const { account, order, line } of lines) {
      if (left <= 0) break
      const open = openOf(line)
      affected.unshift({
        order_id: order.id,
        order_number: order.number === 0 ? anyId : order.number,
        client_id: account.client.client_id,
        client_name: 'Client',
        order_state_id: order.state,
        order_create_datetime: at,
        order_item_id: line.id === 0 ? anyId : line.id,
        open,
        short: Math.min(open, left),
      })
      left -= open
    }
    return affected
  }

  /** Goods have arrived, or back-orders are taken or no longer: never below what is reserved, apart from a shortage. */
  setStock(
    stock: number,
    item: number,
    { onHand, backOrder }: { onHand: number; backOrder: boolean | undefined },
  ): ExpectedAnswer {
    const level = this.#model.stock.level(stock, item)
    const { reserved, shortage } = level ?? { reserved: 0, shortage: 0 }
    const taken = backOrder ?? level?.backOrder ?? false
    if (!taken && reserved - onHand > shortage)
      return fail(409, 'stock_below_reserved', { stock_id: stock, item_id: item, on_hand: onHand, reserved })
    const set = level ?? this.#model.stock.add(stock, item, { onHand: 0 })
    set.backOrder = taken
    if (taken) set.shortage = 0
    this.#model.stock.change(stock, item, { onHand: onHand - set.onHand })
    return { status: 200, data: this.#model.views.levelView(stock, item, set) }
  }

  /** Orders do not see them. A stock that expects an item carries it. */
  setArrivals(stock: number, item: number, arrivals: readonly ModelArrival[]): ExpectedAnswer {
    if (!this.#model.stock.level(stock, item)) this.#model.stock.add(stock, item, { onHand: 0 })
    this.#model.stock.setArrivals(stock, item, arrivals)
    return { status: 200, data: { stock_id: stock, item_id: item, arrivals } }
  }

  levels(stock: number): ExpectedAnswer {
    const data = this.#model.world.items.flatMap((item) => {
      const level = this.#model.stock.level(stock, item)
      return level ? [this.#model.views.levelView(stock, item, level)] : []
    })
    return { status: 200, data }
  }

  client(account: ModelAccount): ExpectedAnswer {
    const { client, blocked } = account
    const data = {
      client_id: client.client_id,
      client_name: 'Client',
      unique_references: false,
      block_reason: blocked,
      contacts: [{ contact_id: client.contact_id, contact_name: 'Contact', contact_email: null }],
      contracts: client.contracts.map((id) => this.#model.views.contractTermsView(account, id)),
      stocks: client.stocks.map((stock) => this.#model.views.stockView(stock)),
      metadata: {},
    }
    return { status: 200, data }
  }

  /** A reason blocks, null ends the block. */
  blockClient(account: ModelAccount, reason: string | null): ExpectedAnswer {
    if (account.blocked !== reason) {
      account.blocked = reason
      if (reason === null) this.#model.events.own(account, 'client.unblocked', {})
      else this.#model.events.own(account, 'client.blocked', { block_reason: reason })
    }
    return { status: 200, data: { client_id: account.client.client_id, client_name: 'Client', block_reason: reason } }
  }

  blockContract(account: ModelAccount, contract_id: number, reason: string | null): ExpectedAnswer {
    const contract = contractOf(account, { contract: contract_id })
    if (contract.blocked !== reason) {
      contract.blocked = reason
      if (reason === null) this.#model.events.own(account, 'contract.unblocked', { contract_id })
      else this.#model.events.own(account, 'contract.blocked', { contract_id, block_reason: reason })
    }
    return { status: 200, data: this.#model.views.contractTermsView(account, contract_id) }
  }

  /** It may be lowered below the exposure. Removing it must be confirmed. */
  setLimit(
    account: ModelAccount,
    contract_id: number,
    { limit, confirmed }: { limit: number; confirmed: boolean },
  ): ExpectedAnswer {
    const contract = contractOf(account, { contract: contract_id })
    if (limit === 0 && contract.limit !== 0 && !confirmed)
      return fail(409, 'confirmation_required', {
        change: 'contract_limit',
        before: shownMoney(contract.limit),
        after: 0,
      })
    contract.limit = limit
    this.#model.events.own(account, 'contract.changed', { contract_id, contract_limit: shownMoney(limit) })
    return { status: 200, data: this.#model.views.contractTermsView(account, contract_id) }
  }

  markCart(account: ModelAccount, cartId: number, virtual: boolean): ExpectedAnswer {
    const cart = account.carts.find(({ id }) => id === cartId)
    if (!cart) return cartMissing(cartId)
    if (cart.virtual !== virtual) this.#model.events.own(account, 'cart.marked', { cart_id: cartId, virtual })
    cart.virtual = virtual
    return { status: 200, data: cartView(cart) }
  }

  /** Every event of the client, or those after a number. */
  events({ events }: ModelAccount, after: number): ExpectedAnswer {
    const data = events.slice(after).map(({ event_type, order, data: shown }, i) => ({
      event_number: after + i + 1,
      event_type,
      event_datetime: at,
      order_id: order?.id ?? null,
      data: shown,
    }))
    return { status: 200, data }
  }
}
