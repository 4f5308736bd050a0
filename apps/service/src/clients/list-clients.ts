import type { ListedClient } from './client.ts'
import { searchedWords } from '../input/search-words.ts'
import { idAfter, type Page, type PageRequest, positionAfter } from '../vocabulary/paging.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement, type Values } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, nullable, text, textArray } from 'pg-statements/types.ts'

const listClientsSql = statement(new URL('list-clients.sql', import.meta.url), {
  parameters: {
    words: nullable(textArray),
    number: nullable(int8),
    after_word: text,
    after_id: int8,
    after_contact: int8,
    scan_max: int8,
    page_size: int8,
  },
  columns: {
    word: text,
    client_id: int8,
    contact_id: int8,
    found: bool,
    client_name: text,
    block_reason: nullable(text),
    contracts: jsonOf<ListedClient['contracts']>(),
  },
})

type ClientRow = Values<(typeof listClientsSql)['columns']>

interface ClientPosition {
  readonly word: string
  readonly client_id: number
  readonly contact_id: number
}

export const wordsScannedMax = 2_000 // Words of clients examined for one page, as many as a page of items examines.

/** Clients in the order in which they were created, or with a search in the order of the words found. */
export async function listClients(
  db: Database,
  { search }: { search?: string | undefined },
  page: PageRequest,
): Promise<Page<ListedClient>> {
  const rows = await db.rows(listClientsSql, clientsPage(search, positionOf(search, page), page.limit + 1))
  const found = rows.filter((row) => row.found)
  const shown = found.slice(0, page.limit)
  // After a full page, the next one starts after its last client; otherwise after the last word examined.
  const last = found.length > shown.length ? shown.at(-1) : rows.find((row) => !row.found)
  return {
    data: shown.map(({ client_id, client_name, block_reason, contracts }) => ({
      client_id,
      client_name,
      block_reason,
      contracts,
    })),
    next_cursor: last === undefined ? null : page.cursorAt(search === undefined ? last.client_id : cursorOf(last)),
  }
}

/** The statement's parameters for a page. */
export function clientsPage(
  search: string | undefined,
  { word, client_id, contact_id }: ClientPosition,
  page_size: number,
): Values<(typeof listClientsSql)['parameters']> {
  return {
    words: search === undefined ? null : searchedWords(search),
    number: search !== undefined && /^[1-9]\d{0,14}$/.test(search) ? Number(search) : null,
    after_word: word,
    after_id: client_id,
    after_contact: contact_id,
    scan_max: search === undefined ? page_size : wordsScannedMax,
    page_size,
  }
}

/** A word may contain any character, so the cursor has its bytes. */
const cursorOf = ({ word, client_id, contact_id }: ClientRow): string =>
  `w${Buffer.from(word).toString('hex')}-${client_id}-${contact_id}`

function positionOf(search: string | undefined, page: PageRequest): ClientPosition {
  if (search === undefined) return { word: '', client_id: idAfter(page) ?? 0, contact_id: 0 }
  const [, word = 'w', client = '0', contact = '0'] = positionAfter(page, /^(w[0-9a-f]*)-(\d+)-(\d+)$/) ?? []
  return {
    word: Buffer.from(word.slice(1), 'hex').toString(),
    client_id: Number(client),
    contact_id: Number(contact),
  }
}
