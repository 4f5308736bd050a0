import { integer, optional, text } from './fields.ts'
import { pageSizeDefault, pageSizeMax } from '../paging.ts'

/** The query parameters of every paged list. */
export const pageFields = {
  limit: optional(
    integer({
      min: 1,
      max: pageSizeMax,
      description: `How many to return at most; ${pageSizeDefault} if absent.`,
      example: 20,
    }),
  ),
  cursor: optional(
    text({
      description: 'Where to go on: `paging.next_cursor` of the page before, with the same filters.',
      example: 'MTAyMzQuOWYxYzJkM2U',
    }),
  ),
}
