import type { ExplainCase } from './explain-case.ts'
import type { SampledValues } from './sample.ts'

export const idempotencyKey = { idempotency_key: 'k', request_digest: '\\x00' }
const withoutKey = { idempotency_key: null, request_digest: null }

/** A thousand stored responses of this age. */
const storedResponses = (client_id: number, age: string): string =>
  `insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer, created_at)
   select ${client_id}, 'create-cart', concat('k', nullif(n, 0)), '', '{}', now() - interval '${age}'
   from generate_series(0, 999) n`

export function cartExplainCases({ client_id, smallCart, largeCart, item }: SampledValues): ExplainCase[] {
  const { cart_id, cart_item_id } = smallCart
  const existing = { client_id, cart_id, cart_item_id }
  const line = {
    client_id,
    cart_id,
    stock_id: smallCart.stock_id,
    contract_id: smallCart.contract_id,
    advertising: smallCart.advertising,
  }
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
      values: { client_id, cart_name: 'New', ...idempotencyKey },
      writes: ['clients', 'carts', 'idempotency_keys'],
    },
    { statement: 'read-cart-count', variant: '', values: { client_id } },
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
    { statement: 'list-cart-items', variant: 'few lines', values: { client_id, cart_id }, atLeast: 5 },
    {
      statement: 'list-cart-items',
      variant: '500 lines',
      values: { client_id, cart_id: largeCart.cart_id },
      atLeast: 400,
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
    { statement: 'explain-cart-item', variant: 'named contract', values: { ...line, item_id: smallCart.item_id } },
    {
      statement: 'explain-cart-item',
      variant: 'default contract',
      values: { ...line, contract_id: null, item_id: smallCart.item_id },
    },
  ]
}
