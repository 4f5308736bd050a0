/** Operators of every role, and requests sent with their keys. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Role } from '../identity/actor.ts'
import { makeApiKey } from '../identity/authenticate.ts'
import { issueOperatorKey } from '../keys/issue-operator-key.ts'
import { byTheTests } from './fixtures.ts'
import type { Answer, TestService } from './service.ts'
import { makeWorld, type World } from './world.ts'

export interface Operators {
  readonly keys: Readonly<Record<Role, string>>
  /** Sends a request as an admin; it must succeed. */
  readonly ok: (method: string, path: string, json?: object) => Promise<any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
}

export interface OperatorWorld extends World {
  readonly operators: Operators
}

export interface RoleWorld extends OperatorWorld {
  /** Of the key that the request is sent with. */
  readonly role: Role
}

export async function makeOperators(service: TestService): Promise<Operators> {
  const issue = async (role: Role): Promise<string> =>
    (await issueOperatorKey(service.db, { operator_name: `Test ${role}`, role, ...byTheTests })).key
  const keys = {
    viewer: await issue('viewer'),
    decider: await issue('decider'),
    cataloguer: await issue('cataloguer'),
    admin: await issue('admin'),
  }
  return {
    keys,
    ok: async (method, path, json) => {
      const answer = await service.request(method, path, { key: keys.admin, json })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body.data
    },
  }
}

export const makeOperatorWorld = async (
  service: TestService,
  operators: Operators,
  role: Role = 'admin',
): Promise<RoleWorld> => ({
  ...(await makeWorld(service)),
  operators,
  role,
})

export interface OperatorRequest {
  readonly path: string
  readonly json?: object
  /** Sent as NDJSON. */
  readonly rows?: readonly object[]
  readonly headers?: Record<string, string>
}

export const sendAsOperator = (
  service: TestService,
  method: string,
  { path, json, rows, headers = {} }: OperatorRequest,
  key?: string,
): Promise<Answer> =>
  rows === undefined
    ? service.request(method, path, { key, json, headers })
    : service.request(method, path, {
        key,
        body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
        headers: { 'content-type': 'application/x-ndjson', ...headers },
      })

/** A request with an Idempotency-Key that was used for another one. */
export async function withUsedKey(
  { service, operators }: OperatorWorld,
  path: string,
  { first, second }: { readonly first: object; readonly second: object },
): Promise<OperatorRequest & { details: { idempotency_key: string } }> {
  const idempotency_key = randomUUID()
  const headers = { 'idempotency-key': idempotency_key }
  const { status } = await service.request('POST', path, { key: operators.keys.admin, json: first, headers })
  assert.equal(status, 200)
  return { path, json: second, headers, details: { idempotency_key } }
}

export const keyForm = /^(pso|pos)_\d+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/

/** Stands for a new key in expected data. */
export const expectedKey = 'a new key'

/** Well-formed, but never issued. */
export const neverIssuedKey = makeApiKey(999_999, 'pso')
