/** The requests of all clients to return goods, open and decided. */
import Type, { type Static } from 'typebox'
import {
  exampleReturnRequest,
  OperatorReturnRequest,
  operatorReturnRequestOf,
  returnRequestColumns,
  returnRequestStatuses,
} from '../return-request.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text, textArray } from 'pg-statements/types.ts'

export const ListedReturnRequest = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client that made the request.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
    order_number: Type.Integer({ description: "The distributor's own number of the order." }),
    ...OperatorReturnRequest.properties,
  },
  {
    $id: 'ListedReturnRequest',
    description: 'A request to return shipped goods, as operators list it.',
    examples: [
      {
        client_id: 1,
        client_name: 'Lindner Car Service',
        order_number: 100_234,
        ...exampleReturnRequest,
      },
    ],
  },
)
export type ListedReturnRequest = Static<typeof ListedReturnRequest>

const listReturnRequestsSql = statement(new URL('list-return-requests.sql', import.meta.url), {
  parameters: { statuses: textArray, client: nullable(int8), before_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text, order_number: int8, ...returnRequestColumns },
  listed: returnRequestColumns,
})

interface RequestFilter {
  readonly status?: readonly string[] | undefined
  readonly client_id?: number | undefined
}

/** Newest first. */
export async function listReturnRequests(
  db: Database,
  { status = returnRequestStatuses, client_id }: RequestFilter,
  page: PageRequest,
): Promise<Page<ListedReturnRequest>> {
  const rows = await db.rows(listReturnRequestsSql, {
    statuses: [...status],
    client: client_id ?? null,
    before_id: idAfter(page) ?? idMax,
    page_size: page.limit + 1,
  })
  const requests = rows.map((row) => ({
    client_id: row.client_id,
    client_name: row.client_name,
    order_number: row.order_number,
    ...operatorReturnRequestOf(row),
  }))
  return cutPage(requests, page, ({ return_request_id }) => return_request_id)
}
