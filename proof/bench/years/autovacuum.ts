/**
 * What autovacuum would do: two years pass in minutes, but autovacuum looks once a minute. So each simulated day ends
 * with a `vacuum` of the tables that are over the thresholds of the server's settings and their own.
 */
import type { Client } from 'pg'

export interface Vacuums {
  /** How often each table was vacuumed. */
  readonly count: Map<string, number>
}

export async function vacuumAsAutovacuum(session: Client, { count }: Vacuums): Promise<void> {
  const { rows } = await session.query<Due>(dueSql)
  for (const { name, owner, is_vacuum_due, is_analyze_due } of rows) {
    if (is_vacuum_due) count.set(owner, (count.get(owner) ?? 0) + 1)
    if (is_vacuum_due) await session.query(`vacuum (process_toast false) ${name}`)
    if (is_analyze_due) await session.query(`analyze ${name}`)
  }
}

interface Due {
  readonly name: string
  /** The table itself, or that of a TOAST table. */
  readonly owner: string
  readonly is_vacuum_due: boolean
  readonly is_analyze_due: boolean
}

const setting = (name: string): string =>
  `coalesce((select option_value from pg_options_to_table(options) where option_name = '${name}'),
      current_setting('${name}'))::float8`

/**
 * The rule is in the PostgreSQL manual, chapter "Routine vacuuming". An insert threshold of -1 turns that part off. TOAST
 * tables are counted on their own, with the settings of their tables unless they have others, and are never analysed.
 */
const dueSql = `
  select * from (
    select t.relid::regclass::text as name, t.owner::regclass::text as owner,
      s.n_dead_tup > ${setting('autovacuum_vacuum_threshold')}
          + ${setting('autovacuum_vacuum_scale_factor')} * reltuples
        or ${setting('autovacuum_vacuum_insert_threshold')} >= 0
          and s.n_ins_since_vacuum > ${setting('autovacuum_vacuum_insert_threshold')}
            + ${setting('autovacuum_vacuum_insert_scale_factor')} * reltuples as is_vacuum_due,
      t.relid = t.owner and s.n_mod_since_analyze > ${setting('autovacuum_analyze_threshold')}
        + ${setting('autovacuum_analyze_scale_factor')} * reltuples as is_analyze_due
    from (
      select oid as relid, oid as owner, greatest(reltuples, 0) as reltuples, reloptions as options from pg_class
      where relnamespace = 'public'::regnamespace and relkind = 'r'
      union all
      select o.oid, c.oid, greatest(o.reltuples, 0), coalesce(o.reloptions, c.reloptions)
      from pg_class c join pg_class o on o.oid = c.reltoastrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'
    ) t
    join pg_stat_all_tables s on s.relid = t.relid
  ) d
  where is_vacuum_due or is_analyze_due
  order by 1`

const settingsOfTables = `
  select c.oid::regclass::text as table, o.option_name as name
  from pg_class c cross join lateral pg_options_to_table(c.reloptions) o
  where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and o.option_name like 'autovacuum%'`

/** Leaves every table to the server's settings, to see what the settings of the tables are good for. */
export async function resetAutovacuumSettings(session: Client): Promise<void> {
  const { rows } = await session.query<{ table: string; name: string }>(settingsOfTables)
  for (const { table, name } of rows) await session.query(`alter table ${table} reset (${name})`)
}
