/** Makes hostile and malformed requests, as bytes for a socket. The same seed makes the same requests. */
import type { SeededRandom } from './seeded-random.ts'

export interface Targets {
  readonly clientKeys: readonly string[]
  readonly operatorKey: string
  readonly cart_id: number
  readonly order_id: number
}

export interface HostileRequest {
  readonly kind: string
  readonly bytes: Buffer
  /** Whether another request may follow on the connection: nothing is known of what the server makes of broken HTTP. */
  readonly isWhole: boolean
}

export function hostileRequests(seeded: SeededRandom, targets: Targets): () => HostileRequest {
  const { random, chance, any } = seeded
  const upTo = (max: number): number => Math.floor(random() * max)
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => upTo(256)))

  const clientPaths = [
    '/api/v1/carts/', `/api/v1/carts/${targets.cart_id}/`, `/api/v1/carts/${targets.cart_id}/items/`, '/api/v1/orders/',
    `/api/v1/orders/${targets.order_id}/`, `/api/v1/orders/${targets.order_id}/items/`, '/api/v1/events/', '/api/v1/items/',
    '/api/v1/webhooks/', '/api/v1/service/', '/api/v1/regions/', '/api/v1/order-states/',
  ] // prettier-ignore
  const operatorPaths = [
    '/operator/v1/clients/', '/operator/v1/orders/', '/operator/v1/orders/move/', '/operator/v1/inbox/', '/operator/v1/events/',
    `/operator/v1/orders/${targets.order_id}/move/`, '/operator/v1/stock-levels/1/1/', '/operator/v1/currencies/EUR/',
    '/operator/v1/stocks/1/', '/operator/v1/operator-keys/', '/operator/v1/items/1/',
  ] // prettier-ignore

  function target(paths: readonly string[]): string {
    const path = any(paths)
    if (chance(0.5)) return path
    const query = chance(0.5) ? '' : `?${form()}`
    return any([
      () => path + query,
      () => path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`) + query,
      () => `http://${any(['x', '[::1]', 'a@b:1', ''])}${path}${query}`,
      () =>
        `${path}${any(['..', '.', '//', '%2e%2e/', '%00', '%', '%zz', ';a=1', '#', '\\', '*', '{}', '~', "'"])}${query}`,
      () => `${path}${encodeURIComponent(any(junk).toWellFormed())}/${query}`,
      () => path.toUpperCase() + query,
      () => path + 'a/'.repeat(upTo(2_000)),
      () => any(['*', '/', '//', '', '?', 'x', '/docs/../api/v1/carts/', '/healthz/', '/openapi.json?x=%ff']),
    ])()
  }

  /** Headers of which few requests have any. */
  function oddHeaders(): string[] {
    if (chance(0.7)) return []
    return Array.from({ length: 1 + upTo(4) }, () =>
      any([
        () => `Authorization: ${any([...targets.clientKeys, targets.operatorKey, 'Bearer x', ''])}`,
        () => `Content-Type: ${any(types)}`,
        () => `Content-Encoding: ${any(['gzip', 'identity', 'br, gzip', '\t'])}`,
        () => `Expect: ${any(['100-continue', 'x', ''])}`,
        () => `Upgrade: ${any(['websocket', 'h2c', ''])}`,
        () => `Connection: ${any(['upgrade', 'close', 'keep-alive, x', 'HTTP2-Settings', ''])}`,
        () => `Accept-Encoding: ${any(['br', 'gzip;q=0', '*;q=', ';;,,', 'x'.repeat(500)])}`,
        () => `If-None-Match: ${any(['*', '"', 'W/', '"a", "b"', ','.repeat(500)])}`,
        () => `Idempotency-Key: ${any(['', 'a', 'é', 'x'.repeat(300), 'a, b'])}`,
        () => `X-Request-Id: ${any(['', '../..', 'x'.repeat(70), '${jndi}', 'a b'])}`,
        () => `X-Forwarded-For: ${any(['', '::1', '1.2.3.4, x', ','.repeat(99), '999.1.1.1'])}`,
        () => `Range: bytes=${upTo(9)}-${upTo(9)}`,
        () => `Origin: ${any(['null', 'https://a', ''])}`,
        () => `X-${'a'.repeat(upTo(40))}: ${'b'.repeat(upTo(3_000))}`,
      ])(),
    )
  }

  function key(of: 'client' | 'operator'): string[] {
    if (chance(0.05)) return []
    if (chance(0.05))
      return [`Authorization: ${any(['pos_1_x_y', 'Bearer a', `${targets.clientKeys[0]}x`, ' ', 'pso_'])}`]
    return [`Authorization: ${of === 'client' ? any(targets.clientKeys) : targets.operatorKey}`]
  }

  function request(method: string, url: string, headers: readonly string[], body?: Buffer): Buffer {
    const length = body === undefined ? [] : [`Content-Length: ${body.length}`]
    const head = [`${method} ${url} HTTP/1.1`, 'Host: parts.example', ...headers, ...length, '', ''].join('\r\n')
    return Buffer.concat([Buffer.from(head, 'latin1'), body ?? Buffer.alloc(0)])
  }

  function pair(): string {
    const name = chance(0.7) ? any(names) : any(junk)
    const value = chance(0.3) ? String(upTo(100)) : any(junk)
    return `${encode(name)}=${encode(value)}`
  }
  const encode = (text: string): string =>
    chance(0.9) ? encodeURIComponent(text.toWellFormed()) : text.replaceAll(/[^\x21-\x7e]/g, '?')
  const form = (): string => Array.from({ length: upTo(chance(0.02) ? 500 : 6) }, pair).join('&')

  function json(depth = 0): string {
    if (depth > 4 || chance(0.4))
      return any([() => JSON.stringify(any(junk)), () => String(upTo(1_000)), () => any(oddJson)])()
    const members = Array.from({ length: upTo(5) }, () => `${JSON.stringify(any(names))}:${json(depth + 1)}`)
    return chance(0.7) ? `{${members.join(',')}}` : `[${members.map(() => json(depth + 1)).join(',')}]`
  }

  const cell = (): string =>
    chance(0.2) ? `"${any(junk).replaceAll('"', '""')}"` : chance(0.5) ? any(junk) : String(upTo(99))
  function csv(): string {
    const width = 1 + upTo(chance(0.02) ? 2_000 : 5)
    const line = (of: () => string): string => Array.from({ length: width }, of).join(any([',', ';', '\t']))
    return [line(() => any(names)), ...Array.from({ length: upTo(20) }, () => line(cell))].join(
      any(['\n', '\r\n', '\r']),
    )
  }
  const ndjson = (): string => Array.from({ length: upTo(20) }, () => json()).join('\n')

  const make: Record<string, () => Buffer> = {
    path: () => request(any(methods), target([...clientPaths, ...operatorPaths]), [...key(any(['client', 'operator'])), ...oddHeaders()]),
    header: () => request('GET', any(clientPaths), [...key('client'), ...oddHeaders(), ...oddHeaders(), ...oddHeaders()]),
    form: () =>
      request(any(['PUT', 'PATCH', 'PUT', 'DELETE']), target(clientPaths), [...key('client'), typed(types[0]), ...oddHeaders()], damaged(form())),
    json: () =>
      request(any(['POST', 'PATCH', 'PUT']), target(operatorPaths), [...key('operator'), typed('application/json'), ...oddHeaders()], damaged(json())),
    csv: () =>
      request('PUT', `/api/v1/carts/${targets.cart_id}/items/bulk/?stock_id=1&dry_run=true`, [...key('client'), typed('text/csv')], damaged(csv())),
    table: () =>
      request('PUT', `/api/v1/carts/${targets.cart_id}/items/bulk/?dry_run=true`, [...key('client'), typed('application/json')], damaged(json())),
    import: () => {
      const [type, body] = any([['text/csv', csv()], ['application/x-ndjson', ndjson()]] as const)
      const kind = any(['items', 'prices', 'stock-levels', 'nothing'])
      return request('POST', `/operator/v1/imports/${kind}/`, [...key('operator'), typed(type)], damaged(body))
    },
  } // prettier-ignore
  const kinds = Object.keys(make)
  const typed = (type = ''): string => `Content-Type: ${chance(0.95) ? type : any(types)}`

  /** Mostly as it is; otherwise with a few bytes changed. */
  function damaged(text: string): Buffer {
    const body = Buffer.from(text)
    for (let n = chance(0.8) ? 0 : 1 + upTo(4); n > 0 && body.length > 0; n--) body[upTo(body.length)] = upTo(256)
    return body
  }

  /** Not HTTP, or HTTP that contradicts itself. */
  function broken(): Buffer {
    const whole = (make[any(kinds)] as () => Buffer)()
    return any([
      () => bytes(1 + upTo(300)),
      () => whole.subarray(0, upTo(whole.length)),
      () => {
        const changed = Buffer.from(whole)
        for (let n = 1 + upTo(5); n > 0; n--) changed[upTo(changed.length)] = upTo(256)
        return changed
      },
      () => Buffer.from(`${any(brokenLines)}\r\nHost: x\r\n\r\n`, 'latin1'),
      () => Buffer.from(`PUT /api/v1/carts/ HTTP/1.1\r\nHost: x\r\n${key('client').join('')}\r\n${any(brokenHeaders)}\r\n\r\n${any(chunks)}`, 'latin1'),
      () => Buffer.from(`GET / HTTP/1.1\r\n${'X: y\r\n'.repeat(upTo(3_000))}\r\n`),
    ])() // prettier-ignore
  }

  return () => {
    if (chance(0.15)) return { kind: 'broken', bytes: broken(), isWhole: false }
    const kind = any(kinds)
    return { kind, bytes: (make[kind] as () => Buffer)(), isWhole: true }
  }
}

const methods = ['GET', 'PUT', 'PATCH', 'DELETE', 'POST', 'OPTIONS', 'HEAD', 'TRACE', 'PROPFIND', 'GET', 'GET']
const types = [
  'application/x-www-form-urlencoded', 'application/json', 'text/csv', 'application/x-ndjson', 'a/b', '', ';', 'text/csv; charset=x', 'multipart/form-data',
  'application/json; charset=utf-16', 'text/tab-separated-values',
] // prettier-ignore
const names = [
  'name', 'quantity', 'item_id', 'stock_id', 'contract_id', 'cart_group_key', 'zip', 'country_code', 'shipping_date', 'limit', 'cursor', 'after', 'state',
  'article', 'barcode', 'client_name', 'order_ids', 'state_id', 'text', 'on_hand', 'price', 'role', 'rows', '__proto__', 'constructor', 'toString',
] // prettier-ignore
const junk = [
  '', ' ', '0', '-1', '1e3', '0x1', '9007199254740991', '9007199254740992', '1.5', 'null', '\u0000', '\n', "'; drop table orders; --", '$1', '%', '\\',
  '../..', '{"a":1}', 'é', 'e\u0301', '\u202e', '\u200b', '\ud83d', '\ud83d\ude97', 'x'.repeat(200), 'x'.repeat(5_000), '9999-12-31', '0001-01-01', '"', ',',
  'new', 'DE', 'BN-280-V', '1', '2', '=cmd()', '1-0123456789abcdef-0123456789abcdef', '\u{1D173}', '{NULL}', ':client_id',
] // prettier-ignore
const oddJson = [
  '1e999', '-0', '1E-400', '"\\ud800"', '"\\u0000"', 'NaN', '{', '[', '[[[[[[[[[[]]]]]]]]]]', '{"a":1,"a":2}', 'tru', '', '\u{FEFF}{}', '"', '"\\x"', '[1,]',
  '['.repeat(5_000), '{"a":'.repeat(2_000),
] // prettier-ignore
const brokenLines = [
  'GET', 'GET /', 'GET  / HTTP/1.1', 'GET / HTTP/9.9', 'GET / http/1.1', 'G\u0000T / HTTP/1.1', 'PRI * HTTP/2.0', 'CONNECT a:1 HTTP/1.1', `GET /${'a'.repeat(20_000)} HTTP/1.1`,
  'GET /\u0000 HTTP/1.1', 'GET /\u00ff HTTP/1.1', `${'A'.repeat(5_000)} / HTTP/1.1`, ' GET / HTTP/1.1', 'GET /api/v1/carts/ HTTP/1.0', 'GET / HTTP/0.9', '\u0016\u0003\u0001\u0002',
] // prettier-ignore
const brokenHeaders = [
  'Content-Length: -1', 'Content-Length: 5\r\nContent-Length: 6', 'Content-Length: 5\r\nTransfer-Encoding: chunked', 'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding: chunked, chunked', 'Transfer-Encoding: xchunked', 'Content-Length: 99999999999999999999', 'Content-Length: 1e3', 'Content-Length : 5', 'X', ': x',
  'X: \u0000', 'X: a\r\n folded: b', 'X: a\rY: b', 'Transfer-Encoding: chunked', 'Transfer-Encoding:\u000bchunked', 'Content-Length: 0x5', 'Content-Length: +5',
] // prettier-ignore
const chunks = [
  '', '5\r\nname=\r\n0\r\n\r\n', 'zz\r\n', '-1\r\n', 'fffffffffffffffff\r\n', '5;a=b\r\nname=\r\n0\r\nX: y\r\n\r\n', '5\r\nname=x', '0\r\n\r\nGET / HTTP/1.1\r\n\r\n', 'name=a', '\r\n\r\n\r\n',
] // prettier-ignore
