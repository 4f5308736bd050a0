import Type, { type Static } from 'typebox'
import { bool, int8, text } from 'pg-statements/types.ts'

export const Cart = Type.Object(
  {
    cart_id: Type.Integer({ description: 'Identifies the cart in paths.' }),
    cart_name: Type.String({ description: 'The name given by the client, trimmed and normalised to NFC.' }),
    virtual: Type.Boolean({
      description: 'Set by the distributor. An order placed from a virtual cart reserves no stock.',
    }),
  },
  {
    $id: 'Cart',
    examples: [{ cart_id: 12, cart_name: 'Workshop Monday', virtual: false }],
  },
)
export type Cart = Static<typeof Cart>

export const cartColumns = { cart_id: int8, cart_name: text, virtual: bool }

export const cartOf = ({ cart_id, cart_name, virtual }: Cart): Cart => ({ cart_id, cart_name, virtual })

export const cartsPerClientMax = 1_000 // Keeps the list of all carts, which has no pages, under 100 KB. Enforced by the constraint cart_limit_reached.
export const emptyDaysMax = 30 // A cart that is empty for longer is forgotten, or made by mistake.
export const linesPerCartMax = 1_000 // Keeps a full cart's listing under 1 MB. Enforced by the constraint cart_is_full (0004_carts.sql).
