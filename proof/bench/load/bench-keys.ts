/** API keys of the generated clients. They are derived from the client's number, so no list of them is needed. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { keyIdOf } from '../../../apps/service/src/identity/authenticate.ts'

/** The loader gives each client the key with the client's own number. */
export function benchKey(keyId: number): string {
  const body = `pos_${keyId}_${hash('sha256', `bench key ${keyId}`).slice(0, 43)}`
  const key = `${body}_${checksum(body)}`
  assert.equal(keyIdOf(key), keyId, 'The format of API keys has changed: change benchKey, too.')
  return key
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function checksum(body: string): string {
  const digit = (place: number): string => base62.charAt(Math.floor(crc32(body) / 62 ** place) % 62)
  return [5, 4, 3, 2, 1, 0].map(digit).join('')
}
