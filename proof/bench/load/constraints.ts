/**
 * Drops indexes and foreign keys while millions of rows are inserted: building an index at the end is several times
 * faster than filling it row by row. The definitions are read from PostgreSQL's catalogue, so the restored indexes are
 * those of the migrations.
 */
import type pg from 'pg'

export interface Definition {
  readonly table: string
  readonly name: string
  readonly kind: 'foreign key' | 'key' | 'index'
  readonly restore: string
}

/** Tables that grow only with clients keep their indexes: they are small and are joined while loading. */
const large = new Set([
  'items', 'products', 'item_words', 'prices', 'stock_levels',
  'orders', 'order_items', 'order_history', 'shipments', 'shipment_lines', 'adjustments', 'events', 'events_before', 'cart_items',
]) // prettier-ignore

export async function dropForLoading(client: pg.Client): Promise<Definition[]> {
  const definitions = await readDefinitions(client)
  const dropped = definitions.filter(({ table, kind }) => kind === 'foreign key' || large.has(table))
  for (const { table, name, kind } of dropped) {
    await client.query(kind === 'index' ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`)
  }
  return dropped
}

/** Foreign keys come first: they depend on the keys that they reference. They are restored last. */
export async function readDefinitions(client: pg.Client): Promise<Definition[]> {
  const { rows } = await client.query<Definition>(`
    select c.conrelid::regclass::text as table, quote_ident(c.conname) as name,
      case c.contype when 'f' then 'foreign key' else 'key' end as kind,
      format('alter table %s add constraint %I %s', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid))
        as restore
    from pg_constraint c
    where c.contype in ('f', 'p', 'u') and c.connamespace = 'public'::regnamespace
    union all
    select i.indrelid::regclass::text, i.indexrelid::regclass::text, 'index', pg_get_indexdef(i.indexrelid)
    from pg_index i
    join pg_class t on t.oid = i.indrelid
    where t.relnamespace = 'public'::regnamespace
      and not exists (select 1 from pg_constraint c where c.conindid = i.indexrelid and c.contype in ('p', 'u', 'x'))
    order by kind, 1, 2`)
  return rows
}
