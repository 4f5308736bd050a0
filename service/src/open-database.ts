import { openDatabase as open, type Database, type DatabaseSettings } from 'pg-statements/database.ts'
import { Histogram } from 'prom-client'

const statementSeconds = new Histogram({
  name: 'parts_statement_duration_seconds',
  help: 'Time from sending a statement to its answer, by statement and outcome.',
  labelNames: ['statement', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})

/** A database whose statements are measured. Connections are opened when the first statements are sent. */
export function openDatabase(settings: Omit<DatabaseSettings, 'onStatement'>): Database {
  return open({
    ...settings,
    onStatement: ({ statement, outcome, seconds }) => statementSeconds.observe({ statement, outcome }, seconds),
  })
}
