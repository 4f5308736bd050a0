import { putOutcomeOf, type PutOutcome } from '../vocabulary/put-outcome.ts'
import { itemParameters, writeItemsSql, type ItemRow } from './write-items.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { arrayLiteral } from 'pg-statements/types.ts'

/** Adds or changes an item with its product, its brand and its search words. */
export async function putItem(
  db: Database,
  item: ItemRow & { actor: string; request_id: string },
): Promise<{ item_id: number; outcome: PutOutcome }> {
  const { item_id, actor, request_id } = item
  const of = (name: keyof typeof itemParameters): string => arrayLiteral([itemParameters[name](item)])
  const values = {
    import_id: null,
    batch: null,
    item_ids: of('item_ids'),
    product_ids: of('product_ids'),
    product_names: of('product_names'),
    brand_names: of('brand_names'),
    vendor_codes: of('vendor_codes'),
    barcodes: of('barcodes'),
    titles: of('titles'),
    on_sales: of('on_sales'),
    quantity_mins: of('quantity_mins'),
    quantity_multiples: of('quantity_multiples'),
    words: of('words'),
    actor,
    request_id,
  }
  const written = await settle(
    db,
    { statement: writeItemsSql, contended: `item ${item_id}` },
    () => db.row(writeItemsSql, values),
    async () => undefined,
  )
  return { item_id, outcome: putOutcomeOf(written.added) }
}
