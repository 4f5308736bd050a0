/**
 * Webhook secrets as they are stored: sealed with AES-256-GCM under a key that is not in the database, so that a copy
 * of the database signs nothing. Without a key they are stored as they are.
 *
 * A sealed secret is `sealed:<name of the key>:<base64 of nonce, tag and ciphertext>`; a plain one starts with `whsec_`.
 * The client's id is authenticated with it: a sealed secret that is copied to another client's endpoint does not open.
 */
import assert from 'node:assert/strict'
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

export interface SecretKey {
  readonly name: string
  /** 256 bits. */
  readonly key: Uint8Array
}

export interface SecretBox {
  /** What every secret sealed with the first key starts with; undefined without keys. */
  readonly sealedPrefix: string | undefined
  /** The secret as it is to be stored. */
  readonly seal: (secret: string, client_id: number) => string
  /** The secret itself. Throws if it is sealed with a key that this box does not have, or for another client. */
  readonly open: (stored: string, client_id: number) => string
}

/** Whose secrets those of the feed's endpoints are: no client has this id. */
export const distributor = 0

const algorithm = 'aes-256-gcm'
const sealed = 'sealed'
const nonceBytes = 12 // Random; safe for 2^32 secrets under one key (NIST SP 800-38D).
const tagBytes = 16

/** The first key seals; all of them open. */
export function makeSecretBox(keys: readonly SecretKey[]): SecretBox {
  const [first] = keys
  return {
    sealedPrefix: first && prefixOf(first),
    seal: (secret, client_id) => {
      if (first === undefined) return secret
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first.key, nonce).setAAD(ownerOf(client_id))
      const ciphertext = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return `${prefixOf(first)}${Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64')}`
    },
    open: (stored, client_id) => {
      const [form, name, text = ''] = stored.split(':')
      if (form !== sealed) return stored
      const found = keys.find((key) => key.name === name)
      assert(found, `WEBHOOK_SECRET_KEYS does not have the key '${name}'.`)
      const bytes = Buffer.from(text, 'base64')
      const decipher = createDecipheriv(algorithm, found.key, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes, // Otherwise a shorter tag, which is easier to forge, would be accepted.
      })
        .setAAD(ownerOf(client_id))
        .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]).toString()
    },
  }
}

const prefixOf = ({ name }: SecretKey): string => `${sealed}:${name}:`

const ownerOf = (client_id: number): Buffer => Buffer.from(`client ${client_id}`)

/** Reads `NAME:KEY,NAME:KEY`; each key is 32 bytes in base64. Undefined for anything else. */
export function readSecretKeys(text: string): SecretKey[] | undefined {
  if (text === '') return []
  const keys = text.split(',').map((part) => {
    const [, name = '', base64 = ''] = /^([\w.-]{1,40}):([A-Za-z0-9+/]{43}=)$/.exec(part.trim()) ?? []
    return { name, key: Buffer.from(base64, 'base64') }
  })
  const names = new Set(keys.map(({ name }) => name))
  return names.has('') || names.size < keys.length ? undefined : keys
}
