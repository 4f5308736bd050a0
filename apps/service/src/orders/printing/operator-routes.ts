/** What is printed in the stock: pick lists and packing slips. */
import { orderName, withOrderId } from '../finding/named-order.ts'
import { listPickList, PickedOrder } from './list-pick-list.ts'
import { ordersWithLinesMax } from '../reading/read-orders.ts'
import { pageFields } from '../../input/page-fields.ts'
import { pickListPage, slipPage } from './print-pages.ts'
import { PackingSlip, readPackingSlip } from './packing-slip.ts'
import type { StateLabels } from '../order.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { operatorRoute, type Route } from '../../http/routing/route.ts'
import { id } from '../../input/fields.ts'
import { refer } from '../../vocabulary/schema-parts.ts'

export const printingRoutes = ({ stateLabels }: { stateLabels: StateLabels }): readonly Route[] => [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/orders/{order_id}/shipments/{shipment_id}/slip/',
    operationId: 'readPackingSlip',
    tag: 'Orders',
    permission: 'view',
    summary: 'Read the packing slip of a shipment',
    description: 'As data, or with `Accept: text/html` as a page to print on A4.',
    params: { order_id: orderName, shipment_id: id('The shipment.', 310) },
    data: refer(PackingSlip),
    page: ({ result }) => slipPage(result as PackingSlip),
    refusals: ['order_not_found', 'shipment_not_found'],
    handle: async ({ db, params }) => readPackingSlip(db, await withOrderId(db, params), stateLabels),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stocks/{stock_id}/pick-list/',
    operationId: 'listPickList',
    tag: 'Orders',
    permission: 'view',
    summary: 'List what is to be picked in a stock',
    description: `The orders of the stock in \`fulfilling\`, oldest first, with what is open of each line. Virtual orders and orders on hold are not listed. A page has at most ${ordersWithLinesMax} orders. With \`Accept: text/html\` the list is a page to print on A4, with a box to tick for each line.`,
    params: { stock_id: id('The stock.', exampleIds.stock_id) },
    query: pageFields,
    data: refer(PickedOrder),
    paged: true,
    page: ({ result, params, more }) => pickListPage(result as PickedOrder[], Number(params['stock_id']), more),
    refusals: ['stock_not_found'],
    handle: ({ db, params, page }) => listPickList(db, params.stock_id, page),
  }),
]
