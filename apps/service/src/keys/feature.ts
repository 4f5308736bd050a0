import type { Feature } from '../http/routing/route.ts'
import { AuditEntry } from './audit/audit-entry.ts'
import { clientKeyOperatorRoutes } from './client-key-routes.ts'
import { ClientKey, OwnKey } from './client-key.ts'
import { operatorKeyRoutes } from './operator-key-routes.ts'
import { OperatorKey } from './operator-key.ts'
import { keyRoutes } from './routes.ts'

export const keys: Feature<{ config: { readonly keyDaysMax: number } }> = {
  schemas: [OwnKey, ClientKey, OperatorKey, AuditEntry],
  clientRoutes: () => keyRoutes,
  operatorRoutes: ({ config }) => [...clientKeyOperatorRoutes(config), ...operatorKeyRoutes(config)],
}
