/** Every statement of the service with the values to explain it by, and what it must have done for that to mean something. */
import { catalogueCases } from './cases-catalogue.ts'
import { catalogueOperatorCases, importCases } from './cases-imports.ts'
import { cartCases } from './cases-carts.ts'
import { operatorCases } from './cases-operators.ts'
import { orderCases } from './cases-orders.ts'
import { webhookCases } from './cases-webhooks.ts'
import { workerCases } from './cases-worker.ts'
import type { Sample } from './sample.ts'

export type Value = string | number | boolean | null | readonly (string | number)[]

export interface Case {
  readonly statement: string
  readonly variant: string
  readonly values: Readonly<Record<string, Value>>
  /** Rows that it must return; 1 if absent. */
  readonly atLeast?: number
  /** Rows that it may touch at any size, where the smaller database does not have enough for the statement's own limits to show. */
  readonly bound?: number
  /** SQL that makes what it needs, in the same transaction. */
  readonly prepare?: string
  /** Tables that it must have written to. */
  readonly writes?: readonly string[]
}

/** Statements that are not explained, and why. */
export const exceptions: Readonly<Record<string, string>> = {
  ping: 'It reads no table.',
  'draw-client-key-id': 'It reads no table; it draws from a sequence.',
  'draw-operator-key-id': 'It reads no table; it draws from a sequence.',
  invariants: 'It reads everything, on purpose, on a connection of its own.',
  'waiting-jobs': 'It reads the queue, which holds one waiting run of each job.',
}

export const casesFor = (sample: Sample): Case[] => [
  ...catalogueCases(sample),
  ...cartCases(sample),
  ...orderCases(sample),
  ...operatorCases(sample),
  ...catalogueOperatorCases(sample),
  ...importCases(sample),
  ...webhookCases(sample),
  ...workerCases,
]
