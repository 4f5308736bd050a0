/** Unused numbers and reserved stock, for the cases of the catalogue and of imports. */
import type { OperatorWorld } from './operators.ts'

let lastNumber = 100_000
/** A number that no other case has used. */
export const fresh = (): number => ++lastNumber

/** Reserves two brake discs of the stock in Hamburg, if no earlier case has. */
export async function reserveDiscs({ shop, service }: OperatorWorld): Promise<void> {
  const cart_id = await shop.createCart()
  const [row] = await service.sql('select on_hand, reserved from stock_levels where stock_id = 2 and item_id = 1')
  if (Number(row?.['reserved']) === 2) return
  await shop.add(cart_id, { item_id: 1, quantity: 2, stock_id: 2 })
  await shop.order(cart_id)
}
