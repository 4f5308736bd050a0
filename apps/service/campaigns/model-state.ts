/** What the model knows: carts, groups, orders, adjustments and contracts of each client, as plain objects. */
import assert from 'node:assert/strict'
import type { OrderState } from '../src/vocabulary/order-states.ts'
import type { ModelClient } from './model-world.ts'

export interface ExpectedAnswer {
  readonly status: number
  readonly data?: unknown
  readonly codes?: readonly string[]
  readonly details?: unknown
  /** Called with the answer's data, to learn the ids that the service chose. */
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly learn?: (data: any) => void
}

/** What is to be added to a cart. */
export interface ModelRow {
  readonly item: number
  readonly stock: number
  readonly contract: number
  readonly advertising: string
  readonly quantity: number
}

/** Without a stock, one is chosen. */
export type RequestedRow = Omit<ModelRow, 'stock'> & { readonly stock: number | undefined }

export interface ModelLine {
  id: number
  readonly item: number
  quantity: number
  lastPrice: number
}

export interface ModelGroup {
  readonly stock: number
  readonly contract: number
  readonly advertising: string
  lines: ModelLine[]
  /** The content of the group when each key was shown. */
  readonly shown: Map<string, ModelContent>
  order?: ModelOrder
}

/** What a cart group's key covers. */
export interface ModelContent {
  readonly lines: string
  readonly prices: string
  readonly terms: string
  readonly virtual: boolean
}

/** Of a contract; the tax is included in the default contract's prices and added to those of the limited one. */
export interface ModelTerms {
  readonly discountPercent: number
  readonly taxPercent: number
}

export interface ModelCart {
  readonly id: number
  name: string
  virtual: boolean
  groups: ModelGroup[]
}

export interface ModelAdjustment {
  id: number
  readonly line: ModelOrderLine
  readonly wanted: number
  readonly before: number
  readonly reason: string | null
  status: string
  message: string | null
  difference: number
  decidedBy: 'client' | 'distributor' | 'service' | null
}

export interface ModelOrderLine {
  id: number
  readonly item: number
  /** 0 once it was removed from the order. */
  quantity: number
  shipped: number
  returned: number
  readonly price: number
}

/** Lines of a shipment or a return. */
export interface ModelPieces {
  readonly line: ModelOrderLine
  readonly quantity: number
}

export interface ModelShipment {
  id: number
  readonly carrier: string | null
  readonly tracking: string | null
  readonly pieces: readonly ModelPieces[]
}

export interface ModelReturn {
  id: number
  readonly reason: string
  readonly restocked: boolean
  readonly pieces: readonly ModelPieces[]
}

export interface ModelReturnRequest {
  id: number
  status: string
  readonly reason: string
  readonly pieces: readonly ModelPieces[]
  instruction: string | null
  message: string | null
  decidedBy: 'client' | 'distributor' | null
  arrival: ModelReturn | null
}

export interface ModelOrder {
  id: number
  number: number
  readonly group: ModelGroup
  readonly fingerprint: string
  readonly address: string
  readonly lines: ModelOrderLine[]
  /** When it was placed: accepted adjustments are calculated with them. */
  readonly terms: ModelTerms
  state: OrderState
  /** The state to which a rejected request or an undone cancellation returns. */
  stateBefore: OrderState
  wasCancelled: boolean
  virtual: boolean
  hold: string | null
  date: string | null
  total: number
  tax: number
  discount: number
  history: { group: string; state_id: OrderState; text: string }[]
  adjustments: ModelAdjustment[]
  shipments: ModelShipment[]
  returns: ModelReturn[]
  returnRequests: ModelReturnRequest[]
  /** Internal ones, newest first. */
  notes: string[]
}

/** What happened to a client, with the data as it was at that moment. */
export interface ModelEvent {
  readonly event_type: string
  readonly order: ModelOrder | null
  readonly data: unknown
}

export interface ModelContract {
  readonly id: number
  terms: ModelTerms
  /** 0 for no limit. */
  limit: number
  /** The sum of its open orders. */
  exposure: number
  blocked: string | null
}

export interface ModelAccount {
  readonly client: ModelClient
  carts: ModelCart[]
  orders: ModelOrder[]
  /** Every group that ever existed, since keys outlive their groups. */
  groups: ModelGroup[]
  readonly contracts: ReadonlyMap<number, ModelContract>
  blocked: string | null
  /** In the order of their numbers, from 1 on. */
  readonly events: ModelEvent[]
}

/** Money is counted in ten-thousandths, as whole numbers; the contract's figures have at most four decimals. */
export const scale = 10_000
export const cents = (amount: number): number => Math.floor((amount + 50) / 100) * 100 // Half away from zero; nothing here is negative.
export const shownMoney = (amount: number): number => amount / scale

/** Written again here, so that a wrong change of the service's own table is found. */
export const labels: Record<OrderState, string> = {
  new: 'New',
  processing: 'Processing',
  fulfilling: 'Being assembled',
  shipped: 'Shipped',
  completed: 'Completed',
  'zayavka-na-otmen': 'Cancellation requested',
  canceled: 'Cancelled',
}

/** Where operators may move an order. */
export const moves: Record<OrderState, readonly OrderState[]> = {
  new: ['processing', 'canceled'],
  processing: ['fulfilling', 'canceled', 'new'],
  fulfilling: ['shipped', 'canceled', 'processing'],
  shipped: ['completed'],
  completed: [],
  'zayavka-na-otmen': [],
  canceled: [],
}

export const adjustable: readonly OrderState[] = ['new', 'processing']
export const correctable: readonly OrderState[] = ['new', 'processing', 'fulfilling']

export const orderOf = ({ orders }: ModelAccount, orderId: number): ModelOrder | undefined =>
  orders.find(({ id }) => id === orderId)

export function contractOf({ contracts }: ModelAccount, { contract }: { contract: number }): ModelContract {
  const found = contracts.get(contract)
  assert(found)
  return found
}

/** The limited contract adds the tax; the other one includes it. */
export const addsTax = ({ client }: ModelAccount, { contract }: { contract: number }): boolean =>
  contract === client.contracts[1]

export const openOf = ({ quantity, shipped }: Pick<ModelOrderLine, 'quantity' | 'shipped'>): number =>
  quantity - shipped

export const shownLines = ({ lines }: ModelOrder): ModelOrderLine[] => lines.filter(({ quantity }) => quantity > 0)

export const partlyShipped = ({ shipments }: ModelOrder): boolean => shipments.length > 0

/** The totals of an order with these lines, under its own terms. */
export const totalsOf = (
  taxAdded: boolean,
  { discountPercent, taxPercent }: ModelTerms,
  lines: readonly Pick<ModelOrderLine, 'price' | 'quantity'>[],
): Pick<ModelOrder, 'total' | 'tax' | 'discount'> => {
  const goods = lines.reduce((sum, { price, quantity }) => sum + cents(price * quantity), 0)
  const discount = cents((goods * discountPercent) / 100)
  const net = goods - discount
  const tax = cents((net * taxPercent) / (taxAdded ? 100 : 100 + taxPercent))
  return { total: taxAdded ? net + tax : net, tax, discount }
}

/** A limit refuses what raises the exposure beyond it, also if it was lowered below the exposure before. */
export const overLimit = ({ id, limit, exposure }: ModelContract, requested: number): ExpectedAnswer | undefined =>
  limit === 0 || requested <= 0 || exposure + requested <= limit
    ? undefined
    : fail(409, 'contract_limit_exceeded', {
        contract_id: id,
        limit: shownMoney(limit),
        used: shownMoney(exposure),
        requested: shownMoney(requested),
      })

export const fail = (status: number, code: string, details: unknown): ExpectedAnswer => ({
  status,
  codes: [code],
  details,
})
