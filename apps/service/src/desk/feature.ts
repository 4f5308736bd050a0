import type { Feature } from '../http/routing/route.ts'
import { deskRoutes } from './operator-routes.ts'
import { Figures } from './read-figures.ts'
import { RejectReasons } from './reject-reasons.ts'
import { OrderView } from './view.ts'

export const desk: Feature = {
  schemas: [OrderView, RejectReasons, Figures],
  operatorRoutes: () => deskRoutes,
}
