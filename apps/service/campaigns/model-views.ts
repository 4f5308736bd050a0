/** How the API shows what the model knows. */
import type { ModelGoods } from './model-goods.ts'
import { refusalError } from '../src/vocabulary/refusals.ts'
import { anyId, anyIdOrNull, anyText, at } from '../src/testing/mask-volatile.ts'
import { shownAddress, noRemarks } from '../src/testing/fixtures.ts'
import {
  addsTax,
  contractOf,
  fail,
  labels,
  openOf,
  partlyShipped,
  shownLines,
  shownMoney,
  type ModelAccount,
  type ModelAdjustment,
  type ModelCart,
  type ExpectedAnswer,
  type ModelGroup,
  type ModelLine,
  type ModelOrder,
  type ModelOrderLine,
  type ModelPieces,
  type ModelReturnRequest,
  type ModelRow,
} from './model-state.ts'
import type { ModelLevel } from './model-stock.ts'
import type { ModelWorld } from './model-world.ts'

interface ShownRow extends ModelRow {
  readonly row: number
  /** Of the line that the rows make. */
  readonly total: number
  readonly error: ReturnType<ModelGoods['unsold']>
  readonly line: ModelLine | undefined
  readonly mergedInto: number | undefined
  readonly available: number
  readonly backOrder: boolean
}

export class ModelViews {
  readonly world: ModelWorld
  readonly goods: ModelGoods

  constructor(world: ModelWorld, goods: ModelGoods) {
    this.world = world
    this.goods = goods
  }

  /** The current price, or the last one if the item has none any more. */
  price(line: ModelLine): number {
    return this.goods.price(line) ?? line.lastPrice
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

  /** A row that was to be added: to this line, or to none if it is refused. */
  rowView({ row, item, stock, contract, quantity, total, error, line, mergedInto, available, backOrder }: ShownRow) {
    const field = error?.code === 'item_not_on_sale' ? 'item_id' : 'quantity'
    const { code, message, details } = refusalError(error?.code ?? 'item_not_on_sale', (error?.details as never) ?? {})
    return {
      row,
      outcome: line === undefined ? 'refused' : 'added',
      quantity,
      item: this.itemView(item),
      stock_id: stock,
      contract_id: contract,
      price: shownMoney(this.goods.price({ item, quantity: total }) ?? 0),
      available,
      short: line && available < line.quantity,
      back_order: backOrder,
      cart_item_id: line?.id === 0 ? anyId : line?.id,
      cart_quantity: line?.quantity,
      merged_into: line && mergedInto,
      errors: line === undefined ? [{ code, message, field, details }] : undefined,
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
      order_shipping_datetime: partlyShipped(order) ? at : order.date === null ? null : `${order.date} 00:00:00`,
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
      virtual: order.virtual,
    }
  }

  /** What events and operators see besides. */
  orderDetails(account: ModelAccount, order: ModelOrder) {
    const { discountPercent, taxPercent } = order.terms
    return {
      address: { ...shownAddress, city: order.address },
      items: shownLines(order).map((line) => ({ ...this.orderItemView(line), ...goodsOf(order, line) })),
      terms: {
        currency_code: 'EUR',
        tax_mode: addsTax(account, order.group) ? 'added' : 'included',
        tax_percent: taxPercent,
        discount_percent: discountPercent,
      },
      shipments: order.shipments.map((shipment) => shipmentView(shipment)),
      ...noRemarks,
    }
  }

  orderItemView(line: ModelOrderLine) {
    return {
      order_item_id: idView(line),
      order_item_quantity: line.quantity,
      order_item_price: shownMoney(line.price),
      order_item: this.itemView(line.item),
    }
  }

  /** As the answer to an operator's action. */
  operatorOrderView(account: ModelAccount, order: ModelOrder) {
    const { client_id, contact_id } = account.client
    const shown = this.orderView(account, order)
    const by = { actor: anyText, operator_id: anyIdOrNull } // erase-operator.test.ts says who exactly.
    return {
      client_id,
      client_name: 'Client',
      order_contact: { contact_id, contact_name: 'Contact', contact_email: null },
      hold_reason: order.hold,
      ...shown,
      order_history: shown.order_history.map((entry) => ({ ...entry, ...by })),
      ...this.orderDetails(account, order),
      returns: order.returns.map((returned) => returnView(returned)),
      documents: [],
      client_metadata: {},
      metadata: {},
      return_requests: order.returnRequests.map((request) => ({
        ...returnRequestView(order, request),
        decided_by: request.decidedBy === null ? null : anyText,
      })),
      notes: order.notes.map((note_text) => ({ note_datetime: at, note_author: anyText, note_text })),
    }
  }

  /** As an operator reads it. */
  fullOrderView(account: ModelAccount, order: ModelOrder) {
    const adjustments = order.adjustments.toReversed().map((adjustment) => ({
      ...this.adjustmentView(order, adjustment),
      request: requestView(adjustment, adjustment.decidedBy === null ? null : anyText),
    }))
    return { ...this.operatorOrderView(account, order), adjustments }
  }

  levelView(stock_id: number, item: number, { onHand, reserved, backOrder, shortage }: ModelLevel) {
    const { item_id, item_vendor_code, item_title } = this.itemView(item)
    return {
      ...this.stockView(stock_id),
      item_id,
      item_vendor_code,
      item_title,
      on_hand: onHand,
      reserved,
      available: Math.max(onHand - reserved, 0),
      back_order: backOrder,
      shortage,
    }
  }

  contractTermsView(account: ModelAccount, contract_id: number) {
    const { terms, exposure, blocked } = contractOf(account, { contract: contract_id })
    return {
      ...contractView(account, contract_id),
      exposure: shownMoney(exposure),
      price_list_id: this.world.price_list_id,
      discount_percent: terms.discountPercent,
      tax_mode: addsTax(account, { contract: contract_id }) ? 'added' : 'included',
      tax_percent: terms.taxPercent,
      block_reason: blocked,
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

export const shipmentView = ({ id, carrier, tracking, pieces }: ModelOrder['shipments'][number]) => ({
  shipment_id: id === 0 ? anyId : id,
  shipment_datetime: at,
  carrier,
  tracking,
  lines: piecesView(pieces),
})

export const returnView = ({ id, reason, restocked, pieces }: ModelOrder['returns'][number]) => ({
  return_id: id === 0 ? anyId : id,
  return_datetime: at,
  reason,
  restocked,
  lines: piecesView(pieces),
})

export const returnRequestView = (order: ModelOrder, request: ModelReturnRequest) => ({
  return_request_id: request.id === 0 ? anyId : request.id,
  order_id: order.id,
  request_datetime: at,
  request_status: request.status,
  reason: request.reason,
  lines: piecesView(request.pieces),
  instruction: request.instruction,
  canceled_message: request.message,
  decided_by: request.decidedBy,
  decided_at: request.decidedBy === null ? null : at,
  return_id: request.arrival === null ? null : request.arrival.id === 0 ? anyId : request.arrival.id,
})

export const idView = ({ id }: ModelOrderLine) => (id === 0 ? anyId : id)

const piecesView = (pieces: readonly ModelPieces[]) =>
  pieces.map(({ line, quantity }) => ({ order_item_id: idView(line), quantity }))

/** In a shipped order everything is shipped; in a cancelled one nothing is open. */
function goodsOf({ state }: ModelOrder, line: ModelOrderLine) {
  const ended = state === 'shipped' || state === 'completed'
  return {
    order_item_shipped: ended ? line.quantity : line.shipped,
    order_item_open: ended || state === 'canceled' ? 0 : openOf(line),
  }
}

export const cartView = ({ id, name, virtual }: ModelCart) => ({ cart_id: id, cart_name: name, virtual })

export const contractView = (account: ModelAccount, contract_id: number) => {
  const byDefault = contract_id === account.client.contracts[0]
  return {
    contract_id,
    contract_name: byDefault ? 'Default' : 'Limited',
    contract_default: byDefault,
    contract_service: false,
    contract_limit: shownMoney(contractOf(account, { contract: contract_id }).limit),
  }
}

export const cartMissing = (cart_id: number): ExpectedAnswer => fail(404, 'cart_not_found', { cart_id })
export const orderMissing = (order_id: number): ExpectedAnswer => fail(404, 'order_not_found', { order_id })
