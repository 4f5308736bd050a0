/** How the API shows what the model knows. */
import { refusalError } from '../src/refusals.ts'
import { anyId, at } from '../src/testing/mask-volatile.ts'
import {
  fail,
  labels,
  shownMoney,
  type ModelAccount,
  type ModelAdjustment,
  type ModelCart,
  type ExpectedAnswer,
  type ModelGroup,
  type ModelLine,
  type ModelOrder,
  type ModelRow,
} from './model-state.ts'
import type { ModelWorld } from './model-world.ts'

interface ShownRow extends ModelRow {
  readonly row: number
  readonly line: ModelLine | undefined
  readonly mergedInto: number | undefined
  /** Pieces that are not reserved; infinite where back-orders are accepted. */
  readonly free: number
}

export class ModelViews {
  readonly world: ModelWorld
  readonly prices: ReadonlyMap<number, number>

  constructor(world: ModelWorld, prices: ReadonlyMap<number, number>) {
    this.world = world
    this.prices = prices
  }

  /** The current price, or the last one if the item has none any more. */
  price(line: ModelLine): number {
    return this.prices.get(line.item) ?? line.lastPrice
  }

  itemView(item: number) {
    return {
      item_id: item,
      item_vendor_code: `M-${item}`,
      item_barcode: '2000000000000',
      item_title: `Model part ${this.world.items.indexOf(item) + 1}`,
      brand: { brand_id: 1, brand_name: 'Bremsen Nord' },
    }
  }

  stockView(stock_id: number) {
    return { stock_id, stock_name: `Stock ${this.world.stocks.indexOf(stock_id) + 1}` }
  }

  lineView(line: ModelLine) {
    return {
      cart_item_id: line.id,
      quantity: line.quantity,
      price: shownMoney(this.price(line)),
      item: this.itemView(line.item),
    }
  }

  detail(account: ModelAccount, { cart, group, line }: { cart: ModelCart; group: ModelGroup; line: ModelLine }) {
    return {
      cart_item: this.lineView(line),
      cart: cartView(cart),
      advertising: group.advertising,
      contract: contractView(account, group.contract),
      stock: this.stockView(group.stock),
    }
  }

  /** A row that was to be added: to this line, or to none if its item is not sold. */
  rowView({ row, item, stock, contract, quantity, line, mergedInto, free }: ShownRow) {
    const available = Number.isFinite(free) ? Math.max(free, 0) : 0
    const { code, message, details } = refusalError('item_not_on_sale', { item_id: item })
    return {
      row,
      outcome: line === undefined ? 'refused' : 'added',
      quantity,
      item: this.itemView(item),
      stock_id: stock,
      contract_id: contract,
      price: shownMoney(this.prices.get(item) ?? 0),
      available,
      short: line && available < line.quantity,
      back_order: !Number.isFinite(free),
      cart_item_id: line?.id === 0 ? anyId : line?.id,
      cart_quantity: line?.quantity,
      merged_into: line && mergedInto,
      errors: line === undefined ? [{ code, message, field: 'item_id', details }] : undefined,
    }
  }

  orderView(account: ModelAccount, order: ModelOrder) {
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
      order_stock: this.stockView(order.group.stock),
      order_contract: contractView(account, order.group.contract),
      order_advertising: order.group.advertising === '' ? null : order.group.advertising,
      virtual: false,
    }
  }

  adjustmentView(order: ModelOrder, { id, line, status, message, difference }: ModelAdjustment) {
    const item = this.itemView(line.item)
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
          difference,
        },
      ],
    }
  }
}

/** What `include=request` adds. Operators see the name of who decided instead. */
export const requestView = (
  { line, wanted, before, reason, decidedBy }: ModelAdjustment,
  decided_by: string | null = decidedBy,
) => ({
  order_item_id: line.id,
  requested_quantity: wanted,
  quantity_before: before,
  reason,
  decided_by,
  decided_at: decidedBy === null ? null : at,
})

export const cartView = (cart: ModelCart) => ({ cart_id: cart.id, cart_name: cart.name, virtual: false })

export const contractView = ({ client }: ModelAccount, contract_id: number) => {
  const byDefault = contract_id === client.contracts[0]
  return {
    contract_id,
    contract_name: byDefault ? 'Default' : 'Limited',
    contract_default: byDefault,
    contract_service: false,
    contract_limit: byDefault ? 0 : 100,
  }
}

export const cartMissing = (cart_id: number): ExpectedAnswer => fail(404, 'cart_not_found', { cart_id })
export const orderMissing = (order_id: number): ExpectedAnswer => fail(404, 'order_not_found', { order_id })
