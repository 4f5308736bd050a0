/** What operators order for a client in the model: from lines, as on the phone. Carts are kept as by the client itself. */
import { anyId } from '../src/testing/mask-volatile.ts'
import {
  addsTax,
  cents,
  contractOf,
  fail,
  overLimit,
  shownMoney,
  totalsOf,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelGroup,
  type ModelOrder,
} from './model-state.ts'
import type { Needed } from './model-stock.ts'
import type { Model } from './model.ts'

/** In the history of an order that an operator has placed. */
export const behalfRemark = 'Ordered by the distributor for the client.'

export interface PhoneOrder {
  readonly stock: number
  readonly contract: number
  /** In the order of the request; an item may be there twice. */
  readonly lines: readonly Needed[]
  readonly address: string
  readonly expectedTotal?: number | undefined
  readonly dry: boolean
}

export class ModelBehalf {
  readonly #model: Model

  constructor(model: Model) {
    this.#model = model
  }

  orderFor(account: ModelAccount, request: PhoneOrder): ExpectedAnswer {
    const { stock, address, dry } = request
    const contract = contractOf(account, request)
    const group = this.#group(request)
    const totals = this.total(account, request)
    const refused =
      this.#model.blocked(account, contract) ??
      this.#model.goods.refused(group.lines) ??
      this.#model.stock.lacking(stock, group.lines, 'as requested') ??
      differing(totals.total, request) ??
      overLimit(contract, totals.total)
    if (refused) return refused
    const left = contract.limit === 0 ? null : shownMoney(contract.limit - contract.exposure - totals.total)
    if (dry) return { status: 200, data: this.#view(account, group, { totals, left, dry }) }
    const { learn } = this.#model.order(account, group, {
      address,
      content: { lines: '', prices: '', terms: '', virtual: false }, // No key was ever shown.
      remark: behalfRemark,
    })
    return {
      status: 200,
      data: this.#view(account, group, { totals, left, dry }),
      learn: (data: { created_order_id: number; order_number: number }) => {
        if (group.order) group.order.number = data.order_number
        learn?.(data)
      },
    }
  }

  total(account: ModelAccount, request: PhoneOrder): Pick<ModelOrder, 'total' | 'tax' | 'discount'> {
    const lines = this.#group(request).lines.map((line) => ({ ...line, price: this.#model.views.price(line) }))
    return totalsOf(addsTax(account, request), contractOf(account, request).terms, lines)
  }

  /** Lines of the same item become one, at the place of the first. */
  #group({ stock, contract, lines }: PhoneOrder): ModelGroup {
    const items = [...new Set(lines.map(({ item }) => item))]
    return {
      stock,
      contract,
      advertising: '',
      lines: items.map((item) => {
        const quantity = lines.reduce((sum, line) => sum + (line.item === item ? line.quantity : 0), 0)
        return { id: 0, item, quantity, lastPrice: this.#model.goods.prices.get(item) ?? 0 }
      }),
      shown: new Map(),
    }
  }

  #view(
    account: ModelAccount,
    { stock, contract, lines }: ModelGroup,
    {
      totals,
      left,
      dry,
    }: { totals: Pick<ModelOrder, 'total' | 'tax' | 'discount'>; left: number | null; dry: boolean },
  ) {
    const amounts = lines.map((line) => cents(this.#model.views.price(line) * line.quantity))
    return {
      dry_run: dry,
      created_order_id: dry ? null : anyId,
      order_number: dry ? null : anyId,
      client_id: account.client.client_id,
      order_contact_id: account.client.contact_id,
      stock_id: stock,
      contract_id: contract,
      currency_code: 'EUR',
      lines: lines.map((line, n) => {
        const { brand, item_barcode: _, ...item } = this.#model.views.itemView(line.item)
        return {
          ...item,
          brand_name: brand.brand_name,
          quantity: line.quantity,
          price: shownMoney(this.#model.views.price(line)),
          amount: shownMoney(amounts[n] ?? 0),
        }
      }),
      goods: shownMoney(amounts.reduce((sum, amount) => sum + amount, 0)),
      order_discount: shownMoney(totals.discount),
      order_tax: shownMoney(totals.tax),
      order_shipping: 0,
      order_total: shownMoney(totals.total),
      limit_left_after: left,
    }
  }
}

const differing = (total: number, { expectedTotal }: PhoneOrder): ExpectedAnswer | undefined =>
  expectedTotal === undefined || expectedTotal === total
    ? undefined
    : fail(409, 'order_total_differs', { order_total: shownMoney(total), expected_total: shownMoney(expectedTotal) })
