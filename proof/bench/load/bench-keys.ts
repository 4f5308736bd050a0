import { hash } from 'node:crypto'
import { keyWith } from '../../../apps/service/src/identity/authenticate.ts'

/**
 * The API key of a generated client, whose id is the client's. Its secret is derived from the id, so no list of keys is
 * needed.
 */
export const benchKey = (keyId: number): string =>
  keyWith(keyId, 'pos', hash('sha256', `bench key ${keyId}`).slice(0, 43))
