import type { Database } from 'pg-statements/database.ts'
import type { Feature } from '../http/routing/route.ts'
import { AuditEntry } from './audit/audit-entry.ts'
import { clientKeyOperatorRoutes } from './client-key-routes.ts'
import { ClientKey, OwnKey } from './client-key.ts'
import { operatorKeyRoutes } from './operator-key-routes.ts'
import { ErasedOperator } from './operators/erase-operator.ts'
import { ListedOperator } from './operators/operator.ts'
import { OperatorKey } from './operator-key.ts'
import { keyRoutes } from './routes.ts'

export const keys: Feature<{ config: { readonly keyDaysMax: number }; slowDb: Database }> = {
  schemas: [OwnKey, ClientKey, OperatorKey, ListedOperator, ErasedOperator, AuditEntry],
  clientRoutes: () => keyRoutes,
  operatorRoutes: ({ config, slowDb }) => [
    ...clientKeyOperatorRoutes(config),
    ...operatorKeyRoutes({ ...config, slowDb }),
  ],
}
