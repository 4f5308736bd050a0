import Type from 'typebox'
import { addCartItem } from './lines/add-cart-item.ts'
import { addCartItems, BulkResult } from './tables/add-cart-items.ts'
import { addOrderItems, OrderedResult } from './tables/add-order-items.ts'
import { budget, bulkRowsMax, bulkTable } from './tables/bulk-rows.ts'
import { Cart, cartsPerClientMax, emptyDaysMax, linesPerCartMax } from './cart.ts'
import { CartGroup, CartItem, CartItemDetail } from './lines/cart-item.ts'
import { cartIncludes } from './lines/cart-totals.ts'
import { changeQuantity } from './lines/change-quantity.ts'
import { createCart } from './create-cart.ts'
import { deleteCart } from './delete-cart.ts'
import { listCartItems } from './lines/list-cart-items.ts'
import { readCartItem } from './lines/read-cart-item.ts'
import { listCarts, readCart } from './read-carts.ts'
import { removeCartItem } from './lines/remove-cart-item.ts'
import { renameCart } from './rename-cart.ts'
import { endedIds, exampleIds } from '../vocabulary/example-ids.ts'
import { choice, flag, id, integer, listed, optional, ownNameLengthMax, quantityMax, text } from '../input/fields.ts'
import { route, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const cart_id = id('The cart.', exampleIds.cart_id)
const cart_item_id = id('The line of the cart.', exampleIds.cart_item_id)
const name = text({
  max: ownNameLengthMax,
  description: 'The name of the cart. Names need not be unique.',
  example: 'Workshop Monday',
})

const quantity = integer({ min: 1, max: quantityMax, description: 'Number of pieces.', example: 4 })

/** Why a known item cannot be added from a known stock under a known contract. */
const lineCodes = [
  'item_not_on_sale',
  'stock_not_serving',
  'item_not_priced',
  'line_quantity_exceeded',
  'quantity_not_allowed',
  'cart_full',
] as const

const bulkDescription = `Adds up to ${bulkRowsMax} rows, each with an \`article\`, a \`barcode\` or an \`item_id\`, and a \`quantity\`.

- **The body** is JSON (\`{"rows":[…]}\` or only the array) or CSV as spreadsheets save it: separated by semicolons, commas or tabs, in UTF-8, in UTF-16 with a byte order mark, or in the \`charset\` of the Content-Type. It has at most 256 KiB.
- **Columns** of CSV are found by the names in the first line, in any order; common names are known (\`sku\`, \`part number\`, \`Artikelnummer\`, \`Marke\`, \`qty\`, \`Menge\`, \`EAN\`, \`GTIN\`, \`warehouse\`, …). Without such a line they are ${bulkTable.order.map((name) => `\`${name}\``).join(', ')}.
- **Items:** case, spaces, dashes, dots and slashes in an article do not matter. If several items match, the row is refused and has up to three candidates. Where a row has an article, a barcode and an item_id, or two of them, all must match. A row with a \`brand\` is refused if its item is of another one; of several items with the same article, the brand chooses.
- **Rows** with the same item, stock, contract and budget become one line. Each row has its own result, in the order of the request.
- **Without a stock** a row takes the first of the client's stocks, in their order of preference (that of the list of stocks), that has all pieces of the line free: those of the rows without a stock, and those that the cart has already. If none has, it takes the first one, and is \`short\`. Its result says which stock it is.`

export const cartRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/api/v1/carts/',
    operationId: 'listCarts',
    tag: 'Carts',
    scope: 'carts:read',
    summary: 'List carts',
    description: `All carts of the client, at most ${cartsPerClientMax}. A cart that has been empty for ${emptyDaysMax} days is deleted.`,
    data: Type.Array(refer(Cart)),
    refusals: [],
    handle: ({ db, actor }) => listCarts(db, actor),
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
    handle: ({ db, actor, params }) => readCart(db, actor, params.cart_id),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/carts/',
    operationId: 'createCart',
    tag: 'Carts',
    scope: 'carts:write',
    summary: 'Create a cart',
    description: `A client may have up to ${cartsPerClientMax} carts. A cart that has been empty for ${emptyDaysMax} days does not count: it is deleted daily, or when it would prevent another one. Each call creates a cart, unless it repeats an Idempotency-Key.`,
    form: { name },
    takesIdempotencyKey: true,
    data: refer(Cart),
    refusals: ['cart_limit_reached', 'idempotency_key_used'],
    handle: ({ db, actor, form, retry }) => createCart(db, actor, { cart_name: form.name, retry }),
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
    handle: ({ db, actor, params, form }) => renameCart(db, actor, { ...params, cart_name: form.name }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/carts/{cart_id}/',
    operationId: 'deleteCart',
    tag: 'Carts',
    scope: 'carts:write',
    summary: 'Delete a cart',
    description: 'Empties the cart and deletes it.',
    params: { cart_id: id('The cart.', endedIds.cart_id) },
    data: Type.Object({ removed_cart_id: Type.Integer({ description: 'The cart that was deleted.' }) }),
    refusals: ['cart_not_found'],
    handle: ({ db, actor, params }) => deleteCart(db, actor, params.cart_id),
  }),
  route({
    method: 'GET',
    path: '/api/v1/carts/{cart_id}/items/',
    operationId: 'listCartItems',
    urgency: 'others',
    tag: 'Cart items',
    scope: 'carts:read',
    summary: 'List cart items',
    description: 'The lines by group. Place an order for a group with its `cart_group_key`.',
    params: { cart_id },
    query: {
      include: optional(
        listed(cartIncludes, {
          description:
            'Adds `totals` to each group: what an order of it would cost, what is left of the limit, and the earliest shipping day. Adds `availability` to each line. `net` adds to each line the price after the discount, `quantity_rules` in which quantities its item can be ordered, and `promise` when the stock can ship its quantity.',
          example: ['totals'],
        }),
      ),
    },
    data: Type.Array(refer(CartGroup)),
    refusals: ['cart_not_found'],
    handle: ({ db, actor, params, query }) => listCartItems(db, actor, { ...params, ...query }),
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
    handle: ({ db, actor, params }) => readCartItem(db, actor, params),
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
      item_id: id('The packaging to order.', exampleIds.item_id),
      stock_id: id('The stock to take it from.', exampleIds.stock_id),
      quantity,
      for_advertising_budget: optional(budget('The advertising budget.')),
      contract_id: optional(id('The contract; the default contract if absent.', exampleIds.contract_id)),
    },
    takesIdempotencyKey: true,
    data: refer(CartItem),
    refusals: [
      'cart_not_found',
      'item_not_found',
      'stock_not_found',
      'contract_not_found',
      ...lineCodes,
      'idempotency_key_used',
    ],
    handle: ({ db, actor, params, form, retry }) => addCartItem(db, actor, { ...params, ...form, retry }),
  }),
  route({
    method: 'PUT',
    path: '/api/v1/carts/{cart_id}/items/bulk/',
    operationId: 'addCartItems',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Add many items to a cart',
    description: bulkDescription,
    params: { cart_id },
    query: {
      stock_id: optional(
        id('The stock of rows that name none; if absent, one is chosen for each.', exampleIds.stock_id),
      ),
      for_advertising_budget: optional(budget('The advertising budget of rows that name none.')),
      contract_id: optional(
        id('The contract of rows that name none; the default contract if absent.', exampleIds.contract_id),
      ),
      mode: optional(
        choice<'rows' | 'all'>(['rows', 'all'], {
          description: 'Add the good rows (`rows`, the default), or nothing unless all rows are good (`all`).',
          example: 'rows',
        }),
      ),
      dry_run: optional(
        flag({
          description: 'Add nothing: only report what would become of each row, with its price and availability.',
          example: true,
        }),
      ),
    },
    table: bulkTable,
    takesIdempotencyKey: true,
    data: refer(BulkResult),
    refusals: ['cart_not_found', 'rows_refused', 'too_many_rows', 'idempotency_key_used'],
    rowCodes: [
      'article_not_found',
      'article_ambiguous',
      'brand_differs',
      'item_not_found',
      'stock_not_found',
      'contract_not_found',
      ...lineCodes,
      'row_malformed',
    ],
    handle: ({ db, actor, params, query, table = { rows: [], ignored_columns: [] }, retry }) => {
      const { mode = 'rows', dry_run = false, ...defaults } = query
      return addCartItems(db, actor, { ...params, table, defaults, mode, dry_run, retry })
    },
  }),
  route({
    method: 'PUT',
    path: '/api/v1/carts/{cart_id}/items/from-order/',
    operationId: 'addOrderItems',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Order again',
    description:
      'Adds the lines of an earlier order to a cart, with the quantities, the stock, the contract and the advertising budget of the order. Each row says what has changed since. A line that cannot be ordered like this any more is refused; the others are added.',
    params: { cart_id },
    form: { order_id: id('An order of the client, in any state.', exampleIds.order_id) },
    takesIdempotencyKey: true,
    data: refer(OrderedResult),
    refusals: ['cart_not_found', 'order_not_found', 'idempotency_key_used'],
    rowCodes: lineCodes,
    handle: ({ db, actor, params, form, retry }) => addOrderItems(db, actor, { ...params, ...form, retry }),
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
    refusals: ['cart_not_found', 'cart_item_not_found', 'quantity_not_allowed'],
    handle: ({ db, actor, params, form }) => changeQuantity(db, actor, { ...params, ...form }),
  }),
  route({
    method: 'DELETE',
    path: '/api/v1/carts/{cart_id}/items/{cart_item_id}/',
    operationId: 'removeCartItem',
    tag: 'Cart items',
    scope: 'carts:write',
    summary: 'Remove a cart item',
    params: { cart_id, cart_item_id: id('The line of the cart.', endedIds.cart_item_id) },
    data: Type.Object({ removed_cart_item_id: Type.Integer({ description: 'The line that was removed.' }) }),
    refusals: ['cart_not_found', 'cart_item_not_found'],
    handle: ({ db, actor, params }) => removeCartItem(db, actor, params),
  }),
]
