/** Metrics, log lines and traces of real requests and deliveries; spans arrive at a collector over HTTP. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { register } from 'prom-client'
import { requestIdOfTrace } from './trace-context.ts'
import { openTracer } from './tracer.ts'
import { makeLogger } from '../log.ts'
import { metricAdded, metricValue } from '../testing/metrics.ts'
import { address, addClient, addFixtures, shopper, type TestClient } from '../testing/fixtures.ts'
import { eventually, startProcess, type Running } from '../testing/process.ts'
import { startReceiver, type Receiver } from '../testing/network/receiver.ts'
import { startService, type TestService } from '../testing/service.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']
const sampled = `00-${traceId}-${spanId}-01`
const unsampled = `00-${traceId}-${spanId}-00`

interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: { readonly key: string; readonly value: Record<string, string> }[]
  readonly status?: { readonly code: number }
}

let collector: Receiver
let service: TestService
let worker: Running
let client: TestClient
let shop: ReturnType<typeof shopper>

before(async () => {
  collector = await startReceiver((_, response) => void response.writeHead(200).end('{}'))
  const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_TRACES_SAMPLER_ARG: '0' }
  const webhooks = { WEBHOOKS_ALLOW_HTTP: 'true', WEBHOOKS_ALLOW_PRIVATE: 'true' }
  service = await startService({ settings: { ...tracing, ...webhooks } })
  await addFixtures(service)
  worker = await startProcess('worker', {
    DATABASE_URL: service.databaseUrl,
    WORKER_PORT: '0',
    WORKER_METRICS_PORT: '0',
    ...webhooks,
    ...tracing,
  })
  client = await addClient(service)
  shop = shopper(service, client)
})
after(async () => {
  worker.child.kill('SIGKILL')
  await service.close()
  collector.close()
})

const spans = (): Span[] =>
  collector.received.flatMap(({ body }) => {
    const sent = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }
    return sent.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans))
  })
const spanNamed = async (name: string): Promise<Span> => {
  await eventually(async () => spans().some((span) => span.name === name))
  const [span, ...more] = spans().filter((span) => span.name === name)
  assert(span && more.length === 0)
  return span
}
const attributesOf = ({ attributes }: Span): Record<string, string | undefined> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value['stringValue'] ?? value['intValue']]))

const metricsOfWorker = async (): Promise<string> => (await fetch(`${worker.metrics}/metrics`)).text()

const answered = (): Record<string, unknown>[] =>
  service.log.map((line) => JSON.parse(line) as Record<string, unknown>).filter(({ msg }) => msg === 'answered')

async function fill(): Promise<number> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, { item_id: 1, quantity: 1 })
  return cart_id
}

test('an order is counted once, however often its request is repeated', async () => {
  const cart_id = await fill()
  const form = { cart_group_key: await shop.groupKey(cart_id), ...address }
  const place = (): Promise<unknown> => shop.ok('PUT', '/api/v1/orders/', form)
  assert.equal(await metricAdded(place, 'parts_orders_placed_total'), 1)
  assert.equal(await metricAdded(place, 'parts_orders_placed_total'), 0)
})

test('a refusal is counted by its code, and its log line has the code, the address and the trace', async () => {
  const refuse = async (): Promise<void> => {
    const answer = await service.request('GET', '/api/v1/orders/1/', {
      key: client.key,
      headers: { traceparent: unsampled },
    })
    assert.equal(answer.status, 404)
  }
  assert.equal(await metricAdded(refuse, 'parts_refusals_total', { code: 'order_not_found' }), 1)
  const line = answered().at(-1)
  assert.deepEqual(
    [line?.['status'], line?.['code'], line?.['address'], line?.['trace_id'], line?.['client_id']],
    [404, 'order_not_found', '127.0.0.1', traceId, client.client_id],
  )
})

test('requests that Fastify does not see are counted as refusals too', async () => {
  const refuse = async (): Promise<void> => {
    const { status } = await service.request('GET', '/healthz', { headers: { expect: 'the-impossible' } })
    assert.equal(status, 417)
  }
  assert.equal(await metricAdded(refuse, 'parts_refusals_total', { code: 'expectation_failed' }), 1)
})

test('probes leave no log line while they succeed', async () => {
  const lines = answered().length
  for (const path of ['/healthz', '/readyz']) assert.equal((await service.request('GET', path)).status, 200)
  await service.sql('alter table migrations rename to of_something_else')
  assert.equal((await service.request('GET', '/readyz')).status, 503)
  await service.sql('alter table of_something_else rename to migrations')
  const routes = answered().slice(lines).map(({ route, code }) => [route, code]) // prettier-ignore
  assert.deepEqual(routes, [['/readyz', 'not_ready']])
})

test('a request that waits for an event is counted as a long poll, and is not in the latency histogram', async () => {
  const route = '/api/v1/events/'
  const [last] = (await shop.ok('GET', `${route}?limit=500`)).slice(-1) as { event_number: number }[]
  const follow = async (): Promise<void> => {
    const cart_id = await fill()
    const waiting = shop.ok('GET', `${route}?after=${last?.event_number}&wait=20`)
    await eventually(async () => (await metricValue('parts_waiting_readers')) === 1)
    await shop.order(cart_id)
    await waiting
  }
  const lag = await metricValue('parts_feed_lag_seconds_count', { feed: 'client' })
  const timed = await metricValue('parts_http_request_duration_seconds_count', { route })
  assert.equal(await metricAdded(follow, 'parts_long_polls_total', { route, status: 200 }), 1)
  assert.equal(await metricValue('parts_http_request_duration_seconds_count', { route }), timed)
  assert.equal(await metricValue('parts_feed_lag_seconds_count', { feed: 'client' }), lag + 1)
})

test('the objective of placing an order is the upper bound of a bucket', async () => {
  const metrics = await register.getMetricsAsJSON()
  const histogram = metrics.find(({ name }) => name === 'parts_http_request_duration_seconds')
  assert(histogram?.values.some(({ labels }) => (labels as { le?: number }).le === 0.3))
})

test('the worker reports open requests and the age of the oldest, and both processes their versions', async () => {
  const order_id = await shop.order(await fill())
  await service.sql(
    `update orders set order_state_id = 'zayavka-na-otmen', state_before_request = order_state_id, order_update_datetime = now() - interval '2 hours' where order_id = $1`,
    [order_id],
  )
  await eventually(async () => /^parts_open_requests\{kind="cancellation"\} 1$/m.test(await metricsOfWorker()))
  const text = await metricsOfWorker()
  const oldest = Number(/^parts_oldest_open_request_seconds\{kind="cancellation"\} (\S+)$/m.exec(text)?.[1])
  assert(oldest >= 7_200 && oldest < 7_200 + 3_600)
  assert.match(text, /^parts_open_requests\{kind="adjustment"\} 0$/m)
  const schema = /^parts_database_schema_info\{schema="(\w+)"\} 1$/m.exec(text)?.[1]
  assert(schema)
  assert.match(text, new RegExp(`^parts_build_info\\{version="[\\d.]+",schema="${schema}",node="[\\d.]+"\\} 1$`, 'm'))
})

test('an event that a running transaction hides from the feed is reported with its age', async () => {
  const session = new pg.Client({ connectionString: service.databaseUrl })
  await session.connect()
  await session.query('begin; select pg_current_xact_id()')
  await shop.order(await fill())
  await eventually(async () => /^parts_feed_hidden_event_seconds (?!0$)\S+$/m.test(await metricsOfWorker()))
  await session.query('rollback')
  await session.end()
  await eventually(async () => /^parts_feed_hidden_event_seconds 0$/m.test(await metricsOfWorker()))
})

test('a recorded trace has spans of the request, of its statements, and of the delivery, which passes it on', async () => {
  const endpoint = await startReceiver()
  await shop.ok('PUT', '/api/v1/webhooks/', { url: endpoint.url })
  const form = { cart_group_key: await shop.groupKey(await fill()), ...address }
  const earlier = spans().length
  const answer = await service.request('PUT', '/api/v1/orders/', {
    key: client.key,
    form,
    headers: { traceparent: sampled },
  })
  assert.equal(answer.status, 200)
  const request = await spanNamed('PUT /api/v1/orders/')
  assert.deepEqual([request.traceId, request.parentSpanId, request.kind], [traceId, spanId, 2])
  assert.equal(attributesOf(request)['http.response.status_code'], '200')
  assert.equal(attributesOf(request)['parts.client_id'], String(client.client_id))
  assert.equal(answer.headers['x-request-id'], requestIdOfTrace({ traceId, spanId: request.spanId, sampled: true }))
  const statement = await spanNamed('place-order')
  assert.deepEqual([statement.traceId, statement.parentSpanId, statement.kind], [traceId, request.spanId, 3])
  assert(BigInt(statement.startTimeUnixNano) <= BigInt(statement.endTimeUnixNano))
  const delivery = await spanNamed('deliver order.created')
  assert.deepEqual([delivery.traceId, delivery.parentSpanId, delivery.kind], [traceId, request.spanId, 3])
  assert.equal(endpoint.received[0]?.headers['traceparent'], `00-${traceId}-${delivery.spanId}-01`)
  assert.equal(spans().length, earlier + 3)
  assert.match(await metricsOfWorker(), /^parts_webhook_first_attempt_delay_seconds_count [1-9]/m)
  endpoint.close()
})

test('a trace that its caller does not record is passed on to the log and to webhooks, and nothing is recorded', async () => {
  const endpoint = await startReceiver()
  await service.sql('update webhooks set url = $1', [endpoint.url])
  const form = { cart_group_key: await shop.groupKey(await fill()), ...address }
  const earlier = spans().length
  const headers = { traceparent: unsampled }
  const answer = await service.request('PUT', '/api/v1/orders/', { key: client.key, form, headers })
  assert.equal(answer.headers['x-request-id'], `${traceId}-${spanId}-00`)
  assert.equal(answered().at(-1)?.['trace_id'], traceId)
  await eventually(async () => endpoint.received.length === 1)
  assert.equal(endpoint.received[0]?.headers['traceparent'], unsampled)
  assert.equal(spans().length, earlier)
  endpoint.close()
})

test('an invalid traceparent is ignored, and X-Request-Id goes before a trace', async () => {
  const send = async (headers: Record<string, string>): Promise<unknown> =>
    (await service.request('GET', '/healthz', { headers })).headers['x-request-id']
  assert.doesNotMatch(String(await send({ traceparent: '00-zz-zz-01' })), /zz/)
  assert.equal(await send({ traceparent: unsampled, 'x-request-id': 'mine' }), 'mine')
})

test('with a ratio of 1 every request is recorded; what does not fit into the queue is dropped and counted', async () => {
  const tracer = openTracer({
    endpoint: collector.url,
    ratio: 1,
    serviceName: 'test',
    serviceVersion: '1',
    logger: makeLogger('silent'),
  })
  assert(tracer)
  const record = (): void => {
    for (let n = 0; n < 4_100; n++)
      tracer.begin('server', undefined)?.end?.({ name: 'many', attributes: {}, failed: true })
  }
  const dropped = await metricAdded(async () => record(), 'parts_trace_spans_dropped_total', { reason: 'queue' })
  assert.equal(dropped, 4)
  const earlier = spans().length
  await tracer.close()
  const sent = spans().slice(earlier)
  assert.deepEqual([sent.length, sent[0]?.status, sent[0]?.parentSpanId], [4_096, { code: 2 }, undefined])
  assert.equal(new Set(sent.map((span) => span.traceId)).size, 4_096)
})

test('without a collector, spans are dropped and counted, and requests are answered', async () => {
  const gone = await startReceiver()
  gone.close()
  const lines: string[] = []
  const logger = makeLogger('warn', { write: (line) => void lines.push(line) })
  const tracer = openTracer({ endpoint: gone.url, ratio: 1, serviceName: 'test', serviceVersion: '1', logger })
  assert(tracer)
  const end = async (): Promise<void> => {
    tracer.begin('server', undefined)?.end?.({ name: 'lost', attributes: {}, failed: false })
    await tracer.close()
  }
  assert.equal(await metricAdded(end, 'parts_trace_spans_dropped_total', { reason: 'collector' }), 1)
  assert.equal(lines.length, 1)
})
