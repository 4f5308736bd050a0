import { distributor, type SecretBox } from './secret-box.ts'
import { DatabaseTrouble, type Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int8, nullable, text } from 'pg-statements/types.ts'

const listFeedSecretsSql = shortStatement('list-feed-secrets', {
  sql: `select endpoint_id, secret, case when previous_secret_until > now() then previous_secret end as previous_secret
    from feed_endpoints
    order by endpoint_id`,
  parameters: {},
  columns: { endpoint_id: int8, secret: text, previous_secret: nullable(text) },
})
/** Not if it was rotated since it was read: it is sealed then. */
const sealFeedSecretSql = shortStatement('seal-feed-secret', {
  sql: `update feed_endpoints set secret = :sealed, previous_secret = :previous_sealed
    where endpoint_id = :endpoint_id and secret = :before
    returning endpoint_id`,
  parameters: { endpoint_id: int8, before: text, sealed: text, previous_sealed: nullable(text) },
  columns: { endpoint_id: int8 },
})

/** As `sealWebhookSecrets`, for the few endpoints of the feed. Returns how many it sealed, and those it could not open. */
export async function sealFeedSecrets(
  db: Database,
  box: SecretBox,
  sealed_prefix: string,
): Promise<{ sealed: number; unreadable: number[] }> {
  const isSealed = (stored: string | null): boolean => stored === null || stored.startsWith(sealed_prefix)
  const unreadable: number[] = []
  let sealed = 0
  for (const { endpoint_id, secret, previous_secret } of await db.rows(listFeedSecretsSql, {})) {
    if (isSealed(secret) && isSealed(previous_secret)) continue
    const seal = (stored: string): string => box.seal(box.open(stored, distributor), distributor)
    try {
      const values = { sealed: seal(secret), previous_sealed: previous_secret === null ? null : seal(previous_secret) }
      if ((await db.row(sealFeedSecretSql, { endpoint_id, before: secret, ...values })) !== undefined) sealed++
    } catch (error) {
      if (error instanceof DatabaseTrouble) throw error
      unreadable.push(endpoint_id)
    }
  }
  return { sealed, unreadable }
}
