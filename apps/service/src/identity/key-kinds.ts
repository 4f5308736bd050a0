/** The two kinds of keys, and everything in which they differ: prefix, table and actor. */
import assert from 'node:assert/strict'
import { roleNamed, type Actor, type Operator } from './actor.ts'
import { shortStatement, statement, type Statement, type Values } from 'pg-statements/statement.ts'
import { bool, bytes, instant, int4, int8, int8Array, nullable, text, textArray } from 'pg-statements/types.ts'

/** The columns by which a key of either kind is checked. */
export const checkedColumns = {
  key_id: int8,
  digest: bytes,
  /** From when its age counts; null for a session that was started without a key. */
  issued_at: nullable(instant),
  expires_at: nullable(instant),
  revoked: bool,
}
export type CheckedColumns = typeof checkedColumns

export const drawShape = { parameters: {}, columns: { key_id: int8 } }

export const keyUseShape = {
  parameters: { key_ids: int8Array, ages_ms: int8Array, most: int8 },
  columns: { keys: int8 },
}

/** Of clients, operators, and the sessions of operators. */
export type KeyPrefix = 'pos' | 'pso' | 'pss'

export interface KeyKind<C extends CheckedColumns, A> {
  readonly prefix: KeyPrefix
  readonly drawId: Statement<typeof drawShape.parameters, typeof drawShape.columns>
  readonly find: Statement<{ key_id: typeof int8 }, C>
  /** Keys changed within the last 20 seconds, newest first. */
  readonly changed: Statement<{ most: typeof int8 }, C>
  readonly recordUses: Statement<typeof keyUseShape.parameters, typeof keyUseShape.columns>
  readonly actorOf: (row: Values<C>) => A
}

export const kind = <C extends CheckedColumns, A>(declared: KeyKind<C, A>): KeyKind<C, A> => declared

const clientColumns = {
  ...checkedColumns,
  client_id: int8,
  contact_id: int8,
  scopes: textArray,
  rate_per_second: int4,
  rate_burst: int4,
}

export const clientKeys = kind({
  prefix: 'pos',
  drawId: shortStatement('draw-client-key-id', {
    sql: `select nextval(pg_get_serial_sequence('api_keys', 'key_id')) as key_id`,
    ...drawShape,
  }),
  /** A key as it is now. The client is not known yet: the key identifies it. */
  find: shortStatement('find-client-key', {
    sql: `select key_id, client_id, contact_id, digest, scopes, rate_per_second, rate_burst,
        created_at as issued_at, expires_at, revoked_at is not null as revoked
      from api_keys
      where key_id = :key_id`,
    parameters: { key_id: int8 },
    columns: clientColumns,
  }),
  changed: statement(new URL('changed-client-keys.sql', import.meta.url), {
    parameters: { most: int8 },
    columns: clientColumns,
  }),
  recordUses: statement(new URL('record-client-key-uses.sql', import.meta.url), keyUseShape),
  actorOf: ({ client_id, contact_id, key_id, scopes, rate_per_second, rate_burst }): Actor => ({
    client_id,
    contact_id,
    key_id,
    scopes,
    rate_per_second,
    rate_burst,
  }),
})

const operatorColumns = { ...checkedColumns, operator_id: int8, operator_name: text, role: text }

export const operatorKeys = kind({
  prefix: 'pso',
  drawId: shortStatement('draw-operator-key-id', {
    sql: `select nextval(pg_get_serial_sequence('operator_keys', 'key_id')) as key_id`,
    ...drawShape,
  }),
  find: shortStatement('find-operator-key', {
    sql: `select k.key_id, k.operator_id, o.operator_name, k.role, k.digest, k.created_at as issued_at, k.expires_at,
        k.revoked_at is not null as revoked
      from operator_keys k join shown_operators o on o.operator_id = k.operator_id
      where k.key_id = :key_id`,
    parameters: { key_id: int8 },
    columns: operatorColumns,
  }),
  changed: statement(new URL('changed-operator-keys.sql', import.meta.url), {
    parameters: { most: int8 },
    columns: operatorColumns,
  }),
  recordUses: statement(new URL('record-operator-key-uses.sql', import.meta.url), keyUseShape),
  actorOf: ({ key_id, operator_id, operator_name, role: name }): Operator => {
    const role = roleNamed(name)
    assert(role, `Operator key ${key_id} has the unknown role '${name}'.`)
    return { key_id, operator_id, operator_name, role }
  },
})
