/** What is printed in the stock: packing slips. The pick list is in operator-routes.ts. */
import { PackingSlip, readPackingSlip } from './packing-slip.ts'
import { slipPage } from './print-pages.ts'
import type { StateLabels } from './order.ts'
import { exampleIds } from '../example-ids.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { id } from '../input/fields.ts'
import { refer } from '../schema-ref.ts'

export const printRoutes = ({ stateLabels }: { stateLabels: StateLabels }): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/{order_id}/shipments/{shipment_id}/slip/',
    operationId: 'readPackingSlip',
    tag: 'Orders',
    permission: 'view',
    summary: 'Read the packing slip of a shipment',
    description: 'As data, or with `Accept: text/html` as a page to print on A4.',
    params: { order_id: id('The order.', exampleIds.order_id), shipment_id: id('The shipment.', 310) },
    data: refer(PackingSlip),
    page: ({ result }) => slipPage(result as PackingSlip),
    refusals: ['order_not_found', 'shipment_not_found'],
    handle: ({ db, params }) => readPackingSlip(db, params, stateLabels),
  }),
]
