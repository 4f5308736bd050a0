/** The brands of the catalogue, for clients and operators. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item } from './item.ts'
import { optional, text as textField } from '../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

export const Brand = Type.Object(Item.properties.brand.properties, { $id: 'Brand', examples: [exampleItem.brand] })
export type Brand = Static<typeof Brand>

/** A filter, compared like an article. */
export const brandNamed = (what: string) =>
  optional(
    textField({
      description: `${what}, by its name. Case, spaces, dashes, dots and slashes do not matter.`,
      example: exampleItem.brand.brand_name,
    }),
  )

/** A brand without items is left over from items that have another one now. */
const listBrandsSql = shortStatement('list-brands', {
  sql: `select brand_id, brand_name from brands b
    where brand_id > :after_id and (:brand::text is null or article_key(brand_name) = nullif(article_key(:brand), ''))
      and exists (select 1 from items i where i.brand_id = b.brand_id)
    order by brand_id limit :page_size`,
  parameters: { brand: nullable(text), after_id: int8, page_size: int8 },
  columns: { brand_id: int8, brand_name: text },
})

export async function listBrands(
  db: Database,
  { brand }: { readonly brand?: string | undefined },
  page: PageRequest,
): Promise<Page<Brand>> {
  const rows = await db.rows(listBrandsSql, {
    brand: brand ?? null,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ brand_id }) => brand_id)
}
