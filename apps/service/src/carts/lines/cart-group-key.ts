/**
 * A cart group's key: `<group id>-<digest of items and quantities>-<digest of items and prices>-<digest of terms>`, and
 * `-virtual` for a virtual cart. It identifies what was shown. The digests are computed by `cart_group_key.sql`.
 */
import { bool, int8, text } from 'pg-statements/types.ts'

/** The parts of a key, as statements return them. */
export const cartGroupKeyColumns = {
  cart_group_id: int8,
  lines_digest: text,
  prices_digest: text,
  terms_digest: text,
  virtual: bool,
}

export interface CartGroupKey {
  readonly cart_group_id: number
  readonly lines_digest: string
  readonly prices_digest: string
  /** Empty in a key of an earlier release: it finds the order that was placed with it, and places no new one. */
  readonly terms_digest: string
  readonly virtual: boolean
}

const keyPattern = /^([1-9][0-9]{0,15})-([0-9a-f]{16})-([0-9a-f]{16})(?:-([0-9a-f]{16})(-virtual)?)?$/

export function formatCartGroupKey(key: CartGroupKey): string {
  const { cart_group_id, lines_digest, prices_digest, terms_digest, virtual } = key
  return `${cart_group_id}-${lines_digest}-${prices_digest}-${terms_digest}${virtual ? '-virtual' : ''}`
}

export function parseCartGroupKey(key: string): CartGroupKey | undefined {
  const [, id = '', lines_digest = '', prices_digest = '', terms_digest = '', virtual] = keyPattern.exec(key) ?? []
  const cart_group_id = Number(id)
  return cart_group_id > 0 && Number.isSafeInteger(cart_group_id)
    ? { cart_group_id, lines_digest, prices_digest, terms_digest, virtual: virtual !== undefined }
    : undefined
}
