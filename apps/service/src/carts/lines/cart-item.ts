/** A line of a cart: alone, in its group, and with the details of its group. */
import Type, { type Static } from 'typebox'
import { Cart, cartColumns, cartOf } from '../cart.ts'
import { includableAvailability, includableTotals } from './cart-totals.ts'
import { includableNetPrice } from '../../catalogue/prices/net-price.ts'
import { includableQuantityRules } from '../../catalogue/quantities/quantity-rules.ts'
import { exampleItem, Item, itemColumns, itemOf } from '../../catalogue/item.ts'
import { includablePromise } from '../../stock/promise.ts'
import { exampleStock, Stock, stockColumns } from '../../stock/stock.ts'
import { Contract, contractColumns, contractOf, exampleContract } from '../../clients/contracts/list-contracts.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { int4, int8, numeric, text } from 'pg-statements/types.ts'

const exampleCartItem = { cart_item_id: 345, quantity: 4, price: 104.17, item: exampleItem }
const exampleCart = { cart_id: 12, cart_name: 'Workshop Monday', virtual: false }
const surroundings = { cart: exampleCart, stock: exampleStock, advertising: '', contract: exampleContract }

export const CartItem = Type.Object(
  {
    cart_item_id: Type.Integer({ description: 'Identifies the line in paths.' }),
    quantity: Type.Integer({ description: 'Number of pieces.' }),
    price: Type.Number({
      description: "The current price of one piece in the contract's price list, at the quantity of the line.",
    }),
    item: refer(Item),
    ...includableAvailability,
    ...includableNetPrice,
    ...includableQuantityRules,
    ...includablePromise,
  },
  { $id: 'CartItem', examples: [exampleCartItem] },
)
export type CartItem = Static<typeof CartItem>

const advertising = Type.String({ description: 'The advertising budget; empty if there is none.' })

export const CartGroup = Type.Object(
  {
    cart_group_key: Type.String({
      description:
        'Identifies exactly what is shown here. Pass it to order creation: if anything in the group has changed since, nothing is ordered.',
    }),
    cart: refer(Cart),
    stock: refer(Stock),
    advertising,
    contract: refer(Contract),
    cart_items: Type.Array(refer(CartItem), { description: 'At least one.' }),
    ...includableTotals,
  },
  {
    $id: 'CartGroup',
    description: 'Lines that become one order: same stock, contract and advertising budget.',
    examples: [
      {
        cart_group_key: '77-5d3c0f6a1b2e4c8d-9a8b7c6d5e4f3a2b-1c2d3e4f5a6b7c8d',
        ...surroundings,
        cart_items: [exampleCartItem],
      },
    ],
  },
)
export type CartGroup = Static<typeof CartGroup>

export const CartItemDetail = Type.Object(
  { cart_item: refer(CartItem), cart: refer(Cart), advertising, contract: refer(Contract), stock: refer(Stock) },
  {
    $id: 'CartItemDetail',
    description: 'A line with its cart, stock, contract and advertising budget.',
    examples: [{ cart_item: exampleCartItem, ...surroundings }],
  },
)
export type CartItemDetail = Static<typeof CartItemDetail>

export const cartItemColumns = { cart_item_id: int8, quantity: int4, price: numeric, ...itemColumns }

export const cartItemDetailColumns = {
  ...cartItemColumns,
  ...cartColumns,
  ...stockColumns,
  ...contractColumns,
  advertising: text,
}

export const cartItemOf = (row: Values<typeof cartItemColumns>): CartItem => ({
  cart_item_id: row.cart_item_id,
  quantity: row.quantity,
  price: row.price,
  item: itemOf(row),
})

export const cartItemDetailOf = (row: Values<typeof cartItemDetailColumns>): CartItemDetail => ({
  cart_item: cartItemOf(row),
  cart: cartOf(row),
  advertising: row.advertising,
  contract: contractOf(row),
  stock: { stock_id: row.stock_id, stock_name: row.stock_name },
})
