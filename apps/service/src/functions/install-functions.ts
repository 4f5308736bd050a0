import type pg from 'pg'
import { runInTransaction, type Say } from '../migrations/apply-migration.ts'
import { sqlStatements } from '../migrations/sql-statements.ts'
import { readFunctions, type FunctionFile } from './function-files.ts'

/**
 * Installs the functions whose files differ from what is installed. Processes of the version before may be running, and
 * they call what has the same name and arguments: it has to do what they expect. With another argument, it is installed
 * beside the old one (decision 1).
 */
export async function installFunctions(client: pg.Client, dir: string, say: Say): Promise<void> {
  const changed = await changedOf(client, readFunctions(dir))
  if (changed.length === 0) return
  const texts = []
  for (const file of changed) texts.push(await textFor(client, file))
  const text = `set local check_function_bodies = off;\n${texts.join('\n')}`
  await runInTransaction(client, { name: 'Installing functions', text, record: () => record(client, changed) }, say)
  say(`Installed functions: ${changed.map(({ file }) => file.slice(0, -'.sql'.length)).join(', ')}.`)
}

async function changedOf(client: pg.Client, files: readonly FunctionFile[]): Promise<FunctionFile[]> {
  const { rows } = await client.query<FunctionFile>('select file, digest from installed_functions')
  const installed = new Map(rows.map(({ file, digest }) => [file, digest]))
  return files.filter(({ file, digest }) => installed.get(file) !== digest)
}

/**
 * The file without the views that have our columns and more: those are of a newer version, and PostgreSQL refuses to drop
 * columns from a view. So a version that was rolled back to can install its functions.
 */
async function textFor(client: pg.Client, { text }: FunctionFile): Promise<string> {
  if (!creates.test(text)) return text
  const kept: string[] = []
  for (const statement of sqlStatements(text)) {
    const [view, name] = creates.exec(statement.text) ?? []
    const query = view === undefined ? '' : statement.text.slice(statement.text.indexOf(view) + view.length)
    if (name === undefined || !(await isWider(client, name, query))) kept.push(statement.text)
  }
  return kept.map((one) => `${one};`).join('\n')
}

const creates = /^create or replace view (\w+) as\s/m

async function isWider(client: pg.Client, view: string, query: string): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>('select to_regclass($1) is not null as found', [view])
  if (!rows[0]?.found) return false
  const columnsOf = async (from: string): Promise<string[]> =>
    (await client.query(`select * from ${from} limit 0`)).fields.map(({ name }) => name)
  const [now, ours] = [await columnsOf(view), await columnsOf(`(${query}) ours`)]
  return now.length > ours.length && ours.every((name, place) => now[place] === name)
}

const record = (client: pg.Client, files: readonly FunctionFile[]): Promise<unknown> =>
  client.query(
    `insert into installed_functions (file, digest) select * from unnest($1::text[], $2::text[])
     on conflict (file) do update set digest = excluded.digest, installed_at = now()`,
    [files.map(({ file }) => file), files.map(({ digest }) => digest)],
  )
