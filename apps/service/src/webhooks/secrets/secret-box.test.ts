import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSecretBox, readSecretKeys, type SecretKey } from './secret-box.ts'
import { makeSecret } from '../signature.ts'

const keyNamed = (name: string): SecretKey => ({ name, key: Buffer.alloc(32, name) })
const [older, newer] = [keyNamed('2026'), keyNamed('2027')]

test('a sealed secret names its key, does not contain the secret, and differs each time', () => {
  const box = makeSecretBox([newer, older])
  const secret = makeSecret()
  const [one, two] = [box.seal(secret, 1), box.seal(secret, 1)]
  assert.match(one, /^sealed:2027:[A-Za-z0-9+/]+=*$/)
  assert(!one.includes(secret.slice('whsec_'.length)))
  assert.notEqual(one, two)
  assert.deepEqual([box.open(one, 1), box.open(two, 1)], [secret, secret])
})

test('older keys open what they sealed; a missing key is named', () => {
  const secret = makeSecret()
  const stored = makeSecretBox([older]).seal(secret, 1)
  assert.equal(makeSecretBox([newer, older]).open(stored, 1), secret)
  assert.throws(() => makeSecretBox([newer]).open(stored, 1), /does not have the key '2026'/)
  assert.throws(() => makeSecretBox([]).open(stored, 1), /does not have the key '2026'/)
})

test('a sealed secret opens for its client only, and not if a single byte was changed or cut off', () => {
  const box = makeSecretBox([older])
  const stored = box.seal(makeSecret(), 1)
  assert.throws(() => box.open(stored, 2))
  const prefix = 'sealed:2026:'
  const bytes = Buffer.from(stored.slice(prefix.length), 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    assert.throws(() => box.open(prefix + changed.toString('base64'), 1), `byte ${at}`)
    assert.throws(() => box.open(prefix + bytes.subarray(0, at).toString('base64'), 1), `${at} bytes`)
  }
})

test('without keys secrets are stored as they are, and plain ones can be read with any keys', () => {
  const secret = makeSecret()
  assert.equal(makeSecretBox([]).seal(secret, 1), secret)
  assert.equal(makeSecretBox([older]).open(secret, 1), secret)
})

test('keys are read as names with 32 bytes in base64; anything else is refused', () => {
  const base64 = Buffer.alloc(32, 7).toString('base64')
  assert.deepEqual(readSecretKeys(''), [])
  assert.deepEqual(
    readSecretKeys(`2027:${base64}, 2026-11.a:${base64}`)?.map(({ name, key }) => [name, key.length]),
    [
      ['2027', 32],
      ['2026-11.a', 32],
    ],
  )
  for (const bad of [base64, `:${base64}`, `a b:${base64}`, 'a:c2hvcnQ=', `a:${base64},a:${base64}`, `a:${base64},`])
    assert.equal(readSecretKeys(bad), undefined, bad)
})
