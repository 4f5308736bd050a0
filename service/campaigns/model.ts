/**
 * A model of the contract, as simple as it can be written: plain objects, no database, no concurrency.
 * Each method says what the service must answer, and keeps the model in step with it.
 */
import { anyId, at } from '../src/testing/mask-volatile.ts'
import type { ModelClient, ModelWorld } from './model-world.ts'

export interface Expected {
  readonly status: number
  readonly data?: unknown
  readonly codes?: readonly string[]
  readonly details?: unknown
  /** Called with the answer's data, to learn ids that the service has drawn. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly learn?: (data: any) => void
}

interface Line {
  id: number
  readonly item: number
  quantity: number
  lastPrice: number
}

interface Group {
  readonly stock: number
  readonly contract: number
  readonly advertising: string
  lines: Line[]
  /** What each key stood for when it was shown. */
  readonly shown: Map<string, { lines: string; prices: string }>
  order?: Order
}

interface Cart {
  readonly id: number
  name: string
  groups: Group[]
}

interface Adjustment {
  id: number
  readonly line: OrderLine
  readonly wanted: number
  status: string
  message: string | null
}

interface OrderLine {
  id: number
  readonly item: number
  readonly quantity: number
  readonly price: number
}

interface Order {
  id: number
  number: number
  readonly group: Group
  readonly fingerprint: string
  readonly address: string
  readonly lines: OrderLine[]
  state: string
  date: string | null
  readonly total: number
  readonly tax: number
  readonly discount: number
  history: { group: string; state_id: string; text: string }[]
  adjustments: Adjustment[]
}

interface Account {
  readonly client: ModelClient
  carts: Cart[]
  orders: Order[]
  /** Every group that ever was, for keys that outlive theirs. */
  groups: Group[]
  limitedExposure: number
}

/** Money in ten-thousandths, so that everything is whole; the contract's figures have at most four decimals. */
const scale = 10_000
const cents = (amount: number): number => Math.floor((amount + 50) / 100) * 100 // Half away from zero; nothing here is negative.
const shownMoney = (amount: number): number => amount / scale

const labels: Record<string, string> = { new: 'New', 'zayavka-na-otmen': 'Cancellation requested' }
const fail = (status: number, code: string, details: unknown): Expected => ({ status, codes: [code], details })

export class Model {
  readonly accounts: Account[]
  readonly world: ModelWorld
  readonly prices: Map<number, number>
  readonly onSale: Map<number, boolean>
  readonly free: Map<string, number>

  constructor(world: ModelWorld) {
    this.world = world
    this.accounts = world.clients.map((client) => ({ client, carts: [], orders: [], groups: [], limitedExposure: 0 }))
    const [one, two, three] = world.items
    const [first, second] = world.stocks
    this.prices = new Map([
      [one, 100_000],
      [two, 333_333],
      [three, 50],
    ])
    this.onSale = new Map(world.items.map((item) => [item, true]))
    this.free = new Map([
      [`${first}:${one}`, 12],
      [`${first}:${two}`, 4],
      [`${first}:${three}`, Number.POSITIVE_INFINITY],
      [`${second}:${one}`, 5],
    ])
  }

  createCart(account: Account, name: string): Expected {
    return {
      status: 200,
      data: { cart_id: anyId, cart_name: name, virtual: false },
      learn: ({ cart_id }) => account.carts.push({ id: cart_id, name, groups: [] }),
    }
  }

  listCarts(account: Account): Expected {
    return { status: 200, data: account.carts.map(cartView) }
  }

  renameCart(account: Account, cartId: number, name: string): Expected {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    cart.name = name
    return { status: 200, data: cartView(cart) }
  }

  deleteCart(account: Account, cartId: number): Expected {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    account.carts = account.carts.filter((other) => other !== cart)
    for (const group of cart.groups) group.lines = []
    return { status: 200, data: { removed_cart_id: cartId } }
  }

  listItems(account: Account, cartId: number): Expected {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    return {
      status: 200,
      data: cart.groups.map((group) => ({
        cart_group_key: 'key',
        cart: cartView(cart),
        stock: this.#stockView(group.stock),
        advertising: group.advertising,
        contract: contractView(account, group.contract),
        cart_items: group.lines.map((line) => this.#lineView(line)),
      })),
      learn: (data: { cart_group_key: string }[]) => {
        for (const [i, group] of cart.groups.entries())
          group.shown.set(data[i]?.cart_group_key ?? '', this.#content(group))
      },
    }
  }

  addItem(
    account: Account,
    cartId: number,
    wish: { item: number; stock: number; contract: number; advertising: string; quantity: number },
  ): Expected {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    if (this.onSale.get(wish.item) !== true) return fail(409, 'item_not_on_sale', { item_id: wish.item })
    const { stock, contract, advertising, item, quantity } = wish
    let group = cart.groups.find((g) => g.stock === stock && g.contract === contract && g.advertising === advertising)
    if (!group) {
      group = { stock, contract, advertising, lines: [], shown: new Map() }
      cart.groups.push(group)
      account.groups.push(group)
    }
    const lastPrice = this.prices.get(item) ?? 0
    let line = group.lines.find((other) => other.item === item)
    if (line) {
      line.quantity += quantity
      line.lastPrice = lastPrice
    } else {
      line = { id: 0, item, quantity, lastPrice }
      group.lines.push(line)
    }
    const made = line
    return {
      status: 200,
      data: { ...this.#lineView(made), cart_item_id: made.id === 0 ? anyId : made.id },
      learn: ({ cart_item_id }) => {
        made.id = cart_item_id
      },
    }
  }

  changeQuantity(account: Account, cartId: number, lineId: number, quantity: number): Expected {
    const found = this.#line(account, cartId, lineId)
    if ('status' in found) return found
    found.line.quantity = quantity
    return { status: 200, data: this.#detail(account, found) }
  }

  readItem(account: Account, cartId: number, lineId: number): Expected {
    const found = this.#line(account, cartId, lineId)
    return 'status' in found ? found : { status: 200, data: this.#detail(account, found) }
  }

  removeItem(account: Account, cartId: number, lineId: number): Expected {
    const found = this.#line(account, cartId, lineId)
    if ('status' in found) return found
    found.group.lines = found.group.lines.filter((other) => other !== found.line)
    if (found.group.lines.length === 0) found.cart.groups = found.cart.groups.filter((other) => other !== found.group)
    return { status: 200, data: { removed_cart_item_id: lineId } }
  }

  placeOrder(account: Account, key: string, address: string): Expected {
    const group = account.groups.find(({ shown }) => shown.has(key))
    const seen = group?.shown.get(key)
    if (!group || !seen) return fail(404, 'cart_group_not_found', { cart_group_key: key })
    if (group.order) {
      const same = group.order.fingerprint === seen.lines + seen.prices && group.order.address === address
      return same
        ? { status: 200, data: { created_order_id: group.order.id } }
        : fail(409, 'cart_group_already_ordered', { order_id: group.order.id })
    }
    if (group.lines.length === 0) return fail(404, 'cart_group_not_found', { cart_group_key: key })
    const now = this.#content(group)
    const lines = group.lines.toSorted((a, b) => a.item - b.item)
    if (now.lines !== seen.lines || now.prices !== seen.prices) {
      return {
        status: 409,
        codes: ['cart_group_changed'],
        details: {
          cart_group_key: 'key',
          changed: [now.lines === seen.lines ? 'prices' : 'lines'],
          cart_items: lines.map((line) => ({
            item_id: line.item,
            quantity: line.quantity,
            price: shownMoney(this.#price(line)),
          })),
        },
      }
    }
    const unsold = lines.filter(({ item }) => this.onSale.get(item) !== true)
    if (unsold.length > 0) return { status: 409, codes: unsold.map(() => 'item_not_on_sale') }
    const lacking = lines.filter(({ item, quantity }) => quantity > this.#free(group.stock, item))
    if (lacking.length > 0)
      return { status: 409, codes: lacking.map(() => 'out_of_stock'), details: this.#lack(group.stock, lacking[0]) }
    return this.#order(account, group, address, now)
  }

  #order(
    account: Account,
    group: Group,
    address: string,
    { lines, prices }: { lines: string; prices: string },
  ): Expected {
    const limited = group.contract === account.client.contracts[1]
    const goods = group.lines.reduce((sum, line) => sum + cents(this.#price(line) * line.quantity), 0)
    const discount = limited ? cents(goods / 10) : 0
    const net = goods - discount
    const tax = limited ? cents((net * 7) / 100) : cents((net * 20) / 120)
    const total = limited ? net + tax : net
    if (limited && account.limitedExposure + total > 100 * scale) {
      return fail(409, 'contract_limit_exceeded', {
        contract_id: group.contract,
        limit: 100,
        used: shownMoney(account.limitedExposure),
        requested: shownMoney(total),
      })
    }
    if (limited) account.limitedExposure += total
    for (const { item, quantity } of group.lines) {
      this.free.set(`${group.stock}:${item}`, this.#free(group.stock, item) - quantity)
    }
    const order: Order = {
      id: 0,
      number: 0,
      group,
      fingerprint: lines + prices,
      address,
      lines: group.lines
        .toSorted((a, b) => a.item - b.item)
        .map((line) => ({ id: 0, item: line.item, quantity: line.quantity, price: this.#price(line) })),
      state: 'new',
      date: null,
      total,
      tax,
      discount,
      history: [{ group: 'Change of status', state_id: 'new', text: '' }],
      adjustments: [],
    }
    group.order = order
    account.orders.push(order)
    for (const cart of account.carts) cart.groups = cart.groups.filter((other) => other !== group)
    return {
      status: 200,
      data: { created_order_id: anyId },
      learn: ({ created_order_id }) => {
        order.id = created_order_id
      },
    }
  }

  readOrder(account: Account, orderId: number): Expected {
    const order = this.#orderOf(account, orderId)
    return order
      ? {
          status: 200,
          data: this.#orderView(account, order),
          learn: ({ order_number }) => (order.number = order_number),
        }
      : orderMissing(orderId)
  }

  listOrders(
    account: Account,
    { state, article }: { state?: string | undefined; article?: number | undefined },
  ): Expected {
    const found = account.orders.filter(
      (order) =>
        (state === undefined || order.state === state) &&
        (article === undefined || order.lines.some(({ item }) => item === article)),
    )
    return { status: 200, data: found.toReversed().map((order) => this.#orderView(account, order)) }
  }

  orderItems(account: Account, orderId: number): Expected {
    const order = this.#orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    return {
      status: 200,
      data: order.lines.map((line) => ({
        order_item_id: line.id === 0 ? anyId : line.id,
        order_item_quantity: line.quantity,
        order_item_price: shownMoney(line.price),
        order_item: this.#itemView(line.item),
      })),
      learn: (data: { order_item_id: number }[]) => {
        for (const [i, line] of order.lines.entries()) line.id = data[i]?.order_item_id ?? 0
      },
    }
  }

  reschedule(
    account: Account,
    orderId: number,
    date: string,
    window: { earliest_date: string; latest_date: string },
  ): Expected {
    const order = this.#orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const reschedulable = order.state === 'new'
    const sameDay = reschedulable && order.date === date
    if (!sameDay && (!reschedulable || date < window.earliest_date || date > window.latest_date)) {
      return fail(409, 'shipping_date_refused', {
        shipping_date: date,
        ...window,
        order_state_id: order.state,
        reschedulable,
      })
    }
    if (!sameDay) {
      order.date = date
      order.history.unshift({ group: 'Change of shipping date', state_id: order.state, text: date })
    }
    return { status: 200, data: this.#orderView(account, order) }
  }

  cancel(account: Account, orderId: number): Expected {
    const order = this.#orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    if (order.state === 'new') {
      order.state = 'zayavka-na-otmen'
      order.history.unshift({ group: 'Change of status', state_id: order.state, text: '' })
      for (const adjustment of order.adjustments) {
        if (adjustment.status === 'WAIT')
          Object.assign(adjustment, { status: 'CANCELED', message: 'The cancellation of the order was requested.' })
      }
    }
    const { order_contact_id: _, ...view } = this.#orderView(account, order)
    return {
      status: 200,
      data: { ...view, order_number: null, order_contract: null, order_value: labels[order.state] },
    }
  }

  adjust(account: Account, orderId: number, lineId: number, quantity: number): Expected {
    const order = this.#orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    const line = order.lines.find(({ id }) => id === lineId)
    if (!line) return fail(404, 'order_item_not_found', { order_id: orderId, order_item_id: lineId })
    if (order.state !== 'new')
      return fail(409, 'order_not_adjustable', { order_id: orderId, order_state_id: order.state })
    if (line.quantity === quantity) return fail(409, 'quantity_unchanged', { order_item_id: lineId, quantity })
    const open = order.adjustments.find((other) => other.line === line && other.status === 'WAIT')
    if (open?.wanted === quantity) return { status: 200, data: this.#adjustmentView(order, open) }
    const made: Adjustment = { id: 0, line, wanted: quantity, status: 'WAIT', message: null }
    const data = this.#adjustmentView(order, made)
    return {
      status: 200,
      data,
      learn: ({ adjustment_id }) => {
        made.id = adjustment_id
        if (open) Object.assign(open, { status: 'CANCELED', message: `Superseded by adjustment ${adjustment_id}.` })
        order.adjustments.unshift(made)
      },
    }
  }

  listAdjustments(account: Account, orderId: number): Expected {
    const order = this.#orderOf(account, orderId)
    if (!order) return orderMissing(orderId)
    return { status: 200, data: order.adjustments.map((adjustment) => this.#adjustmentView(order, adjustment)) }
  }

  #cart(account: Account, cartId: number): Cart | undefined {
    return account.carts.find(({ id }) => id === cartId)
  }

  #orderOf(account: Account, orderId: number): Order | undefined {
    return account.orders.find(({ id }) => id === orderId)
  }

  #line(account: Account, cartId: number, lineId: number): { cart: Cart; group: Group; line: Line } | Expected {
    const cart = this.#cart(account, cartId)
    if (!cart) return cartMissing(cartId)
    for (const group of cart.groups) {
      const line = group.lines.find(({ id }) => id === lineId)
      if (line) return { cart, group, line }
    }
    return fail(404, 'cart_item_not_found', { cart_id: cartId, cart_item_id: lineId })
  }

  #price(line: Line): number {
    return this.prices.get(line.item) ?? line.lastPrice
  }

  #free(stock: number, item: number): number {
    return this.free.get(`${stock}:${item}`) ?? 0
  }

  #lack(stock_id: number, line: Line | undefined): unknown {
    return (
      line && { item_id: line.item, stock_id, available: this.#free(stock_id, line.item), requested: line.quantity }
    )
  }

  #content(group: Group): { lines: string; prices: string } {
    const sorted = group.lines.toSorted((a, b) => a.item - b.item)
    return {
      lines: sorted.map(({ item, quantity }) => `${item}×${quantity}`).join(),
      prices: sorted.map((line) => `${line.item}@${this.#price(line)}`).join(),
    }
  }

  #itemView(item: number) {
    return {
      item_id: item,
      item_vendor_code: `M-${item}`,
      item_barcode: '2000000000000',
      item_title: `Model part ${this.world.items.indexOf(item) + 1}`,
      brand: { brand_id: 1, brand_name: 'Bremsen Nord' },
    }
  }

  #stockView(stock_id: number) {
    return { stock_id, stock_name: `Stock ${this.world.stocks.indexOf(stock_id) + 1}` }
  }

  #lineView(line: Line) {
    return {
      cart_item_id: line.id,
      quantity: line.quantity,
      price: shownMoney(this.#price(line)),
      item: this.#itemView(line.item),
    }
  }

  #detail(account: Account, { cart, group, line }: { cart: Cart; group: Group; line: Line }) {
    return {
      cart_item: this.#lineView(line),
      cart: cartView(cart),
      advertising: group.advertising,
      contract: contractView(account, group.contract),
      stock: this.#stockView(group.stock),
    }
  }

  #orderView(account: Account, order: Order) {
    return {
      order_id: order.id,
      order_number: order.number === 0 ? anyId : order.number,
      order_contact_id: account.client.contact_id,
      order_create_datetime: at,
      order_update_datetime: at,
      order_state_id: order.state,
      order_total: shownMoney(order.total),
      order_rate: 1,
      order_tax: shownMoney(order.tax),
      order_shipping: 0,
      order_discount: shownMoney(order.discount),
      order_shipping_datetime: order.date === null ? null : `${order.date} 00:00:00`,
      order_archive_datetime: null,
      order_history: order.history.map(({ group, state_id, text }) => ({
        date: at,
        group,
        value: labels[state_id],
        state_id,
        text,
      })),
      order_stock: this.#stockView(order.group.stock),
      order_contract: contractView(account, order.group.contract),
      order_advertising: order.group.advertising === '' ? null : order.group.advertising,
      virtual: false,
    }
  }

  #adjustmentView(order: Order, { id, line, status, message }: Adjustment) {
    const item = this.#itemView(line.item)
    return {
      adjustment_id: id === 0 ? anyId : id,
      adjustment_order_id: order.id,
      adjustment_date_create: at,
      adjustment_status: status,
      adjustment_canceled_message: message,
      adjustment_items: [
        {
          sku_id: line.item,
          product_id: 11,
          product_name: 'Brake disc 280',
          sku_name: item.item_title,
          sku: item.item_vendor_code,
          difference: 0,
        },
      ],
    }
  }
}

const cartView = (cart: Cart) => ({ cart_id: cart.id, cart_name: cart.name, virtual: false })

const contractView = ({ client }: Account, contract_id: number) => {
  const byDefault = contract_id === client.contracts[0]
  return {
    contract_id,
    contract_name: byDefault ? 'Default' : 'Limited',
    contract_default: byDefault,
    contract_service: false,
    contract_limit: byDefault ? 0 : 100,
  }
}

const cartMissing = (cart_id: number): Expected => fail(404, 'cart_not_found', { cart_id })
const orderMissing = (order_id: number): Expected => fail(404, 'order_not_found', { order_id })
