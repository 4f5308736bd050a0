import { integer, optional, text } from './fields.ts'
import { pageSizeDefault, pageSizeMax } from '../paging.ts'

/** The query parameters of every paged list. */
export const pageFields = {
  limit: optional(
    integer({
      min: 1,
      max: pageSizeMax,
      description: `The maximum number of results; ${pageSizeDefault} by default.`,
      example: 20,
    }),
  ),
  cursor: optional(
    text({
      description: 'The `paging.next_cursor` of the previous page, requested with the same filters.',
      example: 'MTAyMzQuOWYxYzJkM2U',
    }),
  ),
}
