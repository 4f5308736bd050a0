/** One item with its product, brand, prices and stock levels, as operators maintain it. */
import Type, { type Static } from 'typebox'
import { PriceBreak } from './prices/price-breaks.ts'
import { quantityRuleColumns, QuantityRules, quantityRulesOf } from './quantities/quantity-rules.ts'
import { exampleItem, Item, itemColumns, itemOf } from './item.ts'
import { Substitutes } from './substitutes/substitutes.ts'
import { metadataOf, type Metadata } from '../input/metadata.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, text } from 'pg-statements/types.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { refer } from '../vocabulary/schema-parts.ts'

export const OperatorItem = Type.Object(
  {
    ...Item.properties,
    product_id: Type.Integer({ description: 'The product it is a packaging of.' }),
    product_name: Type.String({ description: 'The name of the product.' }),
    on_sale: Type.Boolean({ description: 'Whether it can be added to carts and ordered.' }),
    ...QuantityRules.properties,
    replaced_by: Substitutes.properties.replaced_by,
    substitutes: Substitutes.properties.substitutes,
    prices: Type.Array(
      Type.Object({
        price_list_id: Type.Integer({ description: 'The price list.' }),
        price_list_name: Type.String({ description: 'Its name.' }),
        currency_code: Type.String({ description: 'Its currency.' }),
        price: Type.Number({ description: 'The price of one piece.' }),
        price_breaks: Type.Array(refer(PriceBreak), { description: 'The prices of larger quantities of a line.' }),
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
    metadata: metadataOf(
      'What operators and their programs keep with the item, by their own keys. Clients do not see it.',
    ),
  },
  {
    $id: 'OperatorItem',
    examples: [
      {
        ...exampleItem,
        product_id: 410,
        product_name: 'Air filter washable 280 mm',
        on_sale: true,
        quantity_min: 1,
        quantity_multiple: 1,
        replaced_by: null,
        substitutes: [],
        prices: [
          {
            price_list_id: 1,
            price_list_name: 'Dealer prices',
            currency_code: 'EUR',
            price: 104.17,
            price_breaks: [{ quantity: 10, price: 98.5 }],
          },
        ],
        stock_levels: [{ stock_id: 1, stock_name: 'Hamburg', on_hand: 40, reserved: 3, back_order: false }],
        metadata: { shelf: 'C-14' },
      },
    ],
  },
)
export type OperatorItem = Static<typeof OperatorItem>

/** The columns of operator-item-columns.part.sql. */
export const operatorItemColumns = {
  ...itemColumns,
  product_id: int8,
  product_name: text,
  on_sale: bool,
  ...quantityRuleColumns,
  named_substitutes: jsonOf<Substitutes>(),
  prices: jsonOf<OperatorItem['prices']>(),
  stock_levels: jsonOf<OperatorItem['stock_levels']>(),
  metadata: jsonOf<Metadata>(),
}

const readOperatorItemSql = statement(new URL('read-operator-item.sql', import.meta.url), {
  parameters: { item_id: int8 },
  columns: operatorItemColumns,
})

export async function readOperatorItem(db: Database, item_id: number): Promise<OperatorItem> {
  const row = await db.row(readOperatorItemSql, { item_id })
  if (row === undefined) throw new Refusal('item_not_found', { item_id })
  return operatorItemOf(row)
}

export function operatorItemOf(row: Values<typeof operatorItemColumns>): OperatorItem {
  const { product_id, product_name, on_sale, prices, stock_levels, metadata } = row
  const { replaced_by, substitutes } = row.named_substitutes
  const named = { ...itemOf(row), product_id, product_name, on_sale, ...quantityRulesOf(row), replaced_by, substitutes }
  return { ...named, prices, stock_levels, metadata }
}
