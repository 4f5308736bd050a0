import type { Feature } from '../http/routing/route.ts'
import { ImportChange } from './import-changes.ts'
import type { ImportRunner } from './import-runner.ts'
import { Import, ImportError } from './import.ts'
import { importOperatorRoutes } from './operator-routes.ts'

export const imports: Feature<{ config: { importRowsMax: number }; imports: ImportRunner }> = {
  schemas: [Import, ImportError, ImportChange],
  operatorRoutes: ({ config, imports: runner }) => importOperatorRoutes(runner, config.importRowsMax),
}
