/** The W3C trace context: which trace a request or an event belongs to, and whether its spans are recorded. */
import { randomBytes } from 'node:crypto'

export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string
  /** The span that what follows is a part of; 16 hexadecimal digits. */
  readonly spanId: string
  readonly sampled: boolean
}

/** Version 00 exactly; of a later version, what version 00 has. The version ff and ids of zeros are invalid. */
const traceparentForm = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Undefined if the header is invalid: the request then begins a trace of its own, or none. */
export function parseTraceparent(header: string): TraceContext | undefined {
  const [, version, traceId, spanId, flags, rest] = traceparentForm.exec(header) ?? []
  if (traceId === undefined || spanId === undefined || (version === '00' && rest !== undefined)) return undefined
  return { traceId, spanId, sampled: (Number.parseInt(flags ?? '0', 16) & 1) === 1 }
}

export const formatTraceparent = ({ traceId, spanId, sampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`

/**
 * The request id of a request with a trace, unless the client sent an id of its own. Events store the request id, so the
 * worker, which delivers them as webhooks, knows the trace of the request that caused an event.
 */
export const requestIdOfTrace = ({ traceId, spanId, sampled }: TraceContext): string =>
  `${traceId}-${spanId}-${sampled ? '01' : '00'}`

export const traceOfRequestId = (requestId: string): TraceContext | undefined =>
  requestId.length === requestIdLength ? parseTraceparent(`00-${requestId}`) : undefined

const requestIdLength = 32 + 1 + 16 + 1 + 2

export const newTraceId = (): string => randomBytes(16).toString('hex')
export const newSpanId = (): string => randomBytes(8).toString('hex')
