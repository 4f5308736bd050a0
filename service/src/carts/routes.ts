import Type from 'typebox'
import { addCartItem } from './add-cart-item.ts'
import { Cart, cartsPerClientMax, linesPerCartMax } from './cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './cart-item.ts'
import { changeQuantity } from './change-quantity.ts'
import { createCart } from './create-cart.ts'
import { deleteCart } from './delete-cart.ts'
import { listCartItems } from './list-cart-items.ts'
import { readCartItem } from './read-cart-item.ts'
import { listCarts, readCart } from './read-carts.ts'
import { removeCartItem } from './remove-cart-item.ts'
import { renameCart } from './rename-cart.ts'
import { id, integer, optional, quantityMax, text } from '../input/fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../schema-ref.ts'
import type { Database } from 'pg-statements/database.ts'

const cart_id = id('The cart.', 12)
const cart_item_id = id('The line of the cart.', 345)
const name = text({ description: 'The name of the cart. Names need not be unique.', example: 'Workshop Monday' })
const quantity = integer({ min: 1, max: quantityMax, description: 'Number of pieces.', example: 4 })

export const cartRoutes = (db: Database): Route[] => [
  route({
    method: 'GET',
    path: '/api/v1/carts/',
    operationId: 'listCarts',
    tag: 'Carts',
    scope: 'carts:read',
    summary: 'List carts',
    description: `All carts of the client, at most ${cartsPerClientMax}.`,
    data: Type.Array(refer(Cart)),
    refusals: [],
    handle: ({ actor }) => listCarts(db, actor),
  }),
  route({
    method: 'GET',
    path: '/api/v1/carts/{cart_id}/',
    operationId: 'readCart',
    tag: 'Carts',
    scope: 'carts:read',
    summary: 'Read a cart',
    params: { cart_id },
    data: refer(Cart),
    refusals: ['cart_not_found'],
    handle: ({ actor, params }) => readCart(db, actor, params.cart_id),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/carts/',
    operationId: 'createCart',
    tag: 'Carts',
    scope: 'carts:write',
    summary: 'Create a cart',
    description: `A client may have up to ${cartsPerClientMax} carts. Each call creates a cart, unless it repeats an Idempotency-Key.`,
    form: { name },
    takesIdempotencyKey: true,
    data: refer(Cart),
    refusals: ['cart_limit_reached', 'idempotency_key_used'],
    handle: ({ actor, form, retry }) => createCart(db, actor, { cart_name: form.name, retry }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/carts/{cart_id}/',
    operationId: 'renameCart',
    tag: 'Carts',
    scope: 'carts:write',
    summary: 'Rename a cart',
    params: { cart_id },
    form: { name },
    data: refer(Cart),
    refusals: ['cart_not_found'],
    handle: ({ actor, params, form }) => renameCart(db, actor, { ...params, cart_name: form.name }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/carts/{cart_id}/',
    operationId: 'deleteCart',
    tag: 'Carts',
    scope: 'carts:write',
    summary: 'Delete a cart',
    description: 'Empties the cart and deletes it.',
    params: { cart_id },
    data: Type.Object({ removed_cart_id: Type.Integer({ description: 'The cart that was deleted.' }) }),
    refusals: ['cart_not_found'],
    handle: ({ actor, params }) => deleteCart(db, actor, params.cart_id),
  }),
  route({
    method: 'GET',
    path: '/api/v1/carts/{cart_id}/items/',
    operationId: 'listCartItems',
    tag: 'Cart items',
    scope: 'carts:read',
    summary: 'List cart items',
    description: 'The lines by group. Place an order for a group with its `cart_group_key`.',
    params: { cart_id },
    data: Type.Array(refer(CartGroup)),
    refusals: ['cart_not_found'],
    handle: ({ actor, params }) => listCartItems(db, actor, params.cart_id),
  }),
  route({
    method: 'GET',
    path: '/api/v1/carts/{cart_id}/items/{cart_item_id}/',
    operationId: 'readCartItem',
    tag: 'Cart items',
    scope: 'carts:read',
    summary: 'Read a cart item',
    params: { cart_id, cart_item_id },
    data: refer(CartItemDetail),
    refusals: ['cart_not_found', 'cart_item_not_found'],
    handle: ({ actor, params }) => readCartItem(db, actor, params),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/carts/{cart_id}/items/',
    operationId: 'addCartItem',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Add an item to a cart',
    description: `A line is identified by item, stock, advertising budget and contract: adding the same combination again increases its quantity. A cart may have up to ${linesPerCartMax} lines and a line up to ${quantityMax} pieces. A cart does not reserve stock.`,
    params: { cart_id },
    form: {
      item_id: id('The packaging to order.', 1024),
      stock_id: id('The stock to take it from.', 1),
      quantity,
      for_advertising_budget: optional(text({ description: 'The advertising budget.', example: 'Spring campaign' })),
      contract_id: optional(id('The contract; the default contract if absent.', 7)),
    },
    takesIdempotencyKey: true,
    data: refer(CartItem),
    refusals: [
      'cart_not_found',
      'item_not_found',
      'stock_not_found',
      'contract_not_found',
      'item_not_on_sale',
      'stock_not_serving',
      'item_not_priced',
      'line_quantity_exceeded',
      'cart_full',
      'idempotency_key_used',
    ],
    handle: ({ actor, params, form, retry }) => addCartItem(db, actor, { ...params, ...form, retry }),
  }),
  route({
    method: 'PATCH',
    path: '/api/v1/carts/{cart_id}/items/{cart_item_id}/',
    operationId: 'changeQuantity',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Change the quantity of a cart item',
    params: { cart_id, cart_item_id },
    form: { quantity },
    data: refer(CartItemDetail),
    refusals: ['cart_not_found', 'cart_item_not_found'],
    handle: ({ actor, params, form }) => changeQuantity(db, actor, { ...params, ...form }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/carts/{cart_id}/items/{cart_item_id}/',
    operationId: 'removeCartItem',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Remove a cart item',
    params: { cart_id, cart_item_id },
    data: Type.Object({ removed_cart_item_id: Type.Integer({ description: 'The line that was removed.' }) }),
    refusals: ['cart_not_found', 'cart_item_not_found'],
    handle: ({ actor, params }) => removeCartItem(db, actor, params),
  }),
]
