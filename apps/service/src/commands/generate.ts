/**
 * Writes the files generated from the code: `openapi.json`, `operator-openapi.json`, the types and tables of `packages/client/`
 * (`renderClient`), five pages in `docs/reference/`, and the dashboard. With `--check` it writes nothing, names the stale files and exits with 1 if there are any.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { renderDashboard } from '../../../../deploy/grafana/dashboard.ts'
import { postgresMetrics } from '../../../../deploy/prometheus/postgres-metrics.ts'
import { operatorSideRoutes, type FeatureParts } from '../app.ts'
import { openApi } from './api.ts'
import type { CommandOptions } from './command-options.ts'
import { openMainDatabase } from './connection.ts'
import { readConfig, secretVariables, settings } from '../config.ts'
import { makeLogger } from '../log.ts'
import { renderClient } from '../reference/render-client.ts'
import { renderConfigurationPage } from '../reference/render-configuration.ts'
import { register } from 'prom-client'
import { renderMetricsPage } from '../reference/render-metrics.ts'
import { renderErrorsPage } from '../reference/render-errors.ts'
import { renderEventTypesPage } from '../reference/render-event-types.ts'
import { renderTracesPage } from '../reference/render-traces.ts'
import { renderOpenapi } from '../reference/render-openapi.ts'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

export async function generate({ check }: CommandOptions): Promise<void> {
  const isCheck = check === true
  const documents = await openapi()
  const files: Record<string, string> = {
    ...documents,
    ...renderClient(documents),
    'docs/reference/errors.md': renderErrorsPage(),
    'docs/reference/event-types.md': renderEventTypesPage(),
    'docs/reference/configuration.md': renderConfigurationPage(Object.values(settings), secretVariables),
    'docs/reference/traces.md': renderTracesPage(
      operatorSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts),
    ),
    'docs/reference/metrics.md': await metricsPage(),
    'deploy/grafana/dashboard.json': renderDashboard(),
  }
  for (const [name, text] of Object.entries(files)) {
    if (!isCheck) write(root + name, text)
    else if (read(root + name) !== text) reportStale(name)
  }
}

function write(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}

/** Loading a command registers the metrics of its process. The API is loaded here already. */
async function metricsPage(): Promise<string> {
  const ofApi = new Set(register.getMetricsAsArray().map(({ name }) => name))
  await import('./worker.ts')
  const metrics = register.getMetricsAsArray().map((metric) => {
    const { name, help, labelNames = [] } = metric as typeof metric & { labelNames?: string[] }
    const processes = !ofApi.has(name) ? 'worker' : ofBoth.test(name) ? 'both' : 'API'
    return { name, help, labelNames, kind: metric.constructor.name.toLowerCase(), processes }
  })
  const ofPostgres = postgresMetrics().map((metric) => ({ ...metric, processes: 'PostgreSQL' }))
  return renderMetricsPage([...metrics, ...ofPostgres])
}

/** Of what both processes have: statements, connections to PostgreSQL, responses, traces, and their version. */
const ofBoth = /^parts_(statement|database_connections|refusals|http_request|trace|build)/

function reportStale(name: string): void {
  process.stderr.write(`${name} is stale: run npm run generate.\n`)
  process.exitCode = 1
}

/** Nothing listens at this address, and nothing connects to it: a connection is opened when the first statement is sent. */
async function openapi(): Promise<Record<string, string>> {
  const config = readConfig({ DATABASE_URL: 'postgres://nowhere/none' })
  await using opened = new AsyncDisposableStack()
  const db = openMainDatabase(config)
  opened.defer(() => db.close())
  return await renderOpenapi(await openApi(db, config, makeLogger('silent'), opened))
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
