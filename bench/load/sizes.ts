export interface Sizes extends Readonly<Record<string, number>> {
  readonly orders: number
  readonly clients: number
  readonly items: number
  readonly client_stride: number
  readonly item_stride: number
}

export function sizesOf(orders: number, clients: number, items: number): Sizes {
  const whole = [orders, clients, items].every((size) => Number.isSafeInteger(size) && size > 0)
  if (!whole || clients % 10 !== 0)
    throw new RangeError('Sizes are whole numbers, and clients come in tens of uneven weight.')
  if (items < 1000) throw new RangeError('Below 1,000 items a client has no assortment of its own.')
  return { orders, clients, items, client_stride: strideOf(clients * 10), item_stride: strideOf(items) }
}

/** A number without a common divisor with the size: its multiples visit every place once, far from one another. */
function strideOf(size: number): number {
  let stride = Math.floor(size * 0.618) | 1
  while (commonDivisor(stride, size) > 1) stride += 2
  return stride
}

function commonDivisor(a: number, b: number): number {
  return b === 0 ? a : commonDivisor(b, a % b)
}
