import { WrongUse } from '../workload.ts'

export interface Sizes extends Readonly<Record<string, number>> {
  readonly orders: number
  readonly clients: number
  readonly items: number
  readonly client_stride: number
  readonly item_stride: number
}

/** Clients come in tens of uneven weight, and below 1,000 items the assortments of the clients would overlap too much. */
export function sizesOf(orders: number, clients: number, items: number): Sizes {
  for (const [name, size] of Object.entries({ orders, clients, items }))
    if (!Number.isSafeInteger(size) || size < 1)
      throw new WrongUse(`--${name} must be a positive integer, not ${size}.`)
  if (clients % 10 !== 0) throw new WrongUse(`--clients must be a multiple of ten, not ${clients}.`)
  if (items < 1000) throw new WrongUse(`--items must be at least 1000, not ${items}.`)
  return { orders, clients, items, client_stride: strideOf(clients * 10), item_stride: strideOf(items) }
}

/** A number coprime to the size: its multiples visit every place once, far from one another. */
function strideOf(size: number): number {
  let stride = Math.floor(size * 0.618) | 1
  while (commonDivisor(stride, size) > 1) stride += 2
  return stride
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
