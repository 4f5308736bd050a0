import type { TSchema } from 'typebox'
import type { Route } from './route.ts'

/** A feature as the application serves it. `Parts` is what its routes need of the running service. */
export interface Feature<Parts = unknown> {
  /** The objects that its answers refer to by name. */
  readonly schemas: readonly TSchema[]
  readonly clientRoutes?: (parts: Parts) => readonly Route[]
  readonly operatorRoutes?: (parts: Parts) => readonly Route[]
}
