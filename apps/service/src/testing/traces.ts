/** What a change of an operator leaves: the event, the audit entry or the change of the catalogue that its route declares. */
import assert from 'node:assert/strict'
import type { Route } from '../http/routing/route.ts'
import type { TestService } from './service.ts'

/** The routes that change something and do not say what they leave. */
export const withoutTrace = (routes: readonly Route[]): string[] =>
  routes
    .filter(({ method, trace }) => method !== 'GET' && trace === undefined)
    .map(({ method, path }) => `${method} ${path}`)

interface Acted {
  readonly request_id: string
  /** How traces name the operator. One who acts for a client is named with the client. */
  readonly actor: string
}

/** Orders and adjustments say in their history what they were. Of persons the event before has the name, so that it can be erased. */
const saysBefore = (trace: string): boolean =>
  /^event (?!order|adjustment|contact)\w+\.(changed|blocked|unblocked|paused)$|^audit .*_changed$/.test(trace)

/**
 * Fails unless the request left what its route declares, with the operator as actor, and with the values before if it
 * changed something; `none` must leave nothing.
 */
export async function expectTrace(
  { sql }: Pick<TestService, 'sql'>,
  { method, path, trace = 'none: not declared' }: Route,
  { request_id, actor }: Acted,
): Promise<void> {
  const left = await sql(
    `select 'event ' || event_type as trace, actor, data -> 'before' as before from events where request_id = $1
     union all select 'audit ' || audit_action, actor, old_value from audit_entries where request_id = $1
     union all select 'catalogue ' || changed, actor, null from catalogue_changes where request_id = $1`,
    [request_id],
  )
  const shown = `${method} ${path} declares '${trace}' and left ${JSON.stringify(left)}`
  if (trace.startsWith('none: ')) return assert.deepEqual(left, [], shown)
  const [kind, words = ''] = trace.split(/ (.*)/)
  const declared = words.split(/, | or /).map((word) => `${kind} ${word}`)
  assert(
    left.some((one) => declared.includes(String(one['trace']))),
    shown,
  )
  for (const one of left)
    assert(one['actor'] === actor || String(one['actor']).startsWith(`${actor}, for client `), shown)
  for (const one of left) assert(!saysBefore(String(one['trace'])) || one['before'] !== null, shown)
}
