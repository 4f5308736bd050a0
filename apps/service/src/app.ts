/** The application: the list of its features, and the routes and schemas that they add up to. */
import type { Database } from 'pg-statements/database.ts'
import { about } from './about/feature.ts'
import { carts } from './carts/feature.ts'
import { catalogue } from './catalogue/feature.ts'
import { clients } from './clients/feature.ts'
import type { Config } from './config.ts'
import { desk } from './desk/feature.ts'
import { events } from './events/feature.ts'
import type { WaitingReaders } from './events/waiting-readers.ts'
import type { Feature, Route } from './http/routing/route.ts'
import { imports } from './imports/feature.ts'
import type { ImportRunner } from './imports/import-runner.ts'
import { invariants } from './invariants/feature.ts'
import { keys } from './keys/feature.ts'
import { metadata } from './metadata/feature.ts'
import { orders } from './orders/feature.ts'
import { sessions } from './sessions/feature.ts'
import { stock } from './stock/feature.ts'
import { webhooks } from './webhooks/feature.ts'

/** What routes may need of the running service besides the database of their request. */
export interface FeatureParts {
  readonly config: Config
  readonly readers: WaitingReaders
  readonly imports: ImportRunner
  /** For statements that may take minutes. */
  readonly slowDb: Database
}

const features: readonly Feature<FeatureParts>[] = [
  about,
  catalogue,
  stock,
  clients,
  carts,
  orders,
  metadata,
  desk,
  events,
  webhooks,
  keys,
  sessions,
  imports,
  invariants,
]

export const schemas = features.flatMap((feature) => feature.schemas)

/** The operations of clients. */
export const clientSideRoutes = (parts: FeatureParts): Route[] =>
  features.flatMap(({ clientRoutes }) => clientRoutes?.(parts) ?? [])

/** The operations of the distributor's operators. */
export const operatorSideRoutes = (parts: FeatureParts): Route[] =>
  features.flatMap(({ operatorRoutes }) => operatorRoutes?.(parts) ?? [])
