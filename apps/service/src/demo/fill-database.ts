/** Fills a database with the demo's data. It never touches other data. */
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { DemoProblem, startFresh } from './demo-problem.ts'
import { migrate } from '../migrate.ts'
import { OlderNumbering } from '../migrations/migration-problem.ts'

const seedSql = ['demo-catalogue.sql', 'demo-clients.sql'].map((name) =>
  readFileSync(new URL(name, import.meta.url), 'utf8'),
)
const mark = 'Filled by the demo of the Parts Ordering Service.'

type Content = 'nothing' | 'empty tables' | 'demo data' | 'other data'

/** Migrates the database and fills it if it is empty. With `fresh`, the data of an earlier demo is dropped first. */
export async function fillDatabase(
  client: pg.Client,
  databaseUrl: string,
  { fresh, say }: { fresh: boolean; say: (step: string) => void },
): Promise<void> {
  let content = await contentOf(client)
  if (content === 'other data') {
    throw new DemoProblem(
      'The database at DATABASE_URL has data that is not from the demo: use a separate database for the demo.',
    )
  }
  if (fresh && content !== 'nothing') {
    say('Deleting the data of the last demo')
    await client.query('drop schema public cascade; create schema public; grant usage on schema public to public')
    content = 'nothing'
  }
  say('Migrating the database')
  await migrate(databaseUrl, () => undefined).catch((error: unknown) => {
    if (error instanceof OlderNumbering) throw new DemoProblem(`The demo's data is of an older version. ${startFresh}`)
    throw error
  })
  if (content === 'demo data') return
  say('Loading a catalogue of 2,000 items and two clients')
  await client.query(['begin', ...seedSql, `comment on table clients is '${mark}'`, 'commit'].join(';\n'))
  await client.query('analyze')
}

/** The mark is on a table, because the migrating role owns it; the schema may belong to another role. */
async function contentOf(client: pg.Client): Promise<Content> {
  const { rows } = await client.query<{ tables: boolean; migrated: boolean; mark: string | null }>(`
    select
      exists (
        select from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f')
      ) as tables,
      to_regclass('public.migrations') is not null
        and to_regclass('public.items') is not null
        and to_regclass('public.clients') is not null as migrated,
      obj_description(to_regclass('public.clients'), 'pg_class') as mark`)
  const [found] = rows
  if (!found?.tables) return 'nothing'
  if (found.mark === mark) return 'demo data'
  if (!found.migrated) return 'other data'
  const used = await client.query<{ used: boolean }>(
    'select exists (select from public.items) or exists (select from public.clients) as used',
  )
  return used.rows[0]?.used ? 'other data' : 'empty tables'
}
