/** Stock levels in the model. */
import { fail, openOf, type ExpectedAnswer, type ModelOrder } from './model-state.ts'

export interface ModelLevel {
  onHand: number
  reserved: number
  backOrder: boolean
  /** Reserved pieces that a count did not find. */
  shortage: number
}

/** By day, none in the past. */
export interface ModelArrival {
  readonly date: string
  readonly quantity: number
}

export interface Needed {
  readonly item: number
  readonly quantity: number
}

export class ModelStock {
  readonly #levels = new Map<string, ModelLevel>()
  readonly #arrivals = new Map<string, readonly ModelArrival[]>()

  add(stock: number, item: number, { onHand, backOrder = false }: { onHand: number; backOrder?: boolean }): ModelLevel {
    const level = { onHand, reserved: 0, backOrder, shortage: 0 }
    this.#levels.set(`${stock}:${item}`, level)
    return level
  }

  setArrivals(stock: number, item: number, arrivals: readonly ModelArrival[]): void {
    this.#arrivals.set(`${stock}:${item}`, arrivals)
  }

  /** When this many pieces can ship. Of those that are reserved, `due` are served up to and with these. */
  promise(stock: number, item: number, quantity: number, due?: number) {
    const { onHand, reserved } = this.level(stock, item) ?? { onHand: 0, reserved: 0 }
    const arrivals = this.#arrivals.get(`${stock}:${item}`) ?? []
    const needed = due ?? reserved + quantity
    const there = arrivals.map((_, i) => arrivals.slice(0, i + 1).reduce((sum, one) => sum + one.quantity, onHand))
    const arrives = arrivals[there.findIndex((pieces) => pieces >= needed)]?.date ?? null
    const earliest_shipping_date = onHand >= needed ? Temporal.Now.plainDateISO('UTC').toString() : arrives
    return { quantity, available: this.available(stock, item), arrivals, earliest_shipping_date }
  }

  level(stock: number, item: number): ModelLevel | undefined {
    return this.#levels.get(`${stock}:${item}`)
  }

  /** Pieces that are neither reserved nor missing. */
  available(stock: number, item: number): number {
    const { onHand, reserved } = this.level(stock, item) ?? { onHand: 0, reserved: 0 }
    return Math.max(onHand - reserved, 0)
  }

  takesBackOrders(stock: number, item: number): boolean {
    return this.level(stock, item)?.backOrder === true
  }

  /** How much of each item is missing to reserve this. A virtual order reserves nothing. */
  lacking(stock_id: number, needed: readonly Needed[], order?: 'as requested'): ExpectedAnswer | undefined {
    const lacking = needed
      .filter(
        ({ item, quantity }) => !this.takesBackOrders(stock_id, item) && quantity > this.available(stock_id, item),
      )
      .toSorted((a, b) => (order === 'as requested' ? 0 : a.item - b.item))
      .map(({ item, quantity: requested }) => ({
        item_id: item,
        stock_id,
        available: this.available(stock_id, item),
        requested,
      }))
    if (lacking.length === 0) return undefined
    return { ...fail(409, 'out_of_stock', lacking[0]), codes: lacking.map(() => 'out_of_stock') }
  }

  /** A negative quantity releases goods, or the whole order with -1 times what is open. */
  reserve({ group: { stock }, virtual }: Pick<ModelOrder, 'group' | 'virtual'>, needed: readonly Needed[]): void {
    if (!virtual) for (const { item, quantity } of needed) this.change(stock, item, { reserved: quantity })
  }

  release(order: ModelOrder): void {
    const open = order.lines.map((line) => ({ item: line.item, quantity: -openOf(line) }))
    this.reserve(order, open)
  }

  /** What is no longer reserved, or has arrived, covers the shortage first. */
  change(stock: number, item: number, { reserved = 0, onHand = 0 }: { reserved?: number; onHand?: number }): void {
    const level = this.level(stock, item)
    if (!level) return
    level.reserved += reserved
    level.onHand += onHand
    level.shortage = Math.max(Math.min(level.shortage, level.reserved - level.onHand), 0)
  }
}
