/** The audit log of the catalogue. Changes of clients and their orders are events; this log holds the rest. */
import Type, { type Static } from 'typebox'
import { cutPage, idAfter, type Page, type PageRequest } from '../vocabulary/paging.ts'
import { word, type WordList } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { datetime, int8, json, text } from 'pg-statements/types.ts'

const subjects: WordList = {
  name: 'CatalogueSubject',
  meaning: 'What a change of the catalogue is about. The plural words are imports.',
  words: [
    'item',
    'price',
    'stock-level',
    'stock',
    'price-list',
    'currency',
    'items',
    'prices',
    'stock-levels',
    'arrivals',
    'substitutes',
  ],
}

export const CatalogueChange = Type.Object(
  {
    change_id: Type.Integer({ description: 'Identifies the change.' }),
    changed_at: Type.String({ description: 'When it happened.' }),
    changed: word(subjects, 'What changed.'),
    data: Type.Object(
      {},
      { additionalProperties: true, description: 'The values that were set; for an import, its id and figures.' },
    ),
    actor: Type.String({ description: 'Who did it.' }),
    request_id: Type.String({ description: 'The X-Request-Id of the answer.' }),
  },
  {
    $id: 'CatalogueChange',
    examples: [
      {
        change_id: 90,
        changed_at: '2026-11-15 06:00:01',
        changed: 'price',
        data: { price_list_id: 1, item_id: 1024, price: 104.17 },
        actor: 'operator 3 key 3, ERP',
        request_id: 'pC2k9QxZ-1f',
      },
    ],
  },
)
export type CatalogueChange = Static<typeof CatalogueChange>

/** Newest first. */
const listCatalogueChangesSql = shortStatement('list-catalogue-changes', {
  sql: `select change_id, changed_at, changed, data, shown_actor(actor) as actor, request_id from catalogue_changes
    where change_id < :before_id
    order by change_id desc
    limit :page_size`,
  parameters: { before_id: int8, page_size: int8 },
  columns: { change_id: int8, changed_at: datetime, changed: text, data: json, actor: text, request_id: text },
})

/** Newest first. */
export async function listCatalogueChanges(db: Database, page: PageRequest): Promise<Page<CatalogueChange>> {
  const before_id = idAfter(page) ?? Number.MAX_SAFE_INTEGER
  const rows = await db.rows(listCatalogueChangesSql, { before_id, page_size: page.limit + 1 })
  return cutPage(rows, page, ({ change_id }) => change_id)
}
