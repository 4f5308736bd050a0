import {
  openDatabase as open,
  type ConnectionState,
  type Database,
  type DatabaseSettings,
} from 'pg-statements/database.ts'
import { Counter, Gauge, Histogram } from 'prom-client'

const statementSeconds = new Histogram({
  name: 'parts_statement_duration_seconds',
  help: 'Time from sending a statement to its answer, by statement and outcome.',
  labelNames: ['statement', 'outcome'],
  buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5],
})
const replaced = new Counter({
  name: 'parts_database_connections_replaced_total',
  help: 'Connections to PostgreSQL that were closed, by reason (age, idle, lost, read-only, server, silent).',
  labelNames: ['reason'],
})
const databases = new Set<Database>()
let lost = 0

/** How many connections of this process were closed for another reason than their age: the server may be another one. */
export const lostConnections = (): number => lost

const gauges = {
  open: ['parts_database_connections', 'Open connections to PostgreSQL.'],
  busy: ['parts_database_connections_busy', 'Connections to PostgreSQL with a statement in flight.'],
  stuck: [
    'parts_database_connections_stuck',
    'Connections to PostgreSQL whose statement has been running for more than 50 ms, for example because it waits for a lock.',
  ],
  queued: ['parts_statements_queued', 'Statements that wait for a connection to PostgreSQL.'],
} satisfies Record<keyof ConnectionState, readonly [name: string, help: string]>

for (const key of ['open', 'busy', 'stuck', 'queued'] as const) addGauge(key)

/** It shows the sum over all databases of this process. */
function addGauge(key: keyof ConnectionState): Gauge {
  const [name, help] = gauges[key]
  return new Gauge({
    name,
    help,
    collect() {
      this.set([...databases].reduce((sum, database) => sum + database.state()[key], 0))
    },
  })
}

type Opened = Omit<DatabaseSettings, 'onStatement' | 'onReplaced'> & {
  /** Called after each change, with the name of its statement. */
  readonly onChange?: (statement: string) => void
}

/** A database whose statements are measured. Connections are opened when the first statements are sent. */
export function openDatabase({ onChange, ...settings }: Opened): Database {
  const database = open({
    ...settings,
    onStatement: ({ statement, reads, outcome, seconds }) => {
      statementSeconds.observe({ statement, outcome }, seconds)
      if (!reads && outcome === 'done') onChange?.(statement)
    },
    onReplaced: (reason) => {
      replaced.inc({ reason })
      if (reason !== 'age' && reason !== 'idle') lost++
    },
  })
  databases.add(database)
  return database
}
