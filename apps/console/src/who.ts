import type { Words } from './words/words.tsx'

/**
 * Who did something, as people say it: the log has `operator 3 key 3, Anna Berg`, `key 17` of a client, whose name is shown
 * where it is known, or the worker.
 */
export function whoOf(actor: string, { t }: Words, client?: string): string {
  const [, name] = /^operator .*?, (.+)$/.exec(actor) ?? []
  if (name !== undefined) return name
  const [, key] = /^key (\d+)$/.exec(actor) ?? []
  return key === undefined ? t('by_service') : (client ?? t('by_client', { key }))
}
