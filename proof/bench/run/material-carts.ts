/** Carts to fill, and filled cart groups to order. They are removed after the measurement. */
import type { Client } from 'pg'
import type { Bench, Supply } from './operation.ts'
import { workers } from './operation.ts'
import { digestsSql, termsDigestSql } from '../cart-group-digests.ts'
import { linesPerCartMax } from '../../../apps/service/src/carts/cart.ts'

export const cartName = 'bench run'

/** An empty cart for each client. */
export const emptyCarts: Supply = {
  perSecond: 1,
  make: async ({ session, numbers: { active = 0, spread } }) => {
    const first_cart = await reserve(session, 'carts', 'cart_id', active)
    await session.query(
      `${countingCarts} insert into carts (client_id, cart_id, cart_name)
       select n / 10 * $4 * 10 + n % 10 + 1, $1 + n, $3 from generate_series(0, $2::bigint - 1) n ${counted}`,
      [first_cart, active, cartName, spread],
    )
    return {
      numbers: { first_cart },
      enoughFor: Infinity,
      // Each operation adds one piece, to a new or an existing line.
      effects: () =>
        queryCount(
          session,
          `select sum(l.quantity) as count from carts k join cart_groups g using (client_id, cart_id)
           join cart_items l using (client_id, cart_group_id) where k.cart_name = $1`,
          [cartName],
        ),
      clear: () => clearCarts(session),
    }
  },
}

const hold = 10 // Consecutive orders with equal lines: looking up their digests is then a hundredth of the work.

export interface Goods {
  readonly lines: number
  /** Every group has the same items from the same stock. */
  readonly hot: boolean
}

/** Groups with this number of lines, in blocks of `hold`, with the digests of each block's lines, prices and terms. */
export function filledGroups(goods: Goods, perSecond: number): Supply {
  const make: Supply['make'] = async (bench, operations) => {
    const { session } = bench
    const blocks = Math.ceil(operations / hold / workers) * workers // The same number for each worker.
    const first_group = await reserve(session, 'cart_groups', 'cart_group_id', blocks * hold)
    await fillLines(bench, { ...goods, blocks, seed: first_group })
    await fillGroups(bench, { ...goods, blocks, first_group })
    return {
      numbers: { first_group, draws: blocks },
      draws: { hold, columns: ['shown_lines', 'shown_prices', 'shown_terms'] },
      enoughFor: blocks * hold,
      effects: () =>
        queryCount(session, 'select count(*) from orders where cart_group_id between $1 and $2', [
          first_group,
          first_group + blocks * hold - 1,
        ]),
      clear: () => clearCarts(session),
    }
  }
  return { perSecond, make }
}

/** The lines of each block and their digests, computed as in place_order.sql. Every third client has the same terms. */
async function fillLines(
  { session, numbers: { bench_items, bench_item_step } }: Bench,
  { blocks, lines, hot, seed }: Goods & { blocks: number; seed: number },
): Promise<void> {
  const start = hot ? '0' : `(hashint8extended(b, ${seed}) & 1073741823)`
  await session.query('drop table if exists bench_run.lines, bench_run.draws')
  // 337 is a prime that divides no number of items used here, so a block has no item twice.
  await session.query(`
    create unlogged table bench_run.lines as
    select b as block, i.item_id, 1 + n % 3 as quantity, p.price
    from generate_series(0, ${blocks} - 1) b
    cross join generate_series(0, ${lines} - 1) n
    cross join lateral (select ${bench_item_step} * (1 + (${start} + n * 337) % ${bench_items}) as item_id) i
    join contracts c on c.client_id = 1 + b % 3 and c.contract_id = c.client_id * 2 - (3 - c.client_id % 3) / 3
    join prices p on p.price_list_id = c.price_list_id and p.item_id = i.item_id`)
  await session.query(`
    create unlogged table bench_run.draws as
    select d.n, d.lines_digest as shown_lines, d.prices_digest as shown_prices, t.terms_digest as shown_terms
    from (
      select block as n,
        ${digestsSql}
      from bench_run.lines l group by block
    ) d
    cross join lateral (
      select ${termsDigestSql}
      from contracts c
      join price_lists r using (price_list_id)
      join currencies u using (currency_code)
      where c.client_id = 1 + d.n % 3 and c.contract_id = c.client_id * 2 - (3 - c.client_id % 3) / 3
    ) t`)
  await session.query('alter table bench_run.draws add primary key (n)')
  await session.query('analyze bench_run.lines')
}

async function fillGroups(
  { session, sizes: { clients }, numbers: { active_threes, spread } }: Bench,
  { blocks, lines, hot, first_group }: Goods & { blocks: number; first_group: number },
): Promise<void> {
  const groupsPerCart = Math.floor(linesPerCartMax / lines)
  const first_cart = await reserve(session, 'carts', 'cart_id', 0)
  await session.query('drop table if exists bench_run.groups')
  await session.query(`
    create unlogged table bench_run.groups as
    select block, client_id, cart_group_id, ordinal,
      ${first_cart} + client_id + ${clients} * ((ordinal - 1) / ${groupsPerCart}) as cart_id
    from (
      select *, row_number() over (partition by client_id order by cart_group_id) as ordinal
      from generate_series(0, ${blocks * hold} - 1) n
      cross join lateral (
        select n / ${hold} as block, ${first_group} + n as cart_group_id,
          (n / ${hold} / 3 + n % ${hold} * 331) % ${active_threes} * 3 + n / ${hold} % 3 as active_place
      ) g
      cross join lateral (select active_place / 10 * ${spread} * 10 + active_place % 10 + 1 as client_id) c
    ) g`)
  await session.query(
    `${countingCarts} insert into carts (client_id, cart_id, cart_name, line_count)
     select client_id, cart_id, $1, count(*) * $2 from bench_run.groups group by client_id, cart_id ${counted}`,
    [cartName, lines],
  )
  await session.query(`select setval(pg_get_serial_sequence('carts', 'cart_id'), max(cart_id)) from bench_run.groups`)
  await session.query(`
    insert into cart_groups (client_id, cart_group_id, cart_id, stock_id, contract_id, advertising)
    select client_id, cart_group_id, cart_id, ${hot ? '1' : 'client_id % 3 + 1'},
      client_id * 2 - (3 - client_id % 3) / 3, 'Bench ' || ordinal
    from bench_run.groups`)
  await session.query(`
    insert into cart_items (client_id, cart_group_id, item_id, quantity, last_price)
    select g.client_id, g.cart_group_id, l.item_id, l.quantity, l.price
    from bench_run.groups g join bench_run.lines l using (block)
    order by g.cart_group_id, l.item_id`)
}

/** Wrapped around an insert of carts: updates the cart count of their clients. */
const countingCarts = 'with made as ('
const counted = `returning client_id)
  update clients c set cart_count = c.cart_count + m.carts
  from (select client_id, count(*)::integer as carts from made group by client_id) m where m.client_id = c.client_id`

/** Removes the carts of this and of any aborted run. */
export async function clearCarts(session: Client): Promise<void> {
  await session.query(
    `with gone as (delete from carts where cart_name = $1 returning client_id)
     update clients c set cart_count = c.cart_count - g.carts
     from (select client_id, count(*)::integer as carts from gone group by client_id) g
     where g.client_id = c.client_id`,
    [cartName],
  )
}

export async function queryCount(session: Client, text: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await session.query<{ count: string | null }>(text, [...values])
  return Number(rows[0]?.count ?? 0)
}

/** Reserves consecutive ids and returns the first one. */
export async function reserve(session: Client, table: string, column: string, ids: number): Promise<number> {
  const sequence = `pg_get_serial_sequence('${table}', '${column}')`
  return queryCount(session, `select setval(${sequence}, nextval(${sequence}) + $1) - $1 as count`, [ids])
}
