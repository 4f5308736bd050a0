import type { Logger } from 'pino'
import type { Database } from 'pg-statements/database.ts'
import { ConfigError, type Config } from '../config.ts'
import { countSealedSecrets } from '../webhooks/secrets/seal-webhook-secrets.ts'

/** Throws without a key that webhook secrets are encrypted with: their messages could not be signed. */
export async function checkSecretKeys(
  db: Database,
  { webhookSecretKeys }: Pick<Config, 'webhookSecretKeys'>,
): Promise<void> {
  const names = new Set(webhookSecretKeys.map(({ name }) => name))
  const sealed = await countSealedSecrets(db)
  const missing = sealed.filter(({ key_name }) => !names.has(key_name))
  if (missing.length > 0)
    throw new ConfigError(
      missing.map(
        ({ key_name, secrets }) =>
          `WEBHOOK_SECRET_KEYS must have the key '${key_name}': ${secrets} webhook secret(s) are encrypted with it.`,
      ),
    )
}

/** Said once at the start of the API or a worker, however many processes serve it. */
export function warnOfPlainSecrets({ webhookSecretKeys }: Pick<Config, 'webhookSecretKeys'>, logger: Logger): void {
  if (webhookSecretKeys.length === 0)
    logger.warn('WEBHOOK_SECRET_KEYS is not set: webhook secrets are stored in plain text')
}
