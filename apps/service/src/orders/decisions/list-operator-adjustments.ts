/** The adjustments of all clients, open and decided. */
import Type, { type Static } from 'typebox'
import {
  adjustmentColumns,
  adjustmentStatuses,
  exampleAdjustment,
  exampleAdjustmentRequest,
  OperatorAdjustment,
  operatorAdjustmentOf,
} from '../adjustment.ts'
import { idMax } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, nullable, text, textArray } from 'pg-statements/types.ts'

export const ListedAdjustment = Type.Object(
  {
    client_id: Type.Integer({ description: 'The client that made the request.' }),
    client_name: Type.String({ description: 'The name of the client.' }),
    order_number: Type.Integer({ description: "The distributor's own number of the order." }),
    ...OperatorAdjustment.properties,
  },
  {
    $id: 'ListedAdjustment',
    description: 'An adjustment as operators list it.',
    examples: [
      {
        client_id: 1,
        client_name: 'Lindner Car Service',
        order_number: 100_234,
        ...exampleAdjustment,
        request: exampleAdjustmentRequest,
      },
    ],
  },
)
export type ListedAdjustment = Static<typeof ListedAdjustment>

const listOperatorAdjustmentsSql = statement(new URL('list-operator-adjustments.sql', import.meta.url), {
  parameters: { statuses: textArray, client: nullable(int8), before_id: int8, page_size: int8 },
  columns: { client_id: int8, client_name: text, order_number: int8, ...adjustmentColumns },
  listed: adjustmentColumns,
})

interface AdjustmentFilter {
  readonly status?: readonly string[] | undefined
  readonly client_id?: number | undefined
}

/** Newest first. */
export async function listOperatorAdjustments(
  db: Database,
  { status = adjustmentStatuses, client_id }: AdjustmentFilter,
  page: PageRequest,
): Promise<Page<ListedAdjustment>> {
  const rows = await db.rows(listOperatorAdjustmentsSql, {
    statuses: [...status],
    client: client_id ?? null,
    before_id: idAfter(page) ?? idMax,
    page_size: page.limit + 1,
  })
  const adjustments = rows.map((row) => ({
    client_id: row.client_id,
    client_name: row.client_name,
    order_number: row.order_number,
    ...operatorAdjustmentOf(row),
  }))
  return cutPage(adjustments, page, ({ adjustment_id }) => adjustment_id)
}
