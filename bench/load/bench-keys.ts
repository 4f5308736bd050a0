/** API keys of the generated clients: known to whoever has the source, so a benchmark needs no list of them. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { keyIdOf } from '../../service/src/access/api-key.ts'

/** The key of a generated client; the loader gives each client the key with its own number. */
export function benchKey(keyId: number): string {
  const body = `pos_${keyId}_${hash('sha256', `bench key ${keyId}`).slice(0, 43)}`
  const key = `${body}_${checksum(body)}`
  assert.equal(keyIdOf(key), keyId, 'The form of API keys has changed: change benchKey with it.')
  return key
}

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function checksum(body: string): string {
  const digit = (place: number): string => base62.charAt(Math.floor(crc32(body) / 62 ** place) % 62)
  return [5, 4, 3, 2, 1, 0].map(digit).join('')
}
