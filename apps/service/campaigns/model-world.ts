/** Separate data for each random sequence: items, stocks, a price list and four clients, all with new ids. */
import { digestOf, makeApiKey } from '../src/identity/authenticate.ts'
import { scopes } from '../src/identity/actor.ts'
import type { TestService } from '../src/testing/service.ts'

export interface ModelClient {
  readonly client_id: number
  readonly contact_id: number
  readonly key: string
  /** The default contract (20% tax included) and a limited one (limit 100, 10% discount, 7% tax added). */
  readonly contracts: readonly [number, number]
  /** In the order in which they are preferred. */
  readonly stocks: readonly number[]
}

export interface ModelWorld {
  readonly items: readonly [number, number, number]
  readonly stocks: readonly [number, number]
  readonly price_list_id: number
  readonly clients: readonly ModelClient[]
}

let worlds = 0

export async function makeModelWorld({ sql }: TestService): Promise<ModelWorld> {
  const base = 1_000_000 + 100 * worlds++
  const clients = Array.from({ length: 4 }, (_, i): ModelClient => {
    const id = base + 10 * i
    const stocks = i === 1 ? [base + 2, base + 1] : [base + 1, base + 2]
    return { client_id: id, contact_id: id + 1, key: makeApiKey(id), contracts: [id + 2, id + 3], stocks }
  })
  await sql(
    `with items as (
       insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title)
       select $1 + n, 11, 1, 'M-' || $1 + n, '2000000000000', 'Model part ' || n from generate_series(1, 3) n),
     list as (insert into price_lists (price_list_id, price_list_name, currency_code) values ($1, 'Model', 'EUR')),
     prices as (insert into prices select $1, $1 + n, p from (values (1, 10), (2, 33.3333), (3, 0.005)) v (n, p)),
     stocks as (insert into stocks (stock_id, stock_name) select $1 + n, 'Stock ' || n from generate_series(1, 2) n),
     levels as (
       insert into stock_levels (stock_id, item_id, on_hand, back_order)
       select $1 + s, $1 + i, h, b
       from (values (1, 1, 24, false), (1, 2, 8, false), (1, 3, 0, true), (2, 1, 8, false)) v (s, i, h, b)),
     clients as (insert into clients (client_id, client_name) select c, 'Client' from unnest($2::bigint[]) c),
     contacts as (
       insert into contacts (client_id, contact_id, contact_name)
       select c, c + 1, 'Contact' from unnest($2::bigint[]) c),
     served as (
       insert into client_stocks select c, $1 + n, case when c = $1 + 10 then -n else n end
       from unnest($2::bigint[]) c, generate_series(1, 2) n),
     contracts as (
       insert into contracts (client_id, contract_id, contract_name, contract_default, contract_limit, price_list_id,
         discount_percent, tax_mode, tax_percent)
       select c, c + 2, 'Default', true, 0, $1, 0, 'included', 20 from unnest($2::bigint[]) c
       union all select c, c + 3, 'Limited', false, 100, $1, 10, 'added', 7 from unnest($2::bigint[]) c)
     insert into api_keys (client_id, key_id, contact_id, digest, scopes)
     select c, c, c + 1, d, $4 from unnest($2::bigint[], $3::bytea[]) k (c, d)`,
    [base, clients.map(({ client_id }) => client_id), clients.map(({ key }) => digestOf(key)), [...scopes]],
  )
  return {
    items: [base + 1, base + 2, base + 3],
    stocks: [base + 1, base + 2],
    price_list_id: base,
    clients,
  }
}
