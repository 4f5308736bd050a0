/** The brands of the catalogue, for clients and operators. */
import Type, { type Static } from 'typebox'
import { exampleItem, Item } from './item.ts'
import { optional, text as textField } from '../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
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

const listBrandsSql = statement(new URL('list-brands.sql', import.meta.url), {
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
