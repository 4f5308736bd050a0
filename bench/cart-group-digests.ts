/** The service's own SQL for the digests in a cart group's key, over lines called `l`. */
import { readFileSync } from 'node:fs'

export const digestsSql = readFileSync(
  new URL('../service/src/carts/cart-group-digests.part.sql', import.meta.url),
  'utf8',
)
