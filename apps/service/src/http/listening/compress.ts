/**
 * Compresses large responses for clients that accept it. Small ones are sent as they are: they fit into a few packets, and
 * compressing them would cost more time than it saves.
 */
import { brotliCompress, constants, gzip, type BrotliOptions, type ZlibOptions } from 'node:zlib'
import type { FastifyInstance, onSendHookHandler } from 'fastify'
import { addVary } from '../vary.ts'

const compressedFromLength = 8 * 1024 // Characters. A page of ten orders.

type Coding = 'br' | 'gzip'
type Compressed = (error: Error | null, bytes: Buffer) => void

/** Both run outside of the event loop. The levels are those after which another percent of size costs most. */
const gzipOptions: ZlibOptions = { level: 3 }
const brotliOptions: BrotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }
const compressors: Record<Coding, (text: string, done: Compressed) => void> = {
  br: (text, done) => brotliCompress(text, brotliOptions, done),
  gzip: (text, done) => gzip(text, gzipOptions, done),
}

/** For all routes that are registered from now on. Each route compresses last, after its own hooks have seen the text. */
export function compressLargeResponses(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    route.onSend = [...[route.onSend ?? []].flat(), compressIfLarge]
  })
}

const compressIfLarge: onSendHookHandler = ({ headers }, reply, payload, done) => {
  if (typeof payload !== 'string' || payload.length < compressedFromLength) return done(null, payload)
  addVary(reply, 'Accept-Encoding')
  const coding = codingFor(headers['accept-encoding'] ?? '')
  if (coding === undefined) return done(null, payload)
  compressors[coding](payload, (error, bytes) => {
    if (error !== null) return done(error)
    reply.header('content-encoding', coding)
    done(null, bytes)
  })
}

/** The best coding that the client accepts. `gzip;q=0` refuses one; the other weights do not matter between two. */
export function codingFor(accepted: string): Coding | undefined {
  if (accepted === '') return undefined
  const weights = new Map(
    accepted.split(',').map((part) => {
      const [coding = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase())
      return [coding, parameters.some((text) => /^q\s*=\s*0(\.0*)?$/.test(text)) ? 'refused' : 'accepted']
    }),
  )
  return codings.find((coding) => (weights.get(coding) ?? weights.get('*')) === 'accepted')
}

const codings: readonly Coding[] = ['br', 'gzip']
