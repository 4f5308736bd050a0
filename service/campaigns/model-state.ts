/** What the model knows: carts, groups, orders and adjustments of each client, as plain objects. */
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
}

/** Of a contract; the tax is included in the default contract's prices and added to those of the limited one. */
export interface ModelTerms {
  readonly discountPercent: number
  readonly taxPercent: number
}

export interface ModelCart {
  readonly id: number
  name: string
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
  decidedBy: 'client' | 'distributor' | null
}

export interface ModelOrderLine {
  id: number
  readonly item: number
  /** 0 once it was removed from the order. */
  quantity: number
  readonly price: number
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
  state: string
  date: string | null
  total: number
  tax: number
  discount: number
  history: { group: string; state_id: string; text: string }[]
  adjustments: ModelAdjustment[]
}

export interface ModelAccount {
  readonly client: ModelClient
  carts: ModelCart[]
  orders: ModelOrder[]
  /** Every group that ever existed, since keys outlive their groups. */
  groups: ModelGroup[]
  limitedExposure: number
  /** Of each contract. */
  readonly terms: Map<number, ModelTerms>
}

/** Money is counted in ten-thousandths, as whole numbers; the contract's figures have at most four decimals. */
export const scale = 10_000
export const cents = (amount: number): number => Math.floor((amount + 50) / 100) * 100 // Half away from zero; nothing here is negative.
export const shownMoney = (amount: number): number => amount / scale

export const labels: Record<string, string> = {
  new: 'New',
  'zayavka-na-otmen': 'Cancellation requested',
  canceled: 'Cancelled',
}

export const orderOf = ({ orders }: ModelAccount, orderId: number): ModelOrder | undefined =>
  orders.find(({ id }) => id === orderId)

export const isLimited = ({ client }: ModelAccount, group: ModelGroup): boolean =>
  group.contract === client.contracts[1]

/** The limited contract adds the tax; the other one includes it. */
export function totalsOf(
  limited: boolean,
  { discountPercent, taxPercent }: ModelTerms,
  lines: readonly Pick<ModelOrderLine, 'price' | 'quantity'>[],
): Pick<ModelOrder, 'total' | 'tax' | 'discount'> {
  const goods = lines.reduce((sum, { price, quantity }) => sum + cents(price * quantity), 0)
  const discount = cents((goods * discountPercent) / 100)
  const net = goods - discount
  const tax = cents((net * taxPercent) / (limited ? 100 : 100 + taxPercent))
  return { total: limited ? net + tax : net, tax, discount }
}

export const overLimit = (
  account: ModelAccount,
  { contract }: ModelGroup,
  requested: number,
): ExpectedAnswer | undefined =>
  account.limitedExposure + requested <= 100 * scale
    ? undefined
    : fail(409, 'contract_limit_exceeded', {
        contract_id: contract,
        limit: 100,
        used: shownMoney(account.limitedExposure),
        requested: shownMoney(requested),
      })

export const fail = (status: number, code: string, details: unknown): ExpectedAnswer => ({
  status,
  codes: [code],
  details,
})
