/** What pieces cost and in which quantities they are sold, in the model. */
import type { ExpectedAnswer } from './model-state.ts'

/** From this quantity on, a piece costs this. */
interface ModelBreak {
  readonly quantity: number
  readonly price: number
}

interface ModelRules {
  readonly min: number
  readonly multiple: number
}

interface ModelError {
  readonly code: 'item_not_on_sale' | 'quantity_not_allowed'
  readonly details: Record<string, number>
}

export class ModelGoods {
  /** Of one piece. */
  readonly prices: Map<number, number>
  readonly onSale: Map<number, boolean>
  readonly breaks = new Map<number, readonly ModelBreak[]>()
  readonly rules = new Map<number, ModelRules>()

  constructor(prices: readonly (readonly [number, number])[]) {
    this.prices = new Map(prices)
    this.onSale = new Map(prices.map(([item]) => [item, true]))
  }

  /** Undefined if the item has no price. */
  price({ item, quantity }: { item: number; quantity: number }): number | undefined {
    const reached = (this.breaks.get(item) ?? []).filter((one) => one.quantity <= quantity)
    return reached.at(-1)?.price ?? this.prices.get(item)
  }

  /** Why a line with this quantity is not sold. */
  unsold({ item, quantity }: { item: number; quantity: number }): ModelError | undefined {
    if (this.onSale.get(item) !== true) return { code: 'item_not_on_sale', details: { item_id: item } }
    return this.notAllowed({ item, quantity })
  }

  /** Also of an item that is not on sale: the quantity of its line can be changed. */
  notAllowed({ item, quantity }: { item: number; quantity: number }): ModelError | undefined {
    const { min, multiple } = this.rules.get(item) ?? { min: 1, multiple: 1 }
    let next = Math.max(quantity, min)
    while (next % multiple !== 0) next++
    if (next === quantity) return undefined
    const rules = { quantity_min: min, quantity_multiple: multiple }
    return { code: 'quantity_not_allowed', details: { item_id: item, quantity, next_quantity: next, ...rules } }
  }

  /** The refusal of an order of these lines. */
  refused(lines: readonly { item: number; quantity: number }[]): ExpectedAnswer | undefined {
    const errors = lines.map((line) => this.unsold(line)).filter((error) => error !== undefined)
    if (errors.length === 0) return undefined
    return { status: 409, codes: errors.map(({ code }) => code), details: errors[0]?.details }
  }
}
