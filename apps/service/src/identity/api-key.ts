/**
 * The format of a key: `pos_<key id>_<43 base62 characters>_<6 character checksum>` for clients, the same with `pso_`
 * for operators and `pss_` for their sessions. Secret scanners recognise it, and a mistyped key fails its checksum without a database read.
 */
import { hash, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

const base62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const secretLength = 43 // 256 bits.

export type KeyPrefix = 'pos' | 'pso' | 'pss'

const formats: Record<KeyPrefix, RegExp> = {
  pos: /^pos_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
  pso: /^pso_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
  pss: /^pss_([1-9][0-9]{0,15})_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/,
}

export function makeApiKey(keyId: number, prefix: KeyPrefix = 'pos'): string {
  return keyWith(keyId, prefix, Array.from({ length: secretLength }, () => base62[randomInt(62)]).join(''))
}

/** A key with a secret that is known: for the demo, whose keys are the same at each start. */
export function keyWith(keyId: number, prefix: KeyPrefix, secret: string): string {
  const body = `${prefix}_${keyId}_${secret}`
  return `${body}_${checksum(body)}`
}

/** The id in a key with the right format and checksum; undefined for anything else. */
export function keyIdOf(key: string, prefix: KeyPrefix = 'pos'): number | undefined {
  const keyId = Number(formats[prefix].exec(key)?.[1])
  return Number.isSafeInteger(keyId) && key.endsWith(checksum(key.slice(0, -7))) ? keyId : undefined
}

/** What is stored of a key. */
export function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function checksum(body: string): string {
  let rest = crc32(body)
  let text = ''
  for (let i = 0; i < 6; i++) {
    text = `${base62[rest % 62]}${text}`
    rest = Math.floor(rest / 62)
  }
  return text
}
