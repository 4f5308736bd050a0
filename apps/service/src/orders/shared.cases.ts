/** What the cases of several rooms share. */
import type { CaseRequest, ForeignPair, RefusalCase, RouteCases } from '../testing/cases.ts'
import { adjustment, order } from '../testing/orders.ts'
import { unknownId, type World } from '../testing/world.ts'

export const orderNotFound = async (): Promise<RefusalCase> => ({
  path: `/api/v1/orders/${unknownId}/`,
  details: { order_id: unknownId },
})

export const withForm = (path: string, form: CaseRequest['form']): CaseRequest => ({
  path,
  ...(form === undefined ? {} : { form }),
})

export const foreignOrder =
  (rest = '', form?: CaseRequest['form']) =>
  async (other: World): Promise<ForeignPair[]> => {
    const { order_id } = await order(other)
    return [
      [withForm(`/api/v1/orders/${order_id}/${rest}`, form), withForm(`/api/v1/orders/${unknownId}/${rest}`, form)],
    ]
  }

export const adjustmentPath = (order_id: number, adjustment_id: number): string =>
  `/api/v1/orders/${order_id}/adjustments/${adjustment_id}/`

export const adjustmentMissing: RouteCases['refusals'] = {
  order_not_found: async () => ({ path: adjustmentPath(unknownId, 1), details: { order_id: unknownId } }),
  adjustment_not_found: async (world) => {
    const { order_id } = await order(world)
    return { path: adjustmentPath(order_id, unknownId), details: { order_id, adjustment_id: unknownId } }
  },
}

export async function foreignAdjustment(other: World, own: World): Promise<ForeignPair[]> {
  const theirs = await adjustment(other)
  const { order_id } = await order(own)
  return [
    [{ path: adjustmentPath(order_id, theirs.adjustment_id) }, { path: adjustmentPath(order_id, unknownId) }],
    [
      { path: adjustmentPath(theirs.order_id, theirs.adjustment_id) },
      { path: adjustmentPath(unknownId, theirs.adjustment_id) },
    ],
  ]
}
