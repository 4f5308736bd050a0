import Type, { type Static } from 'typebox'
import { bool, int8, text } from 'pg-statements/types.ts'

export const Cart = Type.Object(
  {
    cart_id: Type.Integer({ description: 'Names the cart in paths.' }),
    cart_name: Type.String({ description: 'As the client has named it, trimmed and in NFC.' }),
    virtual: Type.Boolean({ description: 'Set by the distributor: an order of a virtual cart holds no stock.' }),
  },
  {
    $id: 'Cart',
    additionalProperties: false,
    examples: [{ cart_id: 12, cart_name: 'Workshop Monday', virtual: false }],
  },
)
export type Cart = Static<typeof Cart>

export const cartColumns = { cart_id: int8, cart_name: text, virtual: bool }

export const cartOf = ({ cart_id, cart_name, virtual }: Cart): Cart => ({ cart_id, cart_name, virtual })

export const cartsPerClientMax = 200 // A list of all carts stays one short page. The constraint cart_limit_reached holds it.
export const linesPerCartMax = 1_000 // A listing of a full cart stays under 1 MB. The constraint cart_is_full holds it.
