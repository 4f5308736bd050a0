import type { Words } from './words/words.tsx'

/** Who did something, as people say it: the log has `operator 3 key 3, Anna Berg`, `key 17` or the worker. */
export function whoOf(actor: string, { t }: Words): string {
  const [, name] = /^operator .*?, (.+)$/.exec(actor) ?? []
  if (name !== undefined) return name
  const [, key] = /^key (\d+)$/.exec(actor) ?? []
  return key === undefined ? t('by_service') : t('by_client', { key })
}
