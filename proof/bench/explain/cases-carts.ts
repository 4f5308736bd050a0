import type { ExplainCase } from './explain-case.ts'
import type { SampledValues } from './sample.ts'
import { cartsPerClientMax, emptyDaysMax } from '../../../apps/service/src/carts/cart.ts'
import { totalMax } from '../../../apps/service/src/clients/amounts.ts'

export const idempotencyKey = { idempotency_key: 'k', request_digest: '\\x00' }
const withoutKey = { idempotency_key: null, request_digest: null }

/** A thousand stored responses of this age. */
const storedResponses = (client_id: number, age: string): string =>
  `insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer, created_at)
   select ${client_id}, 'create-cart', concat('k', nullif(n, 0)), '', '{}', now() - interval '${age}'
   from generate_series(0, 999) n`

/** Makes the client have as many carts as it may, one of them abandoned. */
const fullOfCarts = (client_id: number): string =>
  `with made as (
     insert into carts (client_id, cart_name, emptied_at)
     select ${client_id}, 'Full', now() - interval '1 day' * case n when 1 then 31 else 1 end
     from clients c, generate_series(1, ${cartsPerClientMax} - c.cart_count) n
     where c.client_id = ${client_id})
   update clients set cart_count = ${cartsPerClientMax} where client_id = ${client_id}`

export function cartExplainCases(sample: SampledValues): ExplainCase[] {
  const { client_id, smallCart, largeCart, item } = sample
  const { cart_id, cart_item_id } = smallCart
  const existing = { client_id, cart_id, cart_item_id }
  const line = {
    client_id,
    cart_id,
    stock_id: smallCart.stock_id,
    contract_id: smallCart.contract_id,
    advertising: smallCart.advertising,
  }
  const cartLimits = { client_id, carts_max: cartsPerClientMax, empty_days_max: emptyDaysMax }
  const newGroup = {
    ...line,
    contract_id: null,
    advertising: 'Something new',
    item_id: item.item_id,
    quantity: 3,
    ...withoutKey,
  }
  return [
    { statement: 'list-carts', variant: '', values: { client_id }, atLeast: 2 },
    { statement: 'read-cart', variant: '', values: { client_id, cart_id } },
    {
      statement: 'create-cart',
      variant: '',
      values: { ...cartLimits, cart_name: 'New', ...idempotencyKey },
      writes: ['clients', 'carts', 'idempotency_keys'],
    },
    {
      statement: 'create-cart',
      variant: 'at the limit, in place of an abandoned cart',
      values: { ...cartLimits, cart_name: 'New', ...withoutKey },
      prepare: fullOfCarts(client_id),
      writes: ['clients', 'carts'],
    },
    { statement: 'explain-cart-limit', variant: '', values: cartLimits, prepare: fullOfCarts(client_id) },
    {
      statement: 'find-earlier-answer',
      variant: '',
      values: { client_id, operation: 'create-cart', idempotency_key: 'k' },
      prepare: storedResponses(client_id, '1 minute'),
    },
    {
      statement: 'sweep-idempotency-keys',
      variant: '',
      values: {},
      prepare: storedResponses(client_id, '25 hours'),
      writes: ['idempotency_keys'],
    },
    { statement: 'rename-cart', variant: '', values: { client_id, cart_id, cart_name: 'New' }, writes: ['carts'] },
    { statement: 'delete-cart', variant: 'few lines', values: { client_id, cart_id }, writes: ['clients', 'carts'] },
    {
      statement: 'delete-cart',
      variant: '500 lines',
      values: { client_id, cart_id: largeCart.cart_id },
      writes: ['clients', 'carts'],
    },
    { statement: 'list-cart-items', variant: 'few lines', values: { client_id, cart_id } },
    { statement: 'list-cart-items', variant: '500 lines', values: { client_id, cart_id: largeCart.cart_id } },
    {
      statement: 'list-full-cart-items',
      variant: 'few lines',
      values: { client_id, cart_id, total_max: totalMax },
    },
    {
      statement: 'list-full-cart-items',
      variant: '500 lines',
      values: { client_id, cart_id: largeCart.cart_id, total_max: totalMax },
    },
    { statement: 'read-cart-item', variant: '', values: existing },
    {
      statement: 'change-quantity',
      variant: '',
      values: { ...existing, quantity: 7 },
      writes: ['cart_groups', 'cart_items'],
    },
    {
      statement: 'remove-cart-item',
      variant: 'few lines',
      values: existing,
      writes: ['cart_groups', 'cart_items', 'carts'],
    },
    {
      statement: 'remove-cart-item',
      variant: '500 lines',
      values: { client_id, cart_id: largeCart.cart_id, cart_item_id: largeCart.cart_item_id },
      writes: ['cart_groups', 'cart_items', 'carts'],
    },
    {
      statement: 'add-cart-item',
      variant: 'new line',
      values: { ...line, item_id: item.item_id, quantity: 3, ...idempotencyKey },
      writes: ['cart_groups', 'cart_items', 'carts', 'idempotency_keys'],
    },
    {
      statement: 'add-cart-item',
      variant: 'existing line',
      values: { ...line, item_id: smallCart.item_id, quantity: 999, ...withoutKey },
      writes: ['cart_groups', 'cart_items'],
    },
    {
      statement: 'add-cart-item',
      variant: 'new group, default contract',
      values: newGroup,
      writes: ['cart_groups', 'cart_items', 'carts'],
    },
    ...rowExplainCases(sample),
    { statement: 'explain-cart-item', variant: 'named contract', values: { ...line, item_id: smallCart.item_id } },
    {
      statement: 'explain-cart-item',
      variant: 'default contract',
      values: { ...line, contract_id: null, item_id: smallCart.item_id },
    },
  ]
}

const limits = { quantity_max: 1_000_000, lines_max: 1000 }

/** Rows that add many lines at once. */
function rowExplainCases({ client_id, smallCart, order_id, orderable, stock_id }: SampledValues): ExplainCase[] {
  const { cart_id } = smallCart
  const common = { client_id, cart_id, dry_run: false, all_rows: false, ...limits }
  const writes = ['cart_groups', 'cart_items', 'carts', 'idempotency_keys']
  const bulk = (
    variant: string,
    row: (item: SampledValues['orderable'][number], n: number) => Readonly<Record<string, string | number | null>>,
    changed: Partial<ExplainCase> & { count?: number; dry_run?: boolean } = {},
  ): ExplainCase => {
    const { count = 990, dry_run = false, ...expected } = changed
    const rows = orderable.slice(0, count).map(row)
    const column = (name: string, absent: string | number | null = null): (string | number | null)[] =>
      rows.map(({ [name]: value = absent }) => value)
    return {
      statement: 'add-cart-items',
      variant,
      values: {
        ...common,
        dry_run,
        item_ids: column('item_id'),
        articles: column('article'),
        barcodes: column('barcode'),
        brands: column('brand'),
        barcode_words: column('barcode'),
        quantities: column('quantity', 3),
        stock_ids: column('stock_id', stock_id),
        contract_ids: column('contract_id'),
        advertisings: column('advertising', ''),
        matches_max: 20,
        barcode_scan_max: 100,
        ...idempotencyKey,
      },
      atLeast: count,
      writes: dry_run ? [] : writes,
      ...expected,
    }
  }
  return [
    bulk('1 article', ({ article }) => ({ article }), { count: 1 }),
    bulk('990 articles', ({ article }) => ({ article })),
    bulk('990 barcodes', ({ barcode }) => ({ barcode })),
    bulk('990 ids', ({ item_id }) => ({ item_id })),
    bulk('990 articles, dry run', ({ article }) => ({ article }), { dry_run: true }),
    bulk('990 groups', ({ item_id }, n) => ({ item_id, advertising: `Budget ${n}` })),
    bulk('990 rows of one line', (_, n) => ({ item_id: orderable[0]?.item_id ?? 0, quantity: 1 + (n % 5) })),
    bulk('990 common words as barcodes', () => ({ barcode: 'for' }), { writes: [], bound: 300 * 1000 }),
    {
      statement: 'add-order-items',
      variant: '',
      values: { ...common, order_id, ...idempotencyKey },
      writes,
    },
    { statement: 'explain-order-items', variant: '', values: { client_id, cart_id, order_id } },
  ]
}
