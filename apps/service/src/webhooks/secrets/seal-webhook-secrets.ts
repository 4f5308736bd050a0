import type { SecretBox } from './secret-box.ts'
import { sealFeedSecrets } from './seal-feed-secrets.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { int8, int8Array, nullable, text, textArray } from 'pg-statements/types.ts'

const findUnsealedSecretsSql = statement(new URL('find-unsealed-secrets.sql', import.meta.url), {
  parameters: { after_id: int8, page_size: int8, sealed_prefix: text },
  columns: { client_id: int8, webhook_id: int8, stored: nullable(text) },
})
const storeSealedSecretsSql = statement(new URL('store-sealed-secrets.sql', import.meta.url), {
  parameters: { webhook_ids: int8Array, before: textArray, after: textArray },
  columns: { endpoints: int8 },
})
const countSealedSecretsSql = statement(new URL('count-sealed-secrets.sql', import.meta.url), {
  parameters: {},
  columns: { key_name: text, secrets: int8 },
})

const pageSize = 500

/**
 * Walks through all endpoints once and seals secrets that are plain or sealed with an older key. Yields the number of
 * endpoints after each batch. A batch is two statements, because the key is not in the database. Fails at the end if a
 * secret cannot be opened: it was changed by hand, or its key is missing.
 */
export async function* sealWebhookSecrets(db: Database, box: SecretBox): AsyncGenerator<number> {
  const { sealedPrefix: sealed_prefix } = box
  if (sealed_prefix === undefined) return
  const pageAfter = (after_id: number) =>
    db.rows(findUnsealedSecretsSql, { after_id, page_size: pageSize, sealed_prefix })
  const unreadable: number[] = []
  let page = await pageAfter(0)
  for (let last = page.at(-1); last !== undefined; last = page.at(-1)) {
    const unsealed = page.flatMap(({ client_id, webhook_id, stored: before }) => {
      if (before === null) return []
      try {
        return [{ webhook_id, before, after: box.seal(box.open(before, client_id), client_id) }]
      } catch {
        unreadable.push(webhook_id)
        return []
      }
    })
    if (unsealed.length > 0) {
      const stored = await db.row(storeSealedSecretsSql, {
        webhook_ids: unsealed.map(({ webhook_id }) => webhook_id),
        before: unsealed.map(({ before }) => before),
        after: unsealed.map(({ after }) => after),
      })
      yield stored?.endpoints ?? 0
    }
    page = await pageAfter(last.webhook_id)
  }
  const ofFeed = await sealFeedSecrets(db, box, sealed_prefix)
  if (ofFeed.sealed > 0) yield ofFeed.sealed
  const named = [...unreadable, ...ofFeed.unreadable.map((endpoint_id) => `${endpoint_id} of the feed`)]
  if (named.length > 0)
    throw new Error(`The secrets of these webhook endpoints cannot be decrypted: ${named.slice(0, 20).join(', ')}.`)
}

/** How many secrets are sealed with each key. */
export const countSealedSecrets = (db: Database): Promise<{ key_name: string; secrets: number }[]> =>
  db.rows(countSealedSecretsSql, {})
