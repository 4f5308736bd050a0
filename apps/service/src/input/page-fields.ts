import { integer, optional, text, type Field } from './fields.ts'
import { pageSizeDefault, pageSizeMax } from '../vocabulary/paging.ts'

type PageFields = { readonly limit: Field<number | undefined>; readonly cursor: Field<string | undefined> }

/** The query parameters of a paged list. `pageOf` takes the default of `limit` from its schema. */
export function pageFieldsWith(limitDefault: number): PageFields {
  const limit = integer({
    min: 1,
    max: pageSizeMax,
    description: `The maximum number of results; ${limitDefault} by default.`,
    example: 20,
  })
  return {
    limit: optional({ ...limit, schema: { ...limit.schema, default: limitDefault } }),
    cursor: optional(
      text({
        description:
          'The `paging.next_cursor` of the previous page of this list, requested by the same client with the same filters.',
        example: null,
      }),
    ),
  }
}

export const pageFields = pageFieldsWith(pageSizeDefault)
