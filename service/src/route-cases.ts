/** The cases of all features: `routes.test.ts` and `operator-routes.test.ts` fail for a route or refusal without one. */
import { aboutCases } from './about/routes.cases.ts'
import { accessOperatorCases } from './access/operator-routes.cases.ts'
import { keyCases } from './access/routes.cases.ts'
import { cartOperatorCases } from './carts/operator-routes.cases.ts'
import { cartOnBehalfCases } from './carts/on-behalf-routes.cases.ts'
import { cartCases } from './carts/routes.cases.ts'
import { catalogueOperatorCases } from './catalogue/operator-routes.cases.ts'
import { catalogueCases } from './catalogue/routes.cases.ts'
import { clientOperatorCases } from './clients/operator-routes.cases.ts'
import { clientCases } from './clients/routes.cases.ts'
import { deskCases } from './desk/operator-routes.cases.ts'
import { eventOperatorCases } from './events/operator-routes.cases.ts'
import { eventCases } from './events/routes.cases.ts'
import { importOperatorCases } from './imports/operator-routes.cases.ts'
import { invariantOperatorCases } from './invariants/operator-routes.cases.ts'
import { correctionCases } from './orders/correction-routes.cases.ts'
import { orderOnBehalfCases } from './orders/on-behalf-routes.cases.ts'
import { orderOperatorCases } from './orders/operator-routes.cases.ts'
import { printCases } from './orders/print-routes.cases.ts'
import { orderCases } from './orders/routes.cases.ts'
import type { OperatorCases, RouteCases } from './testing/cases.ts'
import { sessionOperatorCases } from './sessions/operator-routes.cases.ts'
import { webhookOperatorCases } from './webhooks/operator-routes.cases.ts'
import { webhookCases } from './webhooks/routes.cases.ts'

export const routeCases: Readonly<Record<string, RouteCases>> = {
  ...aboutCases,
  ...catalogueCases,
  ...clientCases,
  ...cartCases,
  ...orderCases,
  ...eventCases,
  ...webhookCases,
  ...keyCases,
}

export const operatorRouteCases: Readonly<Record<string, OperatorCases>> = {
  ...orderOperatorCases,
  ...correctionCases,
  ...printCases,
  ...deskCases,
  ...cartOperatorCases,
  ...cartOnBehalfCases,
  ...orderOnBehalfCases,
  ...eventOperatorCases,
  ...webhookOperatorCases,
  ...clientOperatorCases,
  ...accessOperatorCases,
  ...sessionOperatorCases,
  ...catalogueOperatorCases,
  ...importOperatorCases,
  ...invariantOperatorCases,
}
