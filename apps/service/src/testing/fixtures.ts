/** A small catalogue with round figures, and clients that order from it. */
import { digestOf, makeApiKey } from '../identity/authenticate.ts'
import { issueClientKey } from '../keys/issue-client-key.ts'
import type { Scope } from '../identity/actor.ts'
import type { TestService } from './service.ts'
import { remarkFields } from '../orders/order-input.ts'

/** Items 1 to 4 are on sale, 5 is not, 6 has no price in list 1. Stock 3 serves no client by default. */
const catalogueSql = `
  insert into brands (brand_id, brand_name) values (1, 'Bremsen Nord'), (2, 'Filterwerk');
  insert into products (product_id, product_name) values
    (11, 'Brake disc 280'), (12, 'Oil filter F2'), (13, 'Spark plug K7');
  insert into items (item_id, product_id, brand_id, item_vendor_code, item_barcode, item_title, on_sale) values
    (1, 11, 1, 'BN-280-V', '4006381333931', 'Brake disc front 280 mm vented', true),
    (2, 12, 2, 'FW-2', '4006381333948', 'Oil filter F2', true),
    (3, 13, 2, 'ЖK-7', '4006381333955', 'Spark plug K7, 4 pieces', true),
    (4, 12, 2, 'FW-2/10', '4006381333962', 'Oil filter F2 spin-on, box of 10', true),
    (5, 11, 1, 'BN-OLD', '4006381333979', 'Brake disc front 256 mm', false),
    (6, 13, 2, 'ЖK-8', '4006381333986', 'Spark plug K8', true);
  insert into item_words
    select distinct word, item_id from items cross join lateral (
      select lower(item_vendor_code)
      union all select item_barcode
      union all select regexp_split_to_table(lower(item_title), '[^[:alnum:]]+')
      union all select trim(',.;:()' from regexp_split_to_table(lower(item_title), '\\s+'))
    ) w (word) where word <> '';
  insert into currencies values ('EUR', 2, 1), ('KWD', 3, 3.05);
  insert into price_lists (price_list_id, price_list_name, currency_code) values
    (1, 'Standard', 'EUR'), (2, 'Special', 'EUR'), (3, 'Kuwait', 'KWD');
  insert into prices values
    (1, 1, 10), (1, 2, 2.5), (1, 3, 0.3333), (1, 4, 19.99), (1, 5, 8), (2, 1, 9), (2, 2, 1000000), (2, 6, 5), (3, 1, 3.0005);
  insert into stocks (stock_id, stock_name, lead_days, closed_weekdays) values
    (1, 'Berlin', 0, '{}'), (2, 'Hamburg', 2, '{6,7}'), (3, 'Riga', 0, '{}');
  insert into stock_levels (stock_id, item_id, on_hand, back_order) values
    (1, 1, 10000, false), (1, 2, 1000000, false), (1, 3, 5, false), (1, 4, 0, true), (1, 6, 10, false),
    (2, 1, 20, false), (2, 2, 20, false), (3, 1, 20, false);
  -- Different ranges, so that a mixed-up id is never valid.
  alter table brands alter column brand_id restart with 101;
  alter table items alter column item_id restart with 1001;
  alter table clients alter column client_id restart with 2001;
  alter table contacts alter column contact_id restart with 3001;
  alter table contracts alter column contract_id restart with 4001;
  alter table carts alter column cart_id restart with 50001;
  alter table cart_groups alter column cart_group_id restart with 60001;
  alter table cart_items alter column cart_item_id restart with 700001;
  alter table orders alter column order_id restart with 80001;
  alter table order_items alter column order_item_id restart with 900001;
  alter table adjustments alter column adjustment_id restart with 30001;
  alter table return_requests alter column return_request_id restart with 40001;
  alter table webhooks alter column webhook_id restart with 110001;
  alter table api_keys alter column key_id restart with 120001;
`

/** Of an order that was placed without them. */
export const noRemarks = Object.fromEntries(Object.keys(remarkFields).map((name) => [name, null])) as Record<
  keyof typeof remarkFields,
  string | null
>

export const address = {
  zip: '10115',
  country_code: 'DE',
  region_code: 'DE-BE',
  city: 'Berlin',
  street: 'Invalidenstraße',
  home: '116',
}

/** The address of an order that was placed with it. */
export const shownAddress = { ...address, room: null, recipient: null, company: null, phone: null, email: null }

export interface TestClient {
  readonly client_id: number
  readonly contact_id: number
  /** The default: prices of list 1, tax of 20% included, not limited. */
  readonly contract_id: number
  /** Limit 1000, 5% discount, tax of 10% added. */
  readonly limited_contract_id: number
  /** Prices of list 2. */
  readonly special_contract_id: number
  readonly key_id: number
  readonly key: string
}

/** The actor of the fixtures' events. */
export const byTheTests = { actor: 'the tests', request_id: 'test' }

export async function addFixtures({ sql }: Pick<TestService, 'sql'>): Promise<void> {
  await sql(catalogueSql)
}

export async function addClient(
  service: Pick<TestService, 'sql' | 'db'>,
  options: { name?: string; scopes?: readonly Scope[] } = {},
): Promise<TestClient> {
  const { name = 'Garage Weber' } = options
  // Each contract reads the one before, so that their ids are always in this order.
  const [row] = await service.sql(
    `with client as (insert into clients (client_name) values ($1) returning client_id),
     contact as (
       insert into contacts (client_id, contact_name) select client_id, 'Anna Weber' from client returning contact_id),
     stocks as (insert into client_stocks select client_id, stock_id from client, unnest('{1,2}'::bigint[]) stock_id),
     standard as (
       insert into contracts (client_id, contract_name, contract_default, price_list_id, tax_percent)
       select client_id, 'Standard', true, 1, 20 from client returning contract_id),
     limited as (
       insert into contracts (client_id, contract_name, contract_service, contract_limit, price_list_id,
         discount_percent, tax_mode, tax_percent)
       select client_id, 'Limited', true, 1000, 1, 5, 'added', 10 from client, standard returning contract_id),
     special as (
       insert into contracts (client_id, contract_name, price_list_id)
       select client_id, 'Special', 2 from client, limited returning contract_id)
     select client_id, contact_id, standard.contract_id,
       limited.contract_id as limited_contract_id, special.contract_id as special_contract_id
     from client, contact, standard, limited, special`,
    [name],
  )
  const ids = Object.fromEntries(
    Object.entries(row ?? {}).map(([column, value]) => [column, Number(value)]),
  ) as unknown as Omit<TestClient, 'key' | 'key_id'>
  const issued = await issueClientKey(service.db, { ...ids, scopes: options.scopes, ...byTheTests })
  return { ...ids, ...issued }
}

/**
 * Another key of the client, issued an hour ago. Those that were changed within the last seconds get known to the service
 * even before they are used.
 */
export async function addOlderKey({ sql }: Pick<TestService, 'sql'>, { key_id: from }: TestClient): Promise<string> {
  const key_id = 900_000 + from
  const key = makeApiKey(key_id)
  await sql(
    `insert into api_keys (key_id, client_id, contact_id, digest, scopes, changed_at)
     select $2, client_id, contact_id, $3, scopes, now() - interval '1 hour' from api_keys where key_id = $1`,
    [from, key_id, digestOf(key)],
  )
  return key
}

/** The most frequent requests of a client, one call each; every one must succeed. */
export function shopper(service: TestService, { key }: { key: string }) {
  const ok = async (method: string, path: string, form?: Record<string, string | number | undefined>) => {
    const answer = await service.request(method, path, { key, ...(form === undefined ? {} : { form }) })
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.body.data
  }
  const groupKey = async (cart_id: number, group = 0): Promise<string> =>
    (await ok('GET', `/api/v1/carts/${cart_id}/items/`))[group].cart_group_key as string
  return {
    ok,
    groupKey,
    createCart: async (name = 'Cart'): Promise<number> =>
      (await ok('PUT', '/api/v1/carts/', { name })).cart_id as number,
    add: async (
      cart_id: number,
      line: { item_id: number; quantity: number; stock_id?: number; contract_id?: number },
    ): Promise<number> =>
      (await ok('PUT', `/api/v1/carts/${cart_id}/items/`, { stock_id: 1, ...line })).cart_item_id as number,
    order: async (cart_id: number): Promise<number> =>
      (await ok('PUT', '/api/v1/orders/', { cart_group_key: await groupKey(cart_id), ...address }))
        .created_order_id as number,
  }
}
