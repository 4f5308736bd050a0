/** Every statement of the service with realistic values and the effect that it must have. */
import { cartCases } from './cases-carts.ts'
import { catalogueCases } from './cases-catalogue.ts'
import { importCases } from './cases-imports.ts'
import { operatorOrderCases } from './cases-operator-orders.ts'
import { operatorCases } from './cases-operators.ts'
import { orderCases } from './cases-orders.ts'
import { feedEndpointCases } from './cases-feed-endpoints.ts'
import { webhookCases } from './cases-webhooks.ts'
import { workerCases } from './cases-worker.ts'
import type { ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'

/** Statements that are not explained, and why. */
export const exceptions: Readonly<Record<string, string>> = {
  'draw-client-key-id': 'It reads no table; it draws from a sequence.',
  'draw-operator-key-id': 'It reads no table; it draws from a sequence.',
  'draw-session-id': 'It reads no table; it draws from a sequence.',
  invariants: 'It reads everything, intentionally, on its own connection.',
  'count-sealed-secrets': 'It reads all endpoints, once when a process starts.',
  'turn-event-tables':
    'A job: it reads clients until it finds one whose events of the older table have not all expired.',
  'find-migrations-table': 'It reads no table.',
  'list-missing-migrations': 'Its table has one row for each migration.',
  'list-missing-functions': 'Its table has one row for each file of functions.',
  'send-hint': 'It reads no table; it notifies.',
  'claim-jobs': 'Its table has one row for each periodic job.',
  'end-job': 'Its table has one row for each periodic job.',
  'waiting-jobs': 'Its table has one row for each periodic job.',
}

export const casesFor = (sample: Sample): [name: string, ExplainCase][] =>
  [
    cartCases(sample),
    catalogueCases(sample),
    orderCases(sample),
    operatorOrderCases(sample),
    operatorCases(sample),
    importCases(sample),
    webhookCases(sample),
    feedEndpointCases,
    workerCases,
  ].flatMap((cases: ExplainCases) => Object.entries(cases))
