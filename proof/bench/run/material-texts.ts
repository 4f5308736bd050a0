/** Article numbers and words of the loaded data, drawn at random. */
import type { Client } from 'pg'
import { workers, type Material, type Supply } from './operation.ts'

const draws = workers * 100
const hold = 50 // Consecutive operations with the same text: the look-up is then a fiftieth of the round trips.

/** Article numbers that a client has ordered. */
export const articles: Supply = {
  perSecond: 1,
  make: ({ session, sizes: { orders }, numbers: { spread = 1 } }) =>
    drawn(
      session,
      ['client_id', 'sku_code'],
      // `system` samples whole pages of about 50 lines; drawing from four times the number needed spreads them enough.
      `select client_id, item_vendor_code as sku_code
       from order_items tablesample system (${Math.min(100, (100 * draws * spread * 4) / (orders * 5))})
       where (client_id - 1) / 10 % ${spread} = 0`,
    ),
}

/** The first word of a title and the model that it names. Of twenty items with the model, one or two have both words. */
export const searches: Supply = {
  perSecond: 1,
  make: ({ session, sizes: { items }, numbers: { active, spread } }) =>
    drawn(
      session,
      ['client_id', 'words', 'search'],
      `select place / 10 * ${spread} * 10 + place % 10 + 1 as client_id,
         '{' || word || ',' || model || '}' as words, word || '+' || model as search
       from (
         select floor(random() * ${active})::bigint as place, split_part(item_title, ' ', 1) as word,
           substring(item_title from ' (m[0-9]{6}) ') as model
         from items tablesample system (${Math.min(100, (100 * draws * 4) / items)})
       ) i`,
    ),
}

async function drawn(session: Client, columns: readonly string[], from: string): Promise<Material> {
  await session.query('drop table if exists bench_run.draws')
  await session.query(`
    create unlogged table bench_run.draws as
    select row_number() over () - 1 as n, f.* from (select * from (${from}) f order by random() limit ${draws}) f`)
  await session.query('alter table bench_run.draws add primary key (n)')
  const { rows } = await session.query<{ rows: number }>('select count(*)::float8 as rows from bench_run.draws')
  return {
    numbers: { draws: rows[0]?.rows ?? 0 },
    draws: { hold, columns },
    enoughFor: Infinity,
    clear: async () => undefined,
  }
}
