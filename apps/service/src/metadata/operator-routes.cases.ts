import { itemBody } from '../catalogue/operator-routes.cases.ts'
import { fresh } from '../testing/stock.ts'
import type { OperatorCases } from '../testing/cases.ts'
import { order } from '../testing/orders.ts'
import { unknownId } from '../testing/world.ts'
import type { OperatorWorld } from '../testing/operators.ts'

const json = { metadata: { erp: 'A 17', 'x.y-z_': 'ä' } }
const data = { metadata: json.metadata }

const casesOf = (
  of: string,
  notFound: string,
  id: string,
  idIn: (world: OperatorWorld) => Promise<number>,
): Record<string, OperatorCases> => {
  const pathOf = (one: number): string => `/operator/v1/${of}/${one}/metadata/`
  return {
    [`PATCH /operator/v1/${of}/{${id}}/metadata/`]: {
      success: async (world) => {
        const one = await idIn(world)
        return { path: pathOf(one), json, data }
      },
      refusals: {
        [notFound]: async () => ({ path: pathOf(unknownId), json, details: { [id]: unknownId } }),
        metadata_full: async (world) => {
          const path = pathOf(await idIn(world))
          const metadata = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${n}`, 'v']))
          await world.operators.ok('PATCH', path, { metadata })
          return { path, json: { metadata: { k1: '', one: '1', two: '2' } }, details: { limit: 20 } }
        },
      },
    },
  }
}

export const metadataCases: Record<string, OperatorCases> = {
  ...casesOf('orders', 'order_not_found', 'order_id', async (world) => (await order(world)).order_id),
  ...casesOf('clients', 'client_not_found', 'client_id', async ({ me }) => me.client_id),
  ...casesOf('items', 'item_not_found', 'item_id', async ({ operators }) => {
    const item_id = fresh()
    await operators.ok('PUT', `/operator/v1/items/${item_id}/`, itemBody)
    return item_id
  }),
}
