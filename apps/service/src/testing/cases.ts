/**
 * What each route must have in its feature's `*.cases.ts`: a success, every declared refusal, and other clients' ids.
 * `route-cases.ts` collects them; `routes.test.ts` and `operator-routes.test.ts` run them.
 */
import type { RefusalCode } from '../vocabulary/refusals.ts'
import type { OperatorRequest, OperatorWorld, RoleWorld } from './operators.ts'
import type { World } from './world.ts'

export interface CaseRequest {
  readonly path: string
  readonly form?: Record<string, string | number | undefined>
  /** For the routes that take a table. */
  readonly json?: object
  readonly headers?: Record<string, string>
}

export interface SuccessCase extends CaseRequest {
  /** All of `data`. Write `at` for a time: only its form is compared. */
  readonly data: unknown
}

export interface RefusalCase extends CaseRequest {
  readonly details?: Record<string, unknown>
}

export type ForeignPair = readonly [withForeignId: CaseRequest, withUnknownId: CaseRequest]

export interface RouteCases {
  readonly success: (world: World) => Promise<SuccessCase>
  readonly refusals: Partial<Record<RefusalCode, (world: World) => Promise<RefusalCase>>>
  /** For each id that the route takes: a request with the other client's id, and the same with an unknown id. */
  readonly foreign: ((other: World, own: World) => Promise<ForeignPair[]>) | 'has no ids'
}

interface ExpectedRefusal {
  /** Of the service that refuses, where those of the others do not fit. */
  readonly settings?: Readonly<Record<string, string>>
  readonly details?: Record<string, unknown>
  /** The errors after the first. */
  readonly more?: readonly { code: RefusalCode; details: Record<string, unknown> }[]
}

export interface OperatorCases {
  readonly success: (world: RoleWorld) => Promise<OperatorRequest & { data: unknown }>
  readonly refusals: Partial<Record<RefusalCode, (world: OperatorWorld) => Promise<OperatorRequest & ExpectedRefusal>>>
}
