/**
 * Writes the files generated from the code: `openapi.json`, `operator-openapi.json`, the types and tables of `client/`
 * (`renderClient`), three pages in `docs/reference/`, the SQL parts that follow from the lists of fields
 * (`renderSqlParts`), and the script of the reference page. With `--check` it writes nothing, names the stale files and
 * exits with 1 if there are any.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { openApi } from './api.ts'
import { openMainDatabase } from './connection.ts'
import { readConfig, settings } from '../config.ts'
import { renderSqlParts } from '../events/render-sql-parts.ts'
import { makeLogger } from '../log.ts'
import { renderClient } from '../reference/render-client.ts'
import { renderConfigurationPage } from '../reference/render-configuration.ts'
import { renderErrorsPage } from '../reference/render-errors.ts'
import { renderEventTypesPage } from '../reference/render-event-types.ts'
import { renderOpenapi } from '../reference/render-openapi.ts'
import { isScalarScriptFresh, storeScalarScript } from '../reference/scalar-script.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export async function generate(options: readonly string[]): Promise<void> {
  const documents = await openapi()
  const files: Record<string, string> = {
    ...documents,
    ...renderClient(documents),
    'docs/reference/errors.md': renderErrorsPage(),
    'docs/reference/event-types.md': renderEventTypesPage(),
    'docs/reference/configuration.md': renderConfigurationPage(Object.values(settings)),
    ...renderSqlParts(),
  }
  const isCheck = options.includes('--check')
  for (const [name, text] of Object.entries(files)) {
    if (!isCheck) writeFileSync(root + name, text)
    else if (read(root + name) !== text) reportStale(name)
  }
  if (await isScalarScriptFresh()) return
  if (isCheck) reportStale("The reference page's script")
  else await storeScalarScript()
}

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
