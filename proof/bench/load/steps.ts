/** The steps of a load, in order. Tasks of a step run concurrently; the next step starts when all of them are done. */
import type { Client } from 'pg'
import { digestOf } from '../../../apps/service/src/identity/authenticate.ts'
import { scopes } from '../../../apps/service/src/identity/actor.ts'
import { benchKey } from './bench-keys.ts'
import type { Definition } from './constraints.ts'
import { prepareSql, readSql, type Task } from './sessions.ts'
import type { Sizes } from './sizes.ts'

export interface LoadStep {
  readonly name: string
  readonly total: number
  /** Tasks do not run concurrently. */
  readonly oneByOne?: true
  /** Each returns its share of the total. */
  readonly tasks: readonly Task[]
}

export function stepsFor(sizes: Sizes, dropped: readonly Definition[], tables: readonly string[]): LoadStep[] {
  const { orders, clients, items } = sizes
  const sql = (name: string): LoadStep => once(name, readSql(name, sizes))
  const batches = (name: string, total: number, batch: number): LoadStep => {
    const fill = prepareSql(name)
    const tasks = Array.from({ length: Math.ceil(total / batch) }, (_, n): Task => async (session) => {
      const from = n * batch + 1
      const to = Math.min(total, from + batch - 1)
      await session.query(fill({ ...sizes, from, to }))
      return to - from + 1
    })
    return { name, total, tasks }
  }
  const restored = (name: string, chosen: (definition: Definition) => boolean): LoadStep => ({
    ...once(name, ...dropped.filter(chosen).map(({ restore }) => restore)),
    oneByOne: true, // Foreign keys lock two tables, and PostgreSQL builds one index with both cores.
  })

  return [
    sql('reference'),
    batches('products', Math.ceil(items / 2), 50_000),
    batches('items', items, 20_000),
    batches('item-words', items, 20_000),
    batches('prices', items, 50_000),
    once('analyze catalogue', 'analyze items', 'analyze products', 'analyze prices'),
    sql('offers'),
    once('index offers', 'alter table bench_load.offers add primary key (item_id)'),
    once('analyze offers', 'analyze bench_load.offers'),
    sql('plan'),
    once(
      'index plan',
      'alter table bench_load.orders add primary key (order_id)',
      'create index on bench_load.orders (client_id, last_event)',
    ),
    once('analyze plan', 'analyze bench_load.orders'),
    batches('clients', clients, 1_000),
    keys(clients),
    batches('webhooks', clients, 1_000),
    once('analyze clients', 'analyze contracts', 'analyze clients'),
    batches('orders', orders, 5_000),
    sql('held'),
    once('index held', 'alter table bench_load.held add primary key (stock_id, item_id)'),
    once('analyze held', 'analyze bench_load.held'),
    batches('stock-levels', items, 50_000),
    sql('exposure'),
    batches('carts', clients, 500),
    restored('indexes', ({ kind }) => kind !== 'foreign key'),
    once('vacuum', ...tables.map((table) => `vacuum (analyze) ${table}`)),
    restored('foreign keys', ({ kind }) => kind === 'foreign key'),
    sql('sequences'),
  ]
}

/** A step without batches: statements that may run concurrently. */
function once(name: string, ...texts: string[]): LoadStep {
  const tasks = texts.map((text) => async (session: Client): Promise<number> => {
    await session.query(text)
    return 1
  })
  return { name, total: texts.length, tasks }
}

function keys(clients: number): LoadStep {
  const ids = Array.from({ length: clients }, (_, n) => n + 1)
  const task: Task = async (session) => {
    await session.query(
      `insert into api_keys (client_id, key_id, contact_id, digest, scopes, changed_at)
       select k.id, k.id, k.id * 2 - 1, k.digest, $3, now() - interval '1 day'
       from unnest($1::bigint[], $2::bytea[]) as k (id, digest)`,
      [ids, ids.map((id) => digestOf(benchKey(id))), scopes],
    )
    return clients
  }
  return { name: 'keys', total: clients, tasks: [task] }
}
