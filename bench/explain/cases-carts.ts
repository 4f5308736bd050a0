import type { ExplainCase } from './explain-case.ts'
import type { SampledValues } from './sample.ts'

export const once = { idempotency_key: 'k', request_digest: '\\x00' }
const notRepeated = { idempotency_key: null, request_digest: null }

/** A thousand kept answers of that age. */
const kept = (client_id: number, age: string): string =>
  `insert into idempotency_keys (client_id, operation, idempotency_key, request_digest, answer, created_at)
   select ${client_id}, 'create-cart', concat('k', nullif(n, 0)), '', '{}', now() - interval '${age}' from generate_series(0, 999) n`

export function cartExplainCases({ client_id, smallCart, largeCart, item }: SampledValues): ExplainCase[] {
  const { cart_id, cart_item_id } = smallCart
  const line = { client_id, cart_id, cart_item_id }
  const wish = {
    client_id,
    cart_id,
    stock_id: smallCart.stock_id,
    contract_id: smallCart.contract_id,
    advertising: smallCart.advertising,
  }
  const newGroup = {
    ...wish,
    contract_id: null,
    advertising: 'Something new',
    item_id: item.item_id,
    quantity: 3,
    ...notRepeated,
  }
  return [
    { statement: 'list-carts', variant: '', values: { client_id }, atLeast: 2 },
    { statement: 'read-cart', variant: '', values: { client_id, cart_id } },
    {
      statement: 'create-cart',
      variant: '',
      values: { client_id, cart_name: 'New', ...once },
      writes: ['clients', 'carts', 'idempotency_keys'],
    },
    { statement: 'read-cart-count', variant: '', values: { client_id } },
    {
      statement: 'find-earlier-answer',
      variant: '',
      values: { client_id, operation: 'create-cart', idempotency_key: 'k' },
      prepare: kept(client_id, '1 minute'),
    },
    {
      statement: 'sweep-idempotency-keys',
      variant: '',
      values: {},
      prepare: kept(client_id, '25 hours'),
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
    { statement: 'read-cart-item', variant: '', values: line },
    {
      statement: 'change-quantity',
      variant: '',
      values: { ...line, quantity: 7 },
      writes: ['cart_groups', 'cart_items'],
    },
    {
      statement: 'remove-cart-item',
      variant: 'few lines',
      values: line,
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
      values: { ...wish, item_id: item.item_id, quantity: 3, ...once },
      writes: ['cart_groups', 'cart_items', 'carts', 'idempotency_keys'],
    },
    {
      statement: 'add-cart-item',
      variant: 'line that is there',
      values: { ...wish, item_id: smallCart.item_id, quantity: 999, ...notRepeated },
      writes: ['cart_groups', 'cart_items'],
    },
    {
      statement: 'add-cart-item',
      variant: 'new group, default contract',
      values: newGroup,
      writes: ['cart_groups', 'cart_items', 'carts'],
    },
    { statement: 'explain-cart-item', variant: 'named contract', values: { ...wish, item_id: smallCart.item_id } },
    {
      statement: 'explain-cart-item',
      variant: 'default contract',
      values: { ...wish, contract_id: null, item_id: smallCart.item_id },
    },
  ]
}
