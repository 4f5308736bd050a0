/** Rows and bytes of every table and index. */
import type { Client } from 'pg'

export interface TableSize {
  readonly rows: number
  /** With TOAST and the maps of free space and visibility. */
  readonly heap: number
  readonly indexes: number
}

export type TableSizes = Readonly<Record<string, TableSize>>

export async function readTableSizes(session: Client): Promise<TableSizes> {
  const { rows: tables } = await session.query<{ name: string; heap: number; indexes: number }>(`
    select oid::regclass::text as name, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
    from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`)
  const sizes: Record<string, TableSize> = {}
  for (const { name, heap, indexes } of tables) {
    const { rows } = await session.query<{ rows: number }>(`select count(*)::float8 as rows from ${name}`)
    sizes[name] = { rows: rows[0]?.rows ?? 0, heap, indexes }
  }
  return sizes
}

export interface IndexSize {
  readonly index: string
  readonly table: string
  readonly bytes: number
}

export async function readIndexSizes(session: Client): Promise<IndexSize[]> {
  const { rows } = await session.query<IndexSize>(`
    select i.indexrelid::regclass::text as index, i.indrelid::regclass::text as table,
      pg_relation_size(i.indexrelid)::float8 as bytes
    from pg_index i join pg_class c on c.oid = i.indrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`)
  return rows
}

export interface Updates {
  readonly table: string
  readonly updates: number
  readonly hot: number
}

/** Since the statistics were reset. A heap-only update (HOT) writes no index. */
export async function readUpdates(session: Client): Promise<Updates[]> {
  const { rows } = await session.query<Updates>(`
    select relid::regclass::text as table, n_tup_upd::float8 as updates, n_tup_hot_upd::float8 as hot
    from pg_stat_user_tables where schemaname = 'public' order by 1`)
  return rows
}
