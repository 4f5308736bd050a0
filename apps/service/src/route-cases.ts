/** The cases of all features: `routes.test.ts` and `operator-routes.test.ts` fail for a route or refusal without one. */
import { aboutCases } from './about/routes.cases.ts'
import { accessOperatorCases } from './keys/operator-routes.cases.ts'
import { keyCases } from './keys/routes.cases.ts'
import { cartOperatorCases } from './carts/operator-routes.cases.ts'
import { cartOnBehalfCases } from './carts/on-behalf-routes.cases.ts'
import { cartCases } from './carts/routes.cases.ts'
import { catalogueCases } from './catalogue/routes.cases.ts'
import { clientOperatorCases } from './clients/operator-routes.cases.ts'
import { clientCases } from './clients/routes.cases.ts'
import { deskCases } from './desk/operator-routes.cases.ts'
import { eventOperatorCases } from './events/feed/operator-routes.cases.ts'
import { eventCases } from './events/routes.cases.ts'
import { importOperatorCases } from './imports/operator-routes.cases.ts'
import { invariantOperatorCases } from './invariants/operator-routes.cases.ts'
import { documentCases } from './orders/documents/operator-routes.cases.ts'
import { metadataCases } from './metadata/operator-routes.cases.ts'
import { correctionCases } from './orders/corrections/operator-routes.cases.ts'
import { orderOnBehalfCases } from './orders/placing/operator-routes.cases.ts'
import { printCases } from './orders/printing/operator-routes.cases.ts'
import { itemCases } from './catalogue/operator-routes.cases.ts'
import { priceCases } from './catalogue/prices/operator-routes.cases.ts'
import { stockCases } from './stock/routes.cases.ts'
import { stockOperatorCases } from './stock/operator-routes.cases.ts'
import { placingCases } from './orders/placing/routes.cases.ts'
import { readingCases } from './orders/reading/routes.cases.ts'
import { addressCases } from './orders/addresses/routes.cases.ts'
import { returnCases } from './orders/returns/routes.cases.ts'
import { returnDecisionCases } from './orders/returns/operator-routes.cases.ts'
import { requestCases } from './orders/requests/routes.cases.ts'
import { findingCases } from './orders/finding/operator-routes.cases.ts'
import { decisionCases } from './orders/decisions/operator-routes.cases.ts'
import { movingCases } from './orders/moving/operator-routes.cases.ts'
import { shippingCases } from './orders/shipping/operator-routes.cases.ts'
import type { OperatorCases, RouteCases } from './testing/cases.ts'
import { sessionOperatorCases } from './sessions/operator-routes.cases.ts'
import { webhookOperatorCases } from './webhooks/endpoints/operator-routes.cases.ts'
import { feedEndpointCases } from './webhooks/feed-endpoints/operator-routes.cases.ts'
import { webhookCases } from './webhooks/endpoints/routes.cases.ts'

export const routeCases: Readonly<Record<string, RouteCases>> = {
  ...aboutCases,
  ...catalogueCases,
  ...stockCases,
  ...clientCases,
  ...cartCases,
  ...readingCases,
  ...placingCases,
  ...requestCases,
  ...returnCases,
  ...addressCases,
  ...eventCases,
  ...webhookCases,
  ...keyCases,
}

export const operatorRouteCases: Readonly<Record<string, OperatorCases>> = {
  ...decisionCases,
  ...returnDecisionCases,
  ...findingCases,
  ...movingCases,
  ...shippingCases,
  ...correctionCases,
  ...metadataCases,
  ...documentCases,
  ...printCases,
  ...deskCases,
  ...cartOperatorCases,
  ...cartOnBehalfCases,
  ...orderOnBehalfCases,
  ...eventOperatorCases,
  ...webhookOperatorCases,
  ...feedEndpointCases,
  ...clientOperatorCases,
  ...accessOperatorCases,
  ...sessionOperatorCases,
  ...itemCases,
  ...priceCases,
  ...stockOperatorCases,
  ...importOperatorCases,
  ...invariantOperatorCases,
}
