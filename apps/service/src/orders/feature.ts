import type { Feature } from '../http/routing/route.ts'
import { Adjustment, AdjustmentRequest, OperatorAdjustment, OperatorAdjustmentRequest } from './adjustment.ts'
import { SavedAddress } from './addresses/addresses.ts'
import { addressOperatorRoutes } from './addresses/operator-routes.ts'
import { addressRoutes } from './addresses/routes.ts'
import { LineChange } from './corrections/line-change.ts'
import { correctionRoutes } from './corrections/operator-routes.ts'
import { InboxEntry } from './decisions/inbox-entry.ts'
import { ListedAdjustment } from './decisions/list-operator-adjustments.ts'
import { decisionRoutes } from './decisions/operator-routes.ts'
import { Counts } from './decisions/read-counts.ts'
import { documentRoutes } from './documents/operator-routes.ts'
import { findingRoutes } from './finding/operator-routes.ts'
import { MoveResult } from './moving/move-orders.ts'
import { movingRoutes } from './moving/operator-routes.ts'
import { FullOrder, OperatorHistoryEntry, OperatorOrder, OrderNote } from './operator-order.ts'
import { OrderActions } from './order-actions.ts'
import { OrderAddress, OrderTerms } from './order-details.ts'
import { OrderDocument } from './order-document.ts'
import { OrderItem, OrderLine, OrderPromise, OrderReturn, Shipment } from './order-goods.ts'
import { CancelledOrder, HistoryEntry, Order } from './order.ts'
import { placingForClientRoutes } from './placing/operator-routes.ts'
import { OrderForClient } from './placing/order-for-client.ts'
import { Quote } from './placing/quote-lines.ts'
import { placingRoutes } from './placing/routes.ts'
import { PickedOrder } from './printing/list-pick-list.ts'
import { printingRoutes } from './printing/operator-routes.ts'
import { PackingSlip } from './printing/packing-slip.ts'
import type { OrderSettings } from './reading/read-orders.ts'
import { OrderStateRule, readingRoutes } from './reading/routes.ts'
import { requestRoutes } from './requests/routes.ts'
import { ListedReturnRequest } from './returns/list-return-requests.ts'
import { returnDecisionRoutes } from './returns/operator-routes.ts'
import { OperatorReturnRequest, ReturnRequest } from './return-request.ts'
import { returnRoutes } from './returns/routes.ts'
import { shippingRoutes } from './shipping/operator-routes.ts'

export const orders: Feature<{ config: OrderSettings & { confirmedQuantityFactor: number } }> = {
  schemas: [
    HistoryEntry, Order, OrderAddress, OrderTerms, OrderLine, Shipment, OrderActions, CancelledOrder, OrderItem,
    Adjustment, AdjustmentRequest, OrderStateRule,
    OperatorHistoryEntry, OperatorOrder, FullOrder, PickedOrder, PackingSlip, OrderNote, OrderReturn, OrderPromise, LineChange, OrderForClient, Quote,
    OperatorAdjustment, OperatorAdjustmentRequest, ListedAdjustment, InboxEntry, Counts, MoveResult,
    ReturnRequest, OperatorReturnRequest, ListedReturnRequest, SavedAddress, OrderDocument,
  ], // prettier-ignore
  clientRoutes: ({ config }) => [
    ...readingRoutes(config),
    ...placingRoutes,
    ...requestRoutes(config),
    ...returnRoutes,
    ...addressRoutes,
  ],
  operatorRoutes: ({ config }) => [
    ...decisionRoutes(config),
    ...returnDecisionRoutes,
    ...findingRoutes(config),
    ...movingRoutes(config),
    ...shippingRoutes(config),
    ...correctionRoutes(config),
    ...documentRoutes(config),
    ...printingRoutes(config),
    ...placingForClientRoutes,
    ...addressOperatorRoutes,
  ],
}
