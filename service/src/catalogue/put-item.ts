/** One item with its product, brand, prices and stock levels, as operators maintain it. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item, itemColumns, itemOf } from './item.ts'
import { itemParameters, writeItemsSql, type ItemRow } from './write-items.ts'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { statement } from 'pg-statements/statement.ts'
import { arrayLiteral, bool, int8, json, text } from 'pg-statements/types.ts'
import { Refusal } from '../refusals.ts'

export const OperatorItem = Type.Object(
  {
    ...Item.properties,
    product_id: Type.Integer({ description: 'The product it is a packaging of.' }),
    product_name: Type.String({ description: 'The name of the product.' }),
    on_sale: Type.Boolean({ description: 'Whether it can be added to carts and ordered.' }),
    prices: Type.Array(
      Type.Object({
        price_list_id: Type.Integer({ description: 'The price list.' }),
        price_list_name: Type.String({ description: 'Its name.' }),
        currency_code: Type.String({ description: 'Its currency.' }),
        price: Type.Number({ description: 'The price of one piece.' }),
      }),
      { description: 'Its prices.' },
    ),
    stock_levels: Type.Array(
      Type.Object({
        stock_id: Type.Integer({ description: 'The stock.' }),
        stock_name: Type.String({ description: 'Its name.' }),
        on_hand: Type.Integer({ description: 'Pieces in stock.' }),
        reserved: Type.Integer({ description: 'Pieces reserved by orders.' }),
        back_order: Type.Boolean({ description: 'Whether more can be ordered than is in stock.' }),
      }),
      { description: 'Its stock levels.' },
    ),
  },
  {
    $id: 'OperatorItem',
    additionalProperties: false,
    examples: [
      {
        ...exampleItem,
        product_id: 812,
        product_name: 'Brake disc front 280 mm vented',
        on_sale: true,
        prices: [{ price_list_id: 1, price_list_name: 'Dealer prices', currency_code: 'EUR', price: 55.26 }],
        stock_levels: [{ stock_id: 1, stock_name: 'Hamburg', on_hand: 40, reserved: 3, back_order: false }],
      },
    ],
  },
)
export type OperatorItem = Static<typeof OperatorItem>

const readOperatorItemSql = statement(new URL('read-operator-item.sql', import.meta.url), {
  parameters: { item_id: int8 },
  columns: { ...itemColumns, product_id: int8, product_name: text, on_sale: bool, prices: json, stock_levels: json },
})

/** What putting an object changed. */
export type Outcome = 'added' | 'changed' | 'unchanged'
export const outcomeOf = (added: boolean | null | undefined): Outcome =>
  added === true ? 'added' : added === false ? 'changed' : 'unchanged'

/** Adds or changes an item with its product, its brand and its search words. */
export async function putItem(
  db: Database,
  item: ItemRow & { actor: string; request_id: string },
): Promise<{ item_id: number; outcome: Outcome }> {
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
    words: of('words'),
    actor,
    request_id,
  }
  const written = await settle(
    db,
    `item ${item_id}`,
    () => db.row(writeItemsSql, values),
    async () => undefined,
  )
  return { item_id, outcome: outcomeOf(written.added) }
}

export async function readOperatorItem(db: Database, item_id: number): Promise<OperatorItem> {
  const row = await db.row(readOperatorItemSql, { item_id })
  if (row === undefined) throw new Refusal('item_not_found', { item_id })
  const { product_id, product_name, on_sale, prices, stock_levels } = row
  return { ...itemOf(row), product_id, product_name, on_sale, prices, stock_levels } as unknown as OperatorItem
}
