/** Places an order with the client that orval generates. Prints the order's id. */
import { addCartItem, createCart, listCartItems, listItems, placeOrder } from './generated/orval.ts'
import { address, key } from './settings.ts'

// Where a body may be a form or JSON, orval writes JSON and leaves the header to the caller.
const options = { headers: { authorization: key, 'content-type': 'application/json' } }

const cart = await createCart({ name: 'Typed' }, options)
if (cart.status !== 200) throw new Error(cart.data.errors[0]?.message)
const { cart_id } = cart.data.data
const items = await listItems({ limit: 1 }, options)
if (items.status !== 200) throw new Error(items.data.errors[0]?.message)
const [item] = items.data.data
const [stock] = item?.availability ?? []
if (item === undefined || stock === undefined) throw new Error('Nothing can be ordered.')
const line = await addCartItem(cart_id, { item_id: item.item_id, stock_id: stock.stock_id, quantity: 1 }, options)
if (line.status !== 200) throw new Error(line.data.errors[0]?.message)
const groups = await listCartItems(cart_id, undefined, options)
if (groups.status !== 200) throw new Error('The cart cannot be read.')
const [group] = groups.data.data
if (group === undefined) throw new Error('The cart is empty.')
const order = await placeOrder({ cart_group_key: group.cart_group_key, ...address, reference: 'orval' }, options)
if (order.status !== 200) throw new Error(order.data.errors[0]?.message)
process.stdout.write(String(order.data.data.created_order_id))
