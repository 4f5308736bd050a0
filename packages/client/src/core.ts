/** The runtime of both clients: one `request` with retries, and methods built from a table of operations. */
import { ConnectionError, refusedClass, TimeoutError, UnexpectedAnswerError, type RefusedBody } from './errors.ts'

export interface ClientOptions {
  /** The address of the service, for example `https://parts.example.com`. */
  readonly url: string | URL
  /** The API key. */
  readonly key: string
  /** How long one attempt may take, answer included; 30 seconds by default. */
  readonly timeoutMs?: number | undefined
  /** How often a request is repeated; 5 times by default. */
  readonly retries?: number | undefined
  /**
   * A POST without a key is not repeated after a lost answer. By default it is, where the second one changes nothing more or
   * is refused; but between the two, somebody else may have changed the same.
   */
  readonly once?: boolean | undefined
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Called before each repetition. */
  readonly onRetry?: ((retry: { attempt: number; waitMs: number; error: Error }) => void) | undefined
  /** Called with each answer that is not an error, for your log: `requestId` finds the request in the service's. */
  readonly onAnswer?: ((answer: AnswerNotice) => void) | undefined
  /** Called once for each deprecated operation that is used, when its first answer arrives. */
  readonly onDeprecated?: ((notice: DeprecationNotice) => void) | undefined
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export interface AnswerNotice {
  /** The name of the method, or the method and the path of a request without one. */
  readonly operation: string
  readonly status: number
  readonly requestId: string
  /** All headers, `ratelimit` among them. */
  readonly headers: Headers
}

/** The operation will be removed. */
export interface DeprecationNotice {
  /** The name of the method, or the method and the path of a request without one. */
  readonly operation: string
  readonly since: Date
  /** It works until then at least. */
  readonly sunset: Date
  /** The page that says what to use instead. */
  readonly link: string | undefined
}

export interface CallOptions {
  /** Ends the call, waiting for a repetition included. */
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  /** By default, one is made for each call. Pass your own to repeat a call after a restart of your program. */
  readonly idempotencyKey?: string | undefined
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined

export interface RawRequest extends CallOptions {
  readonly query?: Readonly<Record<string, QueryValue>> | undefined
  /** One of the three kinds of body. */
  readonly form?: Readonly<Record<string, QueryValue>> | undefined
  readonly json?: unknown
  readonly body?: RequestInit['body'] | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent at most once, unless the service says that nothing was changed. Streams are always sent once. */
  readonly once?: boolean | undefined
}

export interface ListPage<T> {
  readonly data: T[]
  /** The `cursor` of the next page, or null. */
  readonly next_cursor: string | null
}

/** `await` returns one page; `for await` yields the rows of this page and of all that follow. */
export type List<T> = Promise<ListPage<T>> & AsyncIterable<T>

/** What `include` adds to an object is there, if its words are written out in the call. */
export type Including<T, I> = T & Required<Pick<T, Extract<WordsOf<I>, keyof T>>>
type WordsOf<I> = I extends readonly (infer W)[] ? (number extends I['length'] ? never : W) : I

/** The words that an operation takes as `include`. */
export type Includable<P> = P extends { readonly include?: infer I } ? Exclude<I, undefined> : never

export interface Requests {
  /** Sends any request and returns the `data` of its answer. */
  readonly request: <T = unknown>(method: string, path: string, request?: RawRequest) => Promise<T>
  /** Reads any list with pages. */
  readonly list: <T = unknown>(path: string, query?: RawRequest['query'], options?: CallOptions) => List<T>
  /** Sends any request and returns the response, for what is not JSON: exports, printed pages. */
  readonly fetch: (method: string, path: string, request?: RawRequest) => Promise<Response>
}

interface Envelope {
  readonly status?: string
  readonly data: unknown
  readonly paging?: { readonly next_cursor: string | null }
}

type Params = Record<string, unknown>
type Method = (params: Params, options: CallOptions) => List<unknown>

/** `removed` is the answer of a deletion whose first answer was lost. */
type Sent = RawRequest & { operation?: string | undefined; removed?: object | undefined }
type Send = (method: string, path: string, request: Sent) => Promise<Envelope>

const backoffMs = 200 // Doubled with each repetition; the wait is a random part of it (full jitter).
const backoffMaxMs = 20_000
const retryAfterMaxMs = 60_000 // A caller would rather have the error than wait for longer.

/** Browsers send their own. */
const agent: Readonly<Record<string, string>> =
  'document' in globalThis ? {} : { 'user-agent': 'parts-ordering-client/0.1.0' }

export function connect(options: ClientOptions): Requests & { readonly send: Send } {
  const {
    url,
    key,
    fetch = globalThis.fetch,
    timeoutMs = 30_000,
    retries = 5,
    onRetry,
    onAnswer,
    onDeprecated,
  } = options
  if (!url) throw new TypeError('url is missing: pass the address of the service.')
  if (!key) throw new TypeError('key is missing: pass an API key.')
  const base = new URL(url).href.replace(/\/+$/, '')
  let pausedUntil = 0 // The rate limit is used up until then.
  const noticed = new Set<string>() // Deprecated operations.

  async function exchange(method: string, path: string, request: Sent, raw?: boolean): Promise<Response | Envelope> {
    const { signal, query, form, json, idempotencyKey } = request
    const asked = query && encode(query)
    const target = base + path + (asked ? `?${asked}` : '')
    const limitMs = (request.timeoutMs ?? timeoutMs) + (Number(query?.['wait']) || 0) * 1000
    const body = form ? encode(form) : json === undefined ? request.body : JSON.stringify(json)
    const isStream = body != null && typeof body !== 'string'
    const headers: Record<string, string> = { authorization: key, ...agent, ...options.headers, ...request.headers }
    const { operation = `${method} ${path.replace(/\/\d+/g, '/…')}` } = request
    if (form) headers['content-type'] = 'application/x-www-form-urlencoded'
    if (json !== undefined) headers['content-type'] = 'application/json'
    if (idempotencyKey !== undefined) headers['idempotency-key'] = idempotencyKey
    const init: RequestInit = {
      method,
      headers,
      ...(body != null && { body }), // A body of null makes fetch slower.
      ...(isStream && { duplex: 'half' }),
    }
    const isKeyed = idempotencyKey !== undefined || query?.['import_key'] != null
    const once = request.once || (options.once && method === 'POST' && !isKeyed)
    let lost = false // Whether an earlier attempt may have been carried out.
    for (let attempt = 1; ; attempt++) {
      await wait(pausedUntil - Date.now(), signal)
      let error: Error | undefined
      let response: Response | undefined
      let text = ''
      let waitMs = 0
      let isUnchanged = false // Whether the service says that nothing was changed.
      const timeout = new AbortController()
      const timer = setTimeout(() => timeout.abort(), limitMs)
      try {
        response = await fetch(target, {
          ...init,
          signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        })
        if (!raw || !response.ok) text = await response.text()
      } catch (cause) {
        signal?.throwIfAborted()
        error = timeout.signal.aborted
          ? new TimeoutError(`No answer within ${limitMs} ms: ${method} ${target}`, { cause })
          : new ConnectionError(`No answer: ${method} ${target}`, { cause })
      } finally {
        clearTimeout(timer)
      }
      if (response && !error) {
        const { status } = response
        const header = (name: string): string => response?.headers.get(name) ?? ''
        const [, seconds] = /r=0;t=(\d+)/.exec(header('ratelimit')) ?? []
        if (seconds) pausedUntil = Date.now() + Number(seconds) * 1000
        const since = header('deprecation').slice(1)
        if (since && onDeprecated && !noticed.has(operation)) {
          noticed.add(operation)
          const [, link] = /<([^>]*)>; rel="deprecation"/.exec(header('link')) ?? []
          onDeprecated({ operation, since: new Date(+since * 1000), sunset: new Date(header('sunset')), link })
        }
        if (response.ok) onAnswer?.({ operation, status, requestId: header('x-request-id'), headers: response.headers })
        if (raw && response.ok) return response
        const answer = parse(text) as (RefusedBody & Envelope) | undefined
        if (response.ok && answer?.status === 'ok') return answer
        const isRefused = answer?.status === 'fail'
        error = isRefused ? new (refusedClass(status))(status, answer) : new UnexpectedAnswerError(response, text)
        if (status === 404 && lost && request.removed) return { data: request.removed }
        if (status < 500 && status !== 429 && status !== 408) throw error
        isUnchanged =
          isRefused && (status === 429 || (status === 503 && answer.errors[0]?.code !== 'database_unavailable'))
        const after = header('retry-after') // Seconds, or the date of a proxy.
        waitMs = Math.max(0, Number(after) * 1000 || (/\D/.test(after) && Date.parse(after) - Date.now()) || 0)
      }
      lost ||= !isUnchanged
      const isRepeatable = !isStream && (isUnchanged || !once)
      if (error && (!isRepeatable || attempt > (request.retries ?? retries) || waitMs > retryAfterMaxMs)) throw error
      waitMs += Math.random() * Math.min(backoffMaxMs, backoffMs * 2 ** attempt)
      if (error) onRetry?.({ attempt, waitMs, error })
      await wait(waitMs, signal)
    }
  }

  const send: Send = (method, path, request) => exchange(method, path, request) as Promise<Envelope>
  /** Operations that take no key ignore it. */
  const withKey = (method: string, request: RawRequest): RawRequest =>
    /PUT|POST/.test(method) ? { ...request, idempotencyKey: request.idempotencyKey ?? newKey() } : request

  return {
    send,
    list: <T>(path: string, query: RawRequest['query'] = {}, options: CallOptions = {}) => {
      const read = (cursor?: string): List<T> =>
        listOf(send('GET', path, { ...options, query: cursor === undefined ? query : { ...query, cursor } }), read)
      return read()
    },
    request: async <T>(method: string, path: string, request: RawRequest = {}) =>
      (await send(method, path, withKey(method, request))).data as T,
    fetch: (method, path, request = {}) => exchange(method, path, withKey(method, request), true) as Promise<Response>,
  }
}

/** Not `randomUUID`, which browsers have only on pages that came over https. */
const newKey = (): string => crypto.getRandomValues(new Uint32Array(4)).join('-')

/**
 * Builds the methods from a table: `name method path letters query`, separated by `|`. Letters: `f`, `j`, `n` send the
 * remaining fields as a form, as JSON, or the field `rows` as lines of JSON; `k` sends an Idempotency-Key and `i` an
 * import_key; `l` is a list with pages; `d` deletes, so a 404 after a lost answer means success; `o` is not repeated.
 * Without one of f, j, n all fields that are not in the path go into the query.
 */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The caller names the interface that the table was generated with.
export function callsOf<A>(table: string, prefix: string, send: Send): A {
  const calls: Record<string, unknown> = {}
  for (const call of table.split('|')) {
    const [name = '', method = '', path = '', letters = '', query = ''] = call.split(' ')
    const inQuery = query.split(',')
    calls[name] = (params: Params = {}, options: CallOptions = {}) => {
      const rest: Params = {} // What is not in the path.
      for (const field of Object.keys(params)) if (!path.includes(`{${field}}`)) rest[field] = params[field]
      let removed: object | undefined
      const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
        if (letters.includes('d')) removed = { [`removed_${field}`]: params[field] }
        return encodeURIComponent(String(params[field]))
      })
      const request: Record<string, unknown> = { ...options, operation: name, removed, once: letters.includes('o') }
      if (letters.includes('k')) request['idempotencyKey'] ??= newKey()
      if (letters.includes('i')) rest['import_key'] ??= options.idempotencyKey ?? newKey()
      if (/[fjn]/.test(letters)) {
        const asked: Params = (request['query'] = {})
        for (const field of inQuery) {
          asked[field] = rest[field]
          delete rest[field]
        }
        if (letters.includes('f')) request['form'] = rest
        else if (letters.includes('j')) request['json'] = rest
        else {
          request['body'] = (rest['rows'] as unknown[]).map((row) => JSON.stringify(row)).join('\n')
          request['headers'] = { 'content-type': 'application/x-ndjson' }
        }
      } else request['query'] = rest
      const answer = send(method, prefix + filled, request)
      return letters.includes('l')
        ? listOf(answer, (cursor) => (calls[name] as Method)({ ...params, cursor }, options))
        : answer.then(({ data }) => data)
    }
  }
  return calls as A
}

// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- As above.
function listOf<T>(answer: Promise<Envelope>, next: (cursor: string) => List<T>): List<T> {
  const first = answer.then(({ data, paging }) => ({ data, next_cursor: paging?.next_cursor ?? null }) as ListPage<T>)
  return Object.assign(first, {
    async *[Symbol.asyncIterator]() {
      for (let page = await first; ;) {
        yield* page.data
        if (page.next_cursor === null) return
        page = await next(page.next_cursor)
      }
    },
  })
}

/** A list of words is joined by commas; lines and metadata are sent as JSON. */
function encode(fields: Readonly<Record<string, unknown>>): string {
  const pairs = Object.entries(fields).filter(([, value]) => value != null)
  return pairs.length > 0 ? String(new URLSearchParams(pairs.map(([name, value]) => [name, textOf(value)]))) : ''
}

function textOf(value: unknown): string {
  const one: unknown = Array.isArray(value) ? value[0] : value
  return typeof one === 'object' ? JSON.stringify(value) : String(value)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function wait(ms: number, signal: AbortSignal | undefined): Promise<void> | undefined {
  signal?.throwIfAborted()
  if (ms <= 0) return undefined
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal?.addEventListener('abort', stop, { once: true })
  })
}
