/**
 * A simple model of the contract: plain objects, no database, no concurrency.
 * Each method returns the answer that the service must give, and updates the model.
 */
import assert from 'node:assert/strict'
import { anyId } from '../src/testing/mask-volatile.ts'
import {
  addsTax,
  adjustable,
  contractOf,
  correctable,
  fail,
  labels,
  openOf,
  orderOf,
  overLimit,
  partlyShipped,
  scale,
  shownLines,
  shownMoney,
  totalsOf,
  type ModelAccount,
  type ModelCart,
  type ModelContent,
  type ExpectedAnswer,
  type ModelGroup,
  type ModelContract,
  type ModelLine,
  type ModelOrder,
  type ModelRow,
  type RequestedRow,
} from './model-state.ts'
import { ModelAdjustments } from './model-adjustments.ts'
import { ModelEvents } from './model-events.ts'
import { ModelGoods } from './model-goods.ts'
import { ModelReturns } from './model-returns.ts'
import { ModelStock } from './model-stock.ts'
import { cartMissing, cartView, contractView, idView, ModelViews, orderMissing } from './model-views.ts'
import type { ModelWorld } from './model-world.ts'

export class Model {
  readonly accounts: ModelAccount[]
  readonly world: ModelWorld
  readonly goods: ModelGoods
  readonly stock = new ModelStock()
  readonly views: ModelViews
  readonly events: ModelEvents
  readonly adjustments: ModelAdjustments
  readonly returns: ModelReturns

  constructor(world: ModelWorld) {
    this.world = world
    this.accounts = world.clients.map((client) => ({
      client,
      carts: [],
      orders: [],
      groups: [],
      contracts: new Map([
        newContract(client.contracts[0], { limit: 0, discountPercent: 0, taxPercent: 20 }),
        newContract(client.contracts[1], { limit: 100 * scale, discountPercent: 10, taxPercent: 7 }),
      ]),
      blocked: null,
      events: [],
    }))
    const [one, two, three] = world.items
    const [first, second] = world.stocks
    this.goods = new ModelGoods([
      [one, 100_000],
      [two, 333_333],
      [three, 50],
    ])
    this.views = new ModelViews(world, this.goods)
    this.events = new ModelEvents(this.views)
    this.stock.add(first, one, { onHand: 24 })
    this.stock.add(first, two, { onHand: 8 })
    this.stock.add(first, three, { onHand: 0, backOrder: true })
    this.stock.add(second, one, { onHand: 8 })
    this.adjustments = new ModelAdjustments(this.views, this.stock, this.events)
    this.returns = new ModelReturns(this.stock, this.events)
  }

  createCart(account: ModelAccount, name: string): ExpectedAnswer {
    return {
      status: 200,
      data: { cart_id: anyId, cart_name: name, virtual: false },
      learn: ({ cart_id }) => account.carts.push({ id: cart_id, name, virtual: false, groups: [] }),
    }
  }

  listCarts(account: ModelAccount): ExpectedAnswer {
    return { status: 200, data: account.carts.map(cartView) }
  }

  renameCart(account: ModelAccount, cartId: number, name: string): ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    cart.name = name
    return { status: 200, data: cartView(cart) }
  }

  deleteCart(account: ModelAccount, cartId: number): ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    account.carts = account.carts.filter((other) => other !== cart)
    for (const group of cart.groups) group.lines = []
    return { status: 200, data: { removed_cart_id: cartId } }
  }

  listItems(account: ModelAccount, cartId: number, { promised = false } = {}): ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    return {
      status: 200,
      data: cart.groups.map((group) => ({
        cart_group_key: 'key',
        cart: cartView(cart),
        stock: this.views.stockView(group.stock),
        advertising: group.advertising,
        contract: contractView(account, group.contract),
        cart_items: group.lines.map((line) => ({
          ...this.views.lineView(line),
          ...(promised && { promise: this.stock.promise(group.stock, line.item, line.quantity) }),
        })),
      })),
      learn: (data: { cart_group_key: string }[]) => {
        for (const [i, group] of cart.groups.entries())
          group.shown.set(data[i]?.cart_group_key ?? '', this.#content(account, group))
      },
    }
  }

  addItem(account: ModelAccount, cartId: number, request: ModelRow): ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    const refused = this.goods.refused([
      { ...request, quantity: request.quantity + (lineOf(cart, request)?.quantity ?? 0) },
    ])
    if (refused) return refused
    const made = this.#add(account, cart, request)
    return {
      status: 200,
      data: { ...this.views.lineView(made), cart_item_id: made.id === 0 ? anyId : made.id },
      learn: ({ cart_item_id }) => {
        made.id = cart_item_id
      },
    }
  }

  addRows(account: ModelAccount, cartId: number, requested: readonly RequestedRow[]): ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    const rows = requested.map((row) => ({ ...row, stock: row.stock ?? this.#chosen(account, cart, row, requested) }))
    return this.#addRows(account, cart, rows, (view) => view, { ignored_columns: [] })
  }

  /** The first preferred stock that has all pieces of the line; the first one if none has. */
  #chosen({ client }: ModelAccount, { groups }: ModelCart, row: RequestedRow, rows: readonly RequestedRow[]): number {
    const { item, contract, advertising } = row
    const wanted = rows
      .filter((other) => other.stock === undefined && other.item === item)
      .filter((other) => other.contract === contract && other.advertising === advertising)
      .reduce((sum, { quantity }) => sum + quantity, 0)
    const inCart = (stock: number): number =>
      groups
        .find((group) => group.stock === stock && group.contract === contract && group.advertising === advertising)
        ?.lines.find((line) => line.item === item)?.quantity ?? 0
    const [first = 0] = client.stocks
    return client.stocks.find((stock) => this.stock.available(stock, item) >= wanted + inCart(stock)) ?? first
  }

  orderAgain(account: ModelAccount, cartId: number, orderId: number): ExpectedAnswer {
    const [cart, order] = [this.#cart(account, cartId), orderOf(account, orderId)]
    if (!cart) return cartMissing(cartId)
    if (!order) return orderMissing(orderId)
    const { stock, contract, advertising } = order.group
    const lines = shownLines(order)
    const rows = lines.map(({ item, quantity }) => ({ item, stock, contract, advertising, quantity }))
    return this.#addRows(account, cart, rows, (view, at) => {
      const { price = 0 } = lines[at] ?? {}
      const changed = {
        price: view.price !== shownMoney(price),
        gone: view.outcome === 'refused',
        short: view.short === true,
      }
      const changes = (['price', 'gone', 'short'] as const).filter((change) => changed[change])
      return { ...view, ordered_price: shownMoney(price), changes }
    })
  }

  /** Groups and lines are made in the order of stock, contract, budget and item. */
  #addRows(
    account: ModelAccount,
    cart: ModelCart,
    rows: readonly ModelRow[],
    show: (view: ReturnType<ModelViews['rowView']>, at: number) => object,
    more: object = {},
  ): ExpectedAnswer {
    const keyOf = ({ stock, contract, advertising, item }: ModelRow): string =>
      [stock, contract, advertising, item].join(' ')
    const totals = rows.map((row) => {
      const same = rows.filter((other) => keyOf(other) === keyOf(row))
      const isSold = this.goods.onSale.get(row.item) === true // Otherwise nobody looks into the cart.
      return same.reduce((sum, { quantity }) => sum + quantity, isSold ? (lineOf(cart, row)?.quantity ?? 0) : 0)
    })
    const unsold = rows.map(({ item }, at) => this.goods.unsold({ item, quantity: totals[at] ?? 0 }))
    const good = rows.filter((_, at) => unsold[at] === undefined)
    const lines = new Map<string, ModelLine>()
    for (const row of good.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1)))
      lines.set(keyOf(row), this.#add(account, cart, row))
    const views = rows.map((row, at) => {
      const first = rows.findIndex((other) => keyOf(other) === keyOf(row))
      const mergedInto = first < at ? first + 1 : undefined
      const available = this.stock.available(row.stock, row.item)
      const backOrder = this.stock.takesBackOrders(row.stock, row.item)
      const line = lines.get(keyOf(row))
      const total = totals[at] ?? 0
      return this.views.rowView({
        ...row,
        row: at + 1,
        total,
        error: unsold[at],
        line,
        mergedInto,
        available,
        backOrder,
      })
    })
    return {
      status: 200,
      data: { rows_added: good.length, rows_refused: rows.length - good.length, ...more, rows: views.map(show) },
      learn: (data: { rows: { cart_item_id: number }[] }) => {
        for (const [at, row] of rows.entries()) {
          const line = lines.get(keyOf(row))
          if (line) line.id = data.rows[at]?.cart_item_id ?? 0
        }
      },
    }
  }

  #add(account: ModelAccount, cart: ModelCart, { stock, contract, advertising, item, quantity }: ModelRow): ModelLine {
    let group = cart.groups.find((g) => g.stock === stock && g.contract === contract && g.advertising === advertising)
    if (!group) {
      group = { stock, contract, advertising, lines: [], shown: new Map() }
      cart.groups.push(group)
      account.groups.push(group)
    }
    const lastPrice = this.goods.prices.get(item) ?? 0
    let line = group.lines.find((other) => other.item === item)
    if (line) {
      line.quantity += quantity
      line.lastPrice = lastPrice
    } else {
      line = { id: 0, item, quantity, lastPrice }
      group.lines.push(line)
    }
    return line
  }

  changeQuantity(account: ModelAccount, cartId: number, lineId: number, quantity: number): ExpectedAnswer {
    const found = this.#line(account, cartId, lineId)
    if ('status' in found) return found
    const refused = this.goods.notAllowed({ item: found.line.item, quantity })
    if (refused) return fail(409, refused.code, refused.details)
    found.line.quantity = quantity
    return { status: 200, data: this.views.detail(account, found) }
  }

  readItem(account: ModelAccount, cartId: number, lineId: number): ExpectedAnswer {
    const found = this.#line(account, cartId, lineId)
    return 'status' in found ? found : { status: 200, data: this.views.detail(account, found) }
  }

  removeItem(account: ModelAccount, cartId: number, lineId: number): ExpectedAnswer {
    const found = this.#line(account, cartId, lineId)
    if ('status' in found) return found
    found.group.lines = found.group.lines.filter((other) => other !== found.line)
    if (found.group.lines.length === 0) found.cart.groups = found.cart.groups.filter((other) => other !== found.group)
    return { status: 200, data: { removed_cart_item_id: lineId } }
  }

  placeOrder(account: ModelAccount, key: string, address: string, remark = ''): ExpectedAnswer {
    const group = account.groups.find(({ shown }) => shown.has(key))
    const seen = group?.shown.get(key)
    if (!group || !seen) return fail(404, 'cart_group_not_found', { cart_group_key: key })
    if (group.order) {
      const same = group.order.fingerprint === fingerprintOf(seen) && group.order.address === address
      return same
        ? { status: 200, data: { created_order_id: group.order.id } }
        : fail(409, 'cart_group_already_ordered', { order_id: group.order.id })
    }
    if (group.lines.length === 0) return fail(404, 'cart_group_not_found', { cart_group_key: key })
    const blocked = this.blocked(account, contractOf(account, group))
    if (blocked) return blocked
    const now = this.#content(account, group)
    const lines = group.lines.toSorted((a, b) => a.item - b.item)
    if (fingerprintOf(now) !== fingerprintOf(seen)) {
      return {
        status: 409,
        codes: ['cart_group_changed'],
        details: {
          cart_group_key: 'key',
          changed: [
            ...(now.lines === seen.lines ? [] : ['lines']),
            ...(now.lines !== seen.lines || now.prices === seen.prices ? [] : ['prices']),
            ...(now.terms === seen.terms ? [] : ['terms']),
            ...(now.virtual === seen.virtual ? [] : ['virtual']),
          ],
          cart_items: lines.map((line) => ({
            item_id: line.item,
            quantity: line.quantity,
            price: shownMoney(this.views.price(line)),
          })),
        },
      }
    }
    const unsold = this.goods.refused(lines)
    if (unsold) return unsold
    const lacking = now.virtual ? undefined : this.stock.lacking(group.stock, lines)
    return lacking ?? this.order(account, group, { address, content: now, remark })
  }

  blocked({ blocked }: ModelAccount, contract: ModelContract): ExpectedAnswer | undefined {
    if (blocked !== null) return fail(409, 'client_blocked', { block_reason: blocked })
    return contract.blocked === null
      ? undefined
      : fail(409, 'contract_blocked', { contract_id: contract.id, block_reason: contract.blocked })
  }

  /** Orders the lines of the group. */
  order(
    account: ModelAccount,
    group: ModelGroup,
    { address, content, remark }: { address: string; content: ModelContent; remark: string },
  ): ExpectedAnswer {
    const lines = group.lines
      .toSorted((a, b) => a.item - b.item)
      .map((line) => ({
        id: 0,
        item: line.item,
        quantity: line.quantity,
        shipped: 0,
        returned: 0,
        price: this.views.price(line),
      }))
    const contract = contractOf(account, group)
    const totals = totalsOf(addsTax(account, group), contract.terms, lines)
    const refused = overLimit(contract, totals.total)
    if (refused) return refused
    const order: ModelOrder = {
      id: 0,
      number: 0,
      group,
      fingerprint: fingerprintOf(content),
      address,
      lines,
      terms: contract.terms,
      state: 'new',
      stateBefore: 'new',
      wasCancelled: false,
      virtual: content.virtual,
      hold: null,
      date: null,
      ...totals,
      history: [{ group: 'Change of status', state_id: 'new', text: remark }],
      adjustments: [],
      shipments: [],
      returns: [],
      returnRequests: [],
      notes: [],
    }
    this.stock.reserve(order, lines)
    const recordLow = this.events.expose(account, order, totals.total)
    group.order = order
    account.orders.push(order)
    for (const cart of account.carts) cart.groups = cart.groups.filter((other) => other !== group)
    return {
      status: 200,
      data: { created_order_id: anyId },
      learn: ({ created_order_id }) => {
        order.id = created_order_id
        this.events.order(account, 'order.created', order)
        recordLow()
      },
    }
  }

  /** Back-orders are served in the order of their creation. */
  promises(order: ModelOrder) {
    const holds = ({ state }: ModelOrder): boolean => [...correctable, 'zayavka-na-otmen'].includes(state)
    const { stock } = order.group
    const newer = this.accounts
      .flatMap(({ orders }) => orders)
      .filter((other) => other.group.stock === stock && !other.virtual && holds(other) && other.id > order.id)
      .flatMap(({ lines }) => lines)
    return (holds(order) ? order.lines : [])
      .filter((line) => openOf(line) > 0)
      .map((line) => {
        const behind = newer.reduce((sum, other) => sum + (other.item === line.item ? openOf(other) : 0), 0)
        const due = order.virtual ? undefined : (this.stock.level(stock, line.item)?.reserved ?? 0) - behind
        return { order_item_id: idView(line), promise: this.stock.promise(stock, line.item, openOf(line), due) }
      })
  }

  readOrder(account: ModelAccount, orderId: number, { promised = false } = {}): ExpectedAnswer {
    const order = orderOf(account, orderId)
    return order
      ? {
          status: 200,
          data: { ...this.views.orderView(account, order), ...(promised && { promise: this.promises(order) }) },
          learn: ({ order_number }) => (order.number = order_number),
        }
      : orderMissing(orderId)
  }

  listOrders(
    account: ModelAccount,
    { state, article }: { state?: string | undefined; article?: number | undefined },
  ): ExpectedAnswer {
    if (state !== undefined && !Object.hasOwn(labels, state)) return { status: 400, codes: ['field_invalid'] }
    const found = account.orders.filter(
      (order) =>
        (state === undefined || order.state === state) &&
        (article === undefined || order.lines.some(({ item, quantity }) => item === article && quantity > 0)),
    )
    return { status: 200, data: found.toReversed().map((order) => this.views.orderView(account, order)) }
  }

  orderItems(account: ModelAccount, orderId: number): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const lines = shownLines(order)
    return {
      status: 200,
      data: lines.map((line) => this.views.orderItemView(line)),
      learn: (data: { order_item_id: number }[]) => {
        for (const [i, line] of lines.entries()) line.id = data[i]?.order_item_id ?? 0
      },
    }
  }

  reschedule(
    account: ModelAccount,
    orderId: number,
    date: string,
    window: { earliest_date: string; latest_date: string },
  ): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    if (!adjustable.includes(order.state))
      return fail(409, 'order_not_reschedulable', { order_id: orderId, order_state_id: order.state })
    const sameDay = order.date === date
    if (!sameDay && (date < window.earliest_date || date > window.latest_date))
      return fail(409, 'shipping_date_refused', { shipping_date: date, ...window })
    if (!sameDay) {
      order.date = date
      const group = 'Change of shipping date'
      this.events.enter(account, order, { group, text: date, event_type: 'order.rescheduled' })
    }
    return { status: 200, data: this.views.orderView(account, order) }
  }

  cancel(account: ModelAccount, orderId: number): ExpectedAnswer {
    const order = orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    if (order.state !== 'zayavka-na-otmen') {
      if (!correctable.includes(order.state))
        return fail(409, 'order_not_cancellable', { order_id: orderId, order_state_id: order.state })
      if (partlyShipped(order)) return fail(409, 'order_partly_shipped', { order_id: orderId })
      order.stateBefore = order.state
      order.state = 'zayavka-na-otmen'
      this.events.enter(account, order, { group: 'Change of status', event_type: 'order.state_changed' })
      const message = 'The cancellation of the order was requested.'
      this.events.closeAdjustments(account, order, 'client', () => message)
    }
    const { order_contact_id: _, ...view } = this.views.orderView(account, order)
    return {
      status: 200,
      data: { ...view, order_number: null, order_contract: null, order_value: labels[order.state] },
    }
  }

  limitOf(account: ModelAccount, contract: number): number {
    return contractOf(account, { contract }).limit
  }

  #cart(account: ModelAccount, cartId: number): ModelCart | undefined {
    return account.carts.find(({ id }) => id === cartId)
  }

  #line(
    account: ModelAccount,
    cartId: number,
    lineId: number,
  ): { cart: ModelCart; group: ModelGroup; line: ModelLine } | ExpectedAnswer {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    for (const group of cart.groups) {
      const line = group.lines.find(({ id }) => id === lineId)
      if (line) return { cart, group, line }
    }
    return fail(404, 'cart_item_not_found', { cart_id: cartId, cart_item_id: lineId })
  }

  #cartOf(account: ModelAccount, group: ModelGroup): ModelCart {
    const cart = account.carts.find(({ groups }) => groups.includes(group))
    assert(cart)
    return cart
  }

  #content(account: ModelAccount, group: ModelGroup): ModelContent {
    const sorted = group.lines.toSorted((a, b) => a.item - b.item)
    return {
      lines: sorted.map(({ item, quantity }) => `${item}×${quantity}`).join(),
      prices: sorted.map((line) => `${line.item}@${this.views.price(line)}`).join(),
      terms: JSON.stringify(contractOf(account, group).terms),
      virtual: this.#cartOf(account, group).virtual,
    }
  }
}

const lineOf = ({ groups }: ModelCart, { stock, contract, advertising, item }: ModelRow): ModelLine | undefined =>
  groups
    .find((g) => g.stock === stock && g.contract === contract && g.advertising === advertising)
    ?.lines.find((line) => line.item === item)

function newContract(
  id: number,
  { limit, ...terms }: { limit: number; discountPercent: number; taxPercent: number },
): [number, ModelContract] {
  return [id, { id, terms, limit, exposure: 0, blocked: null }]
}

const fingerprintOf = (content: ModelContent): string => Object.values(content).join(';')
