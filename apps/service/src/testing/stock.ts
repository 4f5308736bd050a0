/** Unused numbers and reserved stock, for the cases of the catalogue and of imports. */
import type { OperatorWorld } from './operators.ts'
import type { TestService } from './service.ts'

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

/** The rules of `addPackedItem`, as errors have them. */
export const packRules = { quantity_min: 20, quantity_multiple: 10 }

/** A new item of which 20, 30, 40 and so on can be ordered, at 10.00, from 50 on at 9.50 and from 100 on at 8.00. */
export async function addPackedItem(
  { sql }: Pick<TestService, 'sql'>,
  { quantity_min, quantity_multiple } = packRules,
): Promise<number> {
  const item_id = fresh()
  await sql(
    `with item as (
       insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, quantity_min,
         quantity_multiple)
       values ($1, 12, 2, 'PK-' || $1::bigint, '', 'Spark plugs, loose', $2, $3)),
     price as (
       insert into prices (price_list_id, item_id, price, break_quantities, break_prices)
       values (1, $1, 10, '{50,100}', '{9.5,8}'))
     insert into stock_levels (stock_id, item_id, on_hand) select s, $1, 1000 from generate_series(1, 2) s`,
    [item_id, quantity_min, quantity_multiple],
  )
  return item_id
}
