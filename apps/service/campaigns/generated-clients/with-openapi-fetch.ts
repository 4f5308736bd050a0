/** Places an order with openapi-fetch and the types of openapi-typescript. Prints the order's id. */
import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript.d.ts'
import { address, baseUrl, key } from './settings.ts'

const client = createClient<paths>({
  baseUrl,
  headers: { authorization: key, 'content-type': 'application/x-www-form-urlencoded' },
  bodySerializer: (body: Record<string, unknown> | undefined) =>
    new URLSearchParams(Object.entries(body ?? {}).map(([name, value]) => [name, String(value)])),
})

/** The data of a successful response. */
function dataOf<T>({ data, error }: { data?: { data: T }; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error))
  return data.data
}

const { cart_id } = dataOf(await client.PUT('/api/v1/carts/', { body: { name: 'Typed' } }))
const params = { path: { cart_id } }
const [item] = dataOf(await client.GET('/api/v1/items/', { params: { query: { limit: 1 } } }))
const [stock] = item?.availability ?? []
if (item === undefined || stock === undefined) throw new Error('Nothing can be ordered.')
const body = { item_id: item.item_id, stock_id: stock.stock_id, quantity: 1 }
dataOf(await client.PUT('/api/v1/carts/{cart_id}/items/', { params, body }))
const [group] = dataOf(await client.GET('/api/v1/carts/{cart_id}/items/', { params }))
if (group === undefined) throw new Error('The cart is empty.')
const { cart_group_key } = group
const { created_order_id } = dataOf(
  await client.PUT('/api/v1/orders/', { body: { cart_group_key, ...address, reference: 'openapi-fetch' } }),
)
process.stdout.write(String(created_order_id))
