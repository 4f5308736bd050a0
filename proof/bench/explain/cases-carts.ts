/** Carts and their lines. */
import { cartsPerClientMax } from '../../../apps/service/src/carts/cart.ts'
import type { CaseValue, ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'
import { actor, withoutRetry } from './values.ts'

export function cartCases({
  client_id,
  smallCart,
  largeCart,
  item_id,
  orderable,
  stock_id,
  order_id,
}: Sample): ExplainCases {
  /** A thousand stored responses of this age. */
  const storedResponses = (age: string): string =>
    `insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer, created_at)
     select ${client_id}, 'create-cart', concat('explain', nullif(n, 0)), '', '{}', now() - interval '${age}'
     from generate_series(0, 999) n`
  /** The client has as many carts as it may, one of them abandoned. */
  const fullOfCarts = `with made as (
      insert into carts (client_id, cart_name, emptied_at)
      select ${client_id}, 'Full', now() - interval '1 day' * case n when 1 then 31 else 1 end
      from clients c, generate_series(1, ${cartsPerClientMax} - c.cart_count) n
      where c.client_id = ${client_id})
    update clients set cart_count = ${cartsPerClientMax} where client_id = ${client_id}`
  const { contract_id, advertising } = smallCart
  const group = { stock_id: smallCart.stock_id, contract_id, advertising }
  const byOperator = { actor, request_id: 'req-explain' }
  const large = { cart_id: largeCart.cart_id }
  const written = 'cart_groups cart_items carts idempotency_keys'
  /** Adds many lines at once; a row has one of the values by which an item is found. */
  const rows = (
    row: (item: Sample['orderable'][number], n: number) => Readonly<Record<string, string | number>>,
    {
      count = 990,
      dry_run = false,
      more,
      ...expected
    }: ExplainCase & { count?: number; dry_run?: boolean; more?: ExplainCase['values'] } = {},
  ): ExplainCase => {
    const made = orderable.slice(0, count).map(row)
    const column = (name: string, absent: string | number | null = null): CaseValue =>
      made.map(({ [name]: value = absent }) => value)
    // prettier-ignore
    const values = {
      dry_run, matches_max: 20, barcode_scan_max: 100, barcodes: column('barcode'), barcode_words: column('barcode'),
      item_ids: column('item_id'), articles: column('article'), brands: column('brand'),
      quantities: column('quantity', 3), stock_ids: column('stock_id', stock_id),
      contract_ids: column('contract_id'), advertisings: column('advertising', ''),
      ...more,
    }
    return { values, atLeast: count, writes: dry_run ? '' : written, ...expected }
  }
  /** Multiples of this many pieces, and at least 2. */
  const inPacks = (multiple: number): string => {
    const ids = [smallCart.item_id, ...orderable.map((one) => one.item_id)]
    return `update items set quantity_min = 2, quantity_multiple = ${multiple} where item_id = any('{${ids.join(',')}}')`
  }
  return {
    'list-carts': { atLeast: 2 },
    'read-cart': {},
    'create-cart': { writes: 'clients carts idempotency_keys' },
    'create-cart, at the limit, in place of an abandoned cart': {
      values: withoutRetry,
      prepare: fullOfCarts,
      writes: 'clients carts',
    },
    'explain-cart-limit': { prepare: fullOfCarts },
    'find-earlier-answer': { values: { operation: 'create-cart' }, prepare: storedResponses('1 minute') },
    'sweep-idempotency-keys': { prepare: storedResponses('25 hours'), writes: 'idempotency_keys' },
    'rename-cart': { writes: 'carts' },
    'rename-cart, by an operator': { values: byOperator, writes: 'carts audit_entries' },
    'delete-cart, few lines': { writes: 'clients carts' },
    'delete-cart, 500 lines, by an operator': {
      values: { ...large, ...byOperator },
      writes: 'clients carts audit_entries',
    },
    'delete-cart, 500 lines': { values: large, writes: 'clients carts' },
    'list-cart-items, few lines': {},
    'list-cart-items, 500 lines': { values: large },
    'list-full-cart-items, few lines': {},
    'list-full-cart-items, 500 lines': { values: large },
    'read-cart-item': {},
    'change-quantity': { values: { quantity: 7 }, writes: 'cart_groups cart_items' },
    'change-quantity, by an operator': {
      values: { quantity: 777, ...byOperator },
      writes: 'cart_groups cart_items audit_entries',
    },
    'remove-cart-item, few lines': { writes: 'cart_groups cart_items carts' },
    'remove-cart-item, 500 lines': {
      values: { ...large, cart_item_id: largeCart.cart_item_id },
      writes: 'cart_groups cart_items carts',
    },
    'add-cart-item, new line': { values: { ...group, item_id }, writes: written },
    'add-cart-item, existing line': {
      values: { ...group, item_id: smallCart.item_id, quantity: 999, ...withoutRetry },
      writes: 'cart_groups cart_items',
    },
    'add-cart-item, new group, default contract': {
      values: { ...group, contract_id: null, advertising: 'Something new', ...withoutRetry },
      writes: 'cart_groups cart_items carts',
    },
    'add-cart-item, in packs': {
      values: { ...group, item_id: smallCart.item_id, quantity: 999, ...withoutRetry },
      prepare: `${inPacks(1)}; update cart_items set quantity = 3 where client_id = ${client_id}`,
      writes: 'cart_groups cart_items',
    },
    'explain-quantity': {},
    'add-cart-items, 1 article': rows(({ article }) => ({ article }), { count: 1 }),
    'add-cart-items, 990 articles': rows(({ article }) => ({ article })),
    'add-cart-items, 990 articles, by an operator': rows(({ article }) => ({ article }), {
      more: byOperator,
      writes: `${written} audit_entries`,
    }),
    'add-cart-items, 990 in packs': rows(({ item_id: one }) => ({ item_id: one }), { prepare: inPacks(3) }),
    'add-cart-items, 990 barcodes': rows(({ barcode }) => ({ barcode })),
    'add-cart-items, 990 ids': rows(({ item_id }) => ({ item_id })),
    'add-cart-items, 990 ids without a stock': rows(({ item_id }) => ({ item_id }), {
      more: { stock_ids: Array.from({ length: 990 }, () => null) },
    }),
    'add-cart-items, 990 articles, dry run': rows(({ article }) => ({ article }), { dry_run: true }),
    'add-cart-items, 990 groups': rows(({ item_id }, n) => ({ item_id, advertising: `Budget ${n}` })),
    'add-cart-items, 990 rows of one line': rows((_, n) => ({
      item_id: orderable[0]?.item_id ?? 0,
      quantity: 1 + (n % 5),
    })),
    'add-cart-items, 990 common words as barcodes': rows(() => ({ barcode: 'for' }), { writes: '', bound: 300 * 1000 }),
    'add-order-items': { values: { order_id }, writes: written },
    'explain-order-items': {},
    'explain-cart-item, named contract': { values: { ...group, item_id: smallCart.item_id } },
    'explain-cart-item, default contract': { values: { ...group, contract_id: null, item_id: smallCart.item_id } },
  }
}
