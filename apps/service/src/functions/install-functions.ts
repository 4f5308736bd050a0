import type pg from 'pg'
import { runInTransaction, type Say } from '../migrations/apply-migration.ts'
import { readFunctions, type FunctionFile } from './function-files.ts'

/**
 * Installs the functions whose files differ from what is installed. Processes of the version before may be running, and
 * they call what has the same name and arguments: it has to do what they expect. Otherwise it gets another name
 * (`place_order_2`), and a migration of the next release drops the old one.
 */
export async function installFunctions(client: pg.Client, dir: string, say: Say): Promise<void> {
  const changed = await changedOf(client, readFunctions(dir))
  if (changed.length === 0) return
  const text = `set local check_function_bodies = off;\n${changed.map((file) => file.text).join('\n')}`
  await runInTransaction(client, { name: 'Installing functions', text, record: () => record(client, changed) }, say)
  say(`Installed functions: ${changed.map(({ file }) => file.slice(0, -'.sql'.length)).join(', ')}.`)
}

async function changedOf(client: pg.Client, files: readonly FunctionFile[]): Promise<FunctionFile[]> {
  const { rows } = await client.query<FunctionFile>('select file, digest from installed_functions')
  const installed = new Map(rows.map(({ file, digest }) => [file, digest]))
  return files.filter(({ file, digest }) => installed.get(file) !== digest)
}

const record = (client: pg.Client, files: readonly FunctionFile[]): Promise<unknown> =>
  client.query(
    `insert into installed_functions (file, digest) select * from unnest($1::text[], $2::text[])
     on conflict (file) do update set digest = excluded.digest, installed_at = now()`,
    [files.map(({ file }) => file), files.map(({ digest }) => digest)],
  )
