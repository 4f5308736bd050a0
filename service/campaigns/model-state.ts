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
  readonly shown: Map<string, { lines: string; prices: string }>
  order?: ModelOrder
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
  status: string
  message: string | null
}

export interface ModelOrderLine {
  id: number
  readonly item: number
  readonly quantity: number
  readonly price: number
}

export interface ModelOrder {
  id: number
  number: number
  readonly group: ModelGroup
  readonly fingerprint: string
  readonly address: string
  readonly lines: ModelOrderLine[]
  state: string
  date: string | null
  readonly total: number
  readonly tax: number
  readonly discount: number
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
}

/** Money is counted in ten-thousandths, as whole numbers; the contract's figures have at most four decimals. */
export const scale = 10_000
export const cents = (amount: number): number => Math.floor((amount + 50) / 100) * 100 // Half away from zero; nothing here is negative.
export const shownMoney = (amount: number): number => amount / scale

export const labels: Record<string, string> = { new: 'New', 'zayavka-na-otmen': 'Cancellation requested' }
export const fail = (status: number, code: string, details: unknown): ExpectedAnswer => ({
  status,
  codes: [code],
  details,
})
