/** Every statement of the service with realistic values and the effect that it must have. */
import { catalogueExplainCases } from './cases-catalogue.ts'
import { catalogueOperatorExplainCases, importExplainCases } from './cases-imports.ts'
import { cartExplainCases } from './cases-carts.ts'
import { correctionExplainCases } from './cases-corrections.ts'
import { operatorExplainCases } from './cases-operators.ts'
import { orderExplainCases } from './cases-orders.ts'
import { webhookExplainCases } from './cases-webhooks.ts'
import { workerExplainCases } from './cases-worker.ts'
import type { ExplainCase } from './explain-case.ts'
import type { SampledValues } from './sample.ts'

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
  'claim-jobs': 'Its table has one row for each periodic job.',
  'end-job': 'Its table has one row for each periodic job.',
  'waiting-jobs': 'Its table has one row for each periodic job.',
}

export const casesFor = (sample: SampledValues): ExplainCase[] => [
  ...catalogueExplainCases(sample),
  ...cartExplainCases(sample),
  ...orderExplainCases(sample),
  ...operatorExplainCases(sample),
  ...correctionExplainCases(sample),
  ...catalogueOperatorExplainCases(sample),
  ...importExplainCases(sample),
  ...webhookExplainCases(sample),
  ...workerExplainCases,
]
