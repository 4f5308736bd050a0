import type { TestService } from './service.ts'

const tables = [
  'clients', 'contacts', 'contracts', 'client_stocks', 'api_keys', 'carts', 'cart_groups', 'cart_items', 'idempotency_keys',
  'orders', 'order_items', 'order_history', 'adjustments', 'events', 'stock_levels', 'items', 'item_words', 'products', 'brands', 'prices',
  'price_lists', 'currencies', 'stocks', 'catalogue_changes', 'import_batches', 'operator_keys',
  'webhooks', 'webhook_deliveries', 'webhook_tests',
] // prettier-ignore

/** A digest of every row of every table: what a refusal leaves as it was. Of a refused import its record stays. */
export async function everything(service: TestService): Promise<Record<string, unknown>> {
  const digests = tables.map(
    (table) => `(select md5(string_agg(t::text, ';' order by t::text)) from ${table} t) as ${table}`,
  )
  const [row] = await service.sql(`select ${digests.join(', ')}`)
  return row ?? {}
}
