/** Writes the files generated from the code: `openapi.json` and the pages in `docs/reference/`. `--check` reports stale ones instead. */
import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { makeApp } from '../app.ts'
import { readConfig, settings } from '../config.ts'
import { renderSqlParts } from '../events/render-sql-parts.ts'
import { errorCodeChapters, errorCodeTable } from '../reference/render-errors.ts'
import { eventTypeChapters, eventTypeTable } from '../reference/render-event-types.ts'
import { makeLogger } from '../log.ts'
import { openDatabase } from 'pg-statements/database.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export async function generate(options: readonly string[]): Promise<void> {
  const files = {
    'openapi.json': await openapi(),
    'docs/reference/errors.md': errors(),
    'docs/reference/event-types.md': eventTypes(),
    'docs/reference/configuration.md': configuration(),
    ...renderSqlParts(),
  }
  for (const [name, text] of Object.entries(files)) {
    if (!options.includes('--check')) writeFileSync(root + name, text)
    else if (read(root + name) !== text) {
      process.stderr.write(`${name} is stale: run npm run generate.\n`)
      process.exitCode = 1
    }
  }
}

/** No connection is made: the pool opens one only when a statement is sent. */
async function openapi(): Promise<string> {
  const config = readConfig({ DATABASE_URL: 'postgres://nowhere/none' })
  const db = openDatabase({ ...config, url: config.databaseUrl })
  const app = await makeApp(db, config, makeLogger('silent'))
  await app.ready()
  const text = `${JSON.stringify(app.swagger(), null, 2)}\n`
  await app.close()
  await db.close()
  return text
}

function errors(): string {
  return `# Error codes

Generated from \`service/src/refusals.ts\` by \`npm run generate\`.

A failure answers with \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`. Branch on \`code\`: it never changes its meaning.
\`details\` carries the figures, \`field\` the field to blame, \`message\` a sentence for people.

${errorCodeTable()}

${errorCodeChapters()}
`
}

function eventTypes(): string {
  return `# Types of events

Generated from \`service/src/events/event-types.ts\` by \`npm run generate\`. How to read them: [react-to-changes.md](../how-to/integrator/react-to-changes.md).

An event is \`{event_number, event_type, event_datetime, order_id, data}\`. There will be more types: pass over those that you do not know.

${eventTypeTable()}

${eventTypeChapters()}
`
}

function configuration(): string {
  const rows = Object.values(settings).map(
    ({ variable, meaning, standard }) =>
      `| \`${variable}\` | ${standard === undefined ? 'required' : `\`${standard}\``} | ${meaning} |`,
  )
  return `# Configuration

Generated from \`service/src/config.ts\` by \`npm run generate\`.

All settings come from the environment. Wrong ones are reported all at once, before anything starts.

| variable | standard | meaning |
|---|---|---|
${rows.join('\n')}
`
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
