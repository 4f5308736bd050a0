/** What the real HAProxy answers on its own, and what it counts, in front of a server whose behaviour each test sets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { refusals } from '../../apps/service/src/vocabulary/refusals.ts'
import { config, startHaproxy, type Haproxy } from './start-haproxy.ts'
import { eventually } from '../../apps/service/src/testing/process.ts'

let server: Server
const open: Haproxy[] = []

before(async () => {
  server = createServer((request, response) => {
    request.resume()
    if (request.url === '/broken') response.destroy()
    else if (request.url === '/silent') return
    else response.writeHead(request.headers['x-answer'] === undefined ? 200 : Number(request.headers['x-answer'])).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
after(() => {
  for (const proxy of open) proxy.stop()
  server.close()
  server.closeAllConnections()
})

async function start(text = config): Promise<Haproxy> {
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const proxy = await startHaproxy([address, address], text)
  open.push(proxy)
  return proxy
}

/** The sum of the counts whose names and labels match. */
async function count({ metricsUrl }: Haproxy, what: RegExp): Promise<number> {
  const lines = (await (await fetch(metricsUrl)).text()).split('\n').filter((line) => what.test(line))
  assert(lines.length > 0, String(what))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

test('a process that breaks off or does not answer: 502 and 504 as JSON, of which the caller learns that the request may have taken effect', async () => {
  const proxy = await start(config.replace('timeout server 60s', 'timeout server 1s'))
  for (const [path, status] of [
    ['/broken', 502],
    ['/silent', 504],
  ] as const) {
    // prettier-ignore
    const { headers, text, ...answer } = await proxy.send('GET', path)
    assert.equal(answer.status, status)
    assert.equal(headers['retry-after'], '2')
    assert.equal(headers['content-type'], 'application/json; charset=utf-8')
    assert.equal(headers['cache-control'], 'no-store')
    assert.equal(headers['strict-transport-security'], 'max-age=31536000')
    const { errors, request_id, ...rest } = JSON.parse(text) as { errors: { code: string }[]; request_id: string }
    assert.deepEqual(rest, { status: 'fail' })
    assert.deepEqual(errors.map(({ code }) => code), ['database_unavailable']) // prettier-ignore
    assert.equal(request_id, headers['x-request-id'])
  }
})

test('every answer of the proxy is JSON in the shape of the service, with a code that the service has', () => {
  const statuses = [400, 404, 408, 429, 500, 502, 503, 504]
  const own = [...config.matchAll(/^ *http-error status (\d+) content-type "application\/json; charset=utf-8" lf-string '(.*)' hdr X-Request-Id %\[unique-id\] hdr Cache-Control no-store(?: hdr Retry-After (\d+))?$/gm)] // prettier-ignore
  assert.deepEqual(own.map(([, status]) => Number(status)), statuses) // prettier-ignore
  for (const [, status = '', text = '', retryAfter] of own) {
    const { errors } = JSON.parse(text) as { errors: { code: keyof typeof refusals; details?: object }[] }
    const { code = 'busy', details = {} } = errors[0] ?? {}
    const kind = refusals[code]
    assert.equal(kind.status, ['502', '504'].includes(status) ? 503 : Number(status), text)
    assert.deepEqual(Object.keys(details), Object.keys(kind.example), text)
    assert.equal(retryAfter !== undefined, ['429', '502', '503', '504'].includes(status), text)
  }
  const denied = [...config.matchAll(/ deny\b(?: deny_status (\d+))?/g)].map(([, status]) => Number(status))
  assert(denied.length > 0 && denied.every((status) => statuses.includes(status)))
})

test('a source that floods gets 429 as JSON with Retry-After, and another one is served', async () => {
  const proxy = await start(
    config.replace('req_rate gt 2000', 'req_rate gt 20').replace('req_rate(10s)', 'req_rate(1h)'),
  )
  const answers = await Promise.all(Array.from({ length: 60 }, () => proxy.send('GET', '/', { from: '127.0.0.2' })))
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(answers.filter(({ status }) => status === 200).length, 20)
  assert.equal(refused.length, 40)
  for (const { headers, text } of refused) {
    assert.equal(headers['retry-after'], '10')
    assert.deepEqual(JSON.parse(text), {
      status: 'fail',
      errors: [
        {
          code: 'rate_limited',
          message: 'Rate limit exceeded. One address may send 200 requests per second, over 10 seconds.',
          details: { rate_per_second: 200, rate_burst: 2000 },
        },
      ],
      request_id: headers['x-request-id'],
    })
  }
  assert.equal((await proxy.send('GET', '/', { from: '127.0.0.3' })).status, 200)
})

test('the limit is the one of which the answer speaks', () => {
  const limit = Number(/http_req_rate\(10s\)[^]*sc0_http_req_rate gt (\d+)/.exec(config)?.[1])
  assert.equal(limit, 2_000)
  assert(config.includes(`"rate_per_second":${limit / 10},"rate_burst":${limit}}`))
})

test('a source with too many connections gets no further one, and another one does', async () => {
  const proxy = await start(config.replace('sc0_conn_cur gt 1000', 'sc0_conn_cur gt 5'))
  const held = Array.from({ length: 5 }, () => proxy.send('GET', '/silent', { from: '127.0.0.2' }).catch(() => undefined))
  await eventually(async () => (await count(proxy, /^haproxy_backend_current_sessions\{proxy="api"\}/)) === 5)
  await assert.rejects(proxy.send('GET', '/', { from: '127.0.0.2' }))
  assert.equal((await proxy.send('GET', '/', { from: '127.0.0.3' })).status, 200)
  proxy.stop()
  open.splice(open.indexOf(proxy), 1)
  await Promise.all(held)
}) // prettier-ignore

test('an order that no process could answer is the difference of two counters, and one that a process answered is in both', async () => {
  const proxy = await start()
  const both = async (): Promise<[number, number]> => [
    await count(proxy, /^haproxy_backend_http_responses_total\{proxy="orders",code="5xx"\}/),
    await count(proxy, /^haproxy_server_http_responses_total\{proxy="orders",server="api_\d",code="5xx"\}/),
  ]
  const order = (answer: string) => proxy.send('PUT', '/api/v1/orders/', { headers: { 'x-answer': answer } })
  assert.equal((await order('200')).status, 200)
  assert.equal((await order('503')).status, 503)
  assert.equal((await proxy.send('PUT', '/api/v1/orders', { headers: { 'x-answer': '500' } })).status, 500)
  await eventually(async () => JSON.stringify(await both()) === '[2,2]')
  // Not an order.
  assert.equal((await proxy.send('GET', '/api/v1/orders/', { headers: { 'x-answer': '500' } })).status, 500)

  const alone = await startHaproxy(['127.0.0.1:1', '127.0.0.1:1'])
  open.push(alone)
  assert.equal((await alone.send('PUT', '/api/v1/orders/')).status, 503)
  assert.equal(await count(alone, /^haproxy_backend_http_responses_total\{proxy="orders",code="5xx"\}/), 1)
  assert.equal(
    await count(alone, /^haproxy_server_http_responses_total\{proxy="orders",server="api_\d",code="5xx"\}/),
    0,
  )
  assert.deepEqual(await both(), [2, 2])
})
