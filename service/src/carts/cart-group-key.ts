/**
 * A cart group's key: `<group id>-<digest of items and quantities>-<digest of prices>`.
 * It names what was shown. `place-order.sql` reckons the same digests from the rows, so both must build the same text.
 */
import { hash } from 'node:crypto'

export interface ShownLine {
  readonly item_id: number
  readonly quantity: number
  readonly price: number
}

export interface CartGroupKey {
  readonly cart_group_id: number
  readonly lines_digest: string
  readonly prices_digest: string
}

const form = /^([1-9][0-9]{0,15})-([0-9a-f]{16})-([0-9a-f]{16})$/

export function makeCartGroupKey(cartGroupId: number, lines: readonly ShownLine[]): string {
  const sorted = lines.toSorted((a, b) => a.item_id - b.item_id)
  const linesDigest = digest(sorted.map(({ item_id, quantity }) => `${item_id}:${quantity}`))
  const pricesDigest = digest(sorted.map(({ item_id, price }) => `${item_id}:${price}`))
  return `${cartGroupId}-${linesDigest}-${pricesDigest}`
}

export function parseCartGroupKey(key: string): CartGroupKey | undefined {
  const [, id = '', lines_digest = '', prices_digest = ''] = form.exec(key) ?? []
  const cart_group_id = Number(id)
  return cart_group_id > 0 && Number.isSafeInteger(cart_group_id)
    ? { cart_group_id, lines_digest, prices_digest }
    : undefined
}

function digest(parts: readonly string[]): string {
  return hash('sha256', parts.join(',')).slice(0, 16)
}
