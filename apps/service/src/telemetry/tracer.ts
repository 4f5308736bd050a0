/**
 * Spans of requests, statements and deliveries, sent to an OpenTelemetry collector as OTLP in JSON over HTTP. Nothing
 * waits for the collector: spans are sent in batches, and dropped and counted while it does not keep up.
 */
import { Counter } from 'prom-client'
import type { Logger } from 'pino'
import type { StatementAttempt } from 'pg-statements/database.ts'
import { newSpanId, newTraceId, type TraceContext } from './trace-context.ts'

export interface TracerSettings {
  /** Of the collector, such as `http://127.0.0.1:4318`; empty: nothing is recorded. */
  readonly endpoint: string
  /** Which part of the traces that begin here is recorded, from 0 to 1. */
  readonly ratio: number
  readonly serviceName: string
  readonly serviceVersion: string
  readonly logger: Logger
}

type Attributes = Readonly<Record<string, string | number | undefined>>

export interface EndedSpan {
  readonly name: string
  readonly attributes: Attributes
  readonly failed: boolean
}

/** The span of a request or a delivery, or, without `end`, a trace that is only passed on. */
export interface OpenSpan extends TraceContext {
  /** Records a statement as a part of the span. */
  readonly onStatement?: (attempt: StatementAttempt) => void
  readonly end?: (span: EndedSpan) => void
}

export interface Tracer {
  /** Begins a span if its parent is recorded, or, without a parent, by the ratio. */
  readonly begin: (kind: 'server' | 'client', parent: TraceContext | undefined) => OpenSpan | undefined
  /** Sends what is left. */
  readonly close: () => Promise<void>
}

const spansQueuedMax = 4_096 // About 3 MB; at more than 4,096 spans a second, the rest is dropped.
const spansPerRequestMax = 1_024 // About 500 KB of JSON, made in a few milliseconds.
const sendEveryMs = 1_000
const sendTimeoutMs = 5_000
const kinds = { internal: 1, server: 2, client: 3 } // Of OTLP.
const failedStatus = { code: 2 }

const sentSpans = new Counter({ name: 'parts_trace_spans_sent_total', help: 'Spans that the collector accepted.' })
const droppedSpans = new Counter({
  name: 'parts_trace_spans_dropped_total',
  help: 'Spans that were not sent because the queue was full (queue), or that the collector did not accept (collector).',
  labelNames: ['reason'],
})

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId: string | undefined
  readonly name: string
  readonly kind: keyof typeof kinds
  readonly startMs: number
  readonly endMs: number
  readonly attributes: Attributes
  readonly failed: boolean
}

/** Undefined without an endpoint: traces are passed on then, and nothing is recorded. */
export function openTracer({
  endpoint,
  ratio,
  serviceName,
  serviceVersion,
  logger,
}: TracerSettings): Tracer | undefined {
  if (endpoint === '') return undefined
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`
  const resource = { attributes: otlpAttributes({ 'service.name': serviceName, 'service.version': serviceVersion }) }
  let queue: Span[] = []
  let sending: Promise<void> | undefined
  let warned = false

  function record(span: Span): void {
    if (queue.length < spansQueuedMax) queue.push(span)
    else droppedSpans.inc({ reason: 'queue' })
  }

  async function sendAll(): Promise<void> {
    while (queue.length > 0) {
      const batch = queue.slice(0, spansPerRequestMax)
      queue = queue.slice(spansPerRequestMax)
      await send(batch)
    }
  }

  async function send(batch: readonly Span[]): Promise<void> {
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          resourceSpans: [{ resource, scopeSpans: [{ scope: { name: serviceName }, spans: batch.map(otlpSpan) }] }],
        }),
        signal: AbortSignal.timeout(sendTimeoutMs),
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`The collector answered ${response.status}.`)
      sentSpans.inc(batch.length)
      warned = false
    } catch (error) {
      droppedSpans.inc({ reason: 'collector' }, batch.length)
      if (!warned) logger.warn({ err: error }, 'the collector does not accept spans; they are dropped')
      warned = true // Once, until it accepts spans again.
    }
  }

  const timer = setInterval(() => {
    sending ??= sendAll().finally(() => (sending = undefined))
  }, sendEveryMs)
  timer.unref()

  return {
    begin: (kind, parent) => {
      if (parent === undefined ? Math.random() >= ratio : !parent.sampled) return parent
      return openSpan({ kind, parent, traceId: parent?.traceId ?? newTraceId() }, record)
    },
    close: async () => {
      clearInterval(timer)
      await sending
      await sendAll()
    },
  }
}

interface Begun {
  readonly kind: 'server' | 'client'
  readonly parent: TraceContext | undefined
  readonly traceId: string
}

function openSpan({ kind, parent, traceId }: Begun, record: (span: Span) => void): OpenSpan {
  const spanId = newSpanId()
  const startMs = nowMs()
  return {
    traceId,
    spanId,
    sampled: true,
    onStatement: ({ statement, outcome, seconds }) => {
      const endMs = nowMs()
      record({
        traceId,
        spanId: newSpanId(),
        parentSpanId: spanId,
        name: statement,
        kind: 'client',
        startMs: endMs - seconds * 1000,
        endMs,
        attributes: { 'db.system.name': 'postgresql', 'db.operation.name': statement, 'parts.outcome': outcome },
        failed: outcome !== 'done' && outcome !== 'refused',
      })
    },
    end: ({ name, attributes, failed }) =>
      record({
        traceId,
        spanId,
        parentSpanId: parent?.spanId,
        name,
        kind,
        startMs,
        endMs: nowMs(),
        attributes,
        failed,
      }),
  }
}

const nowMs = (): number => performance.timeOrigin + performance.now()

/** OTLP writes 64-bit numbers as decimal strings. */
const otlpSpan = ({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, failed }: Span): object => ({
  traceId,
  spanId,
  parentSpanId,
  name,
  kind: kinds[kind],
  startTimeUnixNano: nanoseconds(startMs),
  endTimeUnixNano: nanoseconds(endMs),
  attributes: otlpAttributes(attributes),
  ...(failed ? { status: failedStatus } : {}),
})

const nanoseconds = (ms: number): string => `${Math.round(ms * 1000)}000` // As a number it would not be exact.

const otlpAttributes = (attributes: Attributes): object[] =>
  Object.entries(attributes).flatMap(([key, value]) => {
    if (value === undefined) return []
    return [{ key, value: typeof value === 'number' ? { intValue: String(value) } : { stringValue: value } }]
  })
