/** Carts of a client, as they are after many months. */
import { cartsPerClientMax } from '../carts/cart.ts'
import type { TestClient } from './fixtures.ts'
import type { TestService } from './service.ts'

/** Makes the client have as many carts as it may. They are empty, but not for long. */
export async function fillWithCarts({ sql }: TestService, { client_id }: TestClient): Promise<void> {
  await sql(
    `with made as (
       insert into carts (client_id, cart_name)
       select $1, 'Cart' from clients c, generate_series(1, $2 - c.cart_count) where c.client_id = $1)
     update clients set cart_count = $2 where client_id = $1`,
    [client_id, cartsPerClientMax],
  )
}

/** Makes an empty cart look as if it had been emptied this long ago. */
export async function age({ sql }: TestService, cart_id: number, since: string): Promise<void> {
  await sql('update carts set emptied_at = now() - $2::interval where cart_id = $1', [cart_id, since])
}
