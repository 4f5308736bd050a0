/** The service's own SQL for the digests in a cart group's key. */
import { readFileSync } from 'node:fs'

const part = (name: string): string =>
  readFileSync(new URL(`../service/src/carts/${name}.part.sql`, import.meta.url), 'utf8')

/** Of lines called `l`. */
export const digestsSql = part('cart-group-digests')

/** Of a contract `c`, its price list `r` and its currency `u`. */
export const termsDigestSql = part('terms-digest')
