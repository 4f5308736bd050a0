/** Sessions as a kind of key: their tokens have the form of keys, and are cached, checked and refused as keys are. */
import assert from 'node:assert/strict'
import { roleNamed, type Operator } from '../identity/actor.ts'
import { checkedColumns, drawShape, keyUseShape, kind } from '../identity/key-kinds.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { instant, int8, nullable, text } from 'pg-statements/types.ts'

const columns = {
  ...checkedColumns,
  signed_in_with: nullable(int8),
  operator_id: int8,
  operator_name: text,
  role: text,
  ends_at: instant,
}

export const operatorSessions = kind({
  prefix: 'pss',
  drawId: shortStatement('draw-session-id', {
    sql: `select nextval(pg_get_serial_sequence('operator_sessions', 'session_id')) as key_id`,
    ...drawShape,
  }),
  find: statement(new URL('find-session.sql', import.meta.url), { parameters: { key_id: int8 }, columns }),
  changed: statement(new URL('changed-sessions.sql', import.meta.url), { parameters: { most: int8 }, columns }),
  recordUses: statement(new URL('record-session-uses.sql', import.meta.url), keyUseShape),
  actorOf: ({ key_id: session_id, signed_in_with, operator_id, operator_name, role: name, ends_at }): Operator => {
    const role = roleNamed(name)
    assert(role, `Session ${session_id} has the unknown role '${name}'.`)
    return { key_id: signed_in_with, operator_id, operator_name, role, session: { session_id, ends_at } }
  },
})
