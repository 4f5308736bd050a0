/** Why a call failed. A refusal by the service is an instance of one class per kind; its `code` says which. */

/** One error of a refused request. */
export interface RefusedDetail {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly details?: Readonly<Record<string, unknown>>
}

/** A refusal with the code `C`, whose details are `D`. */
export interface RefusedWith<C extends string, D> extends Error {
  readonly code: C
  /** The figures of the first error; an empty object if it has none. */
  readonly details: D
  /** The field of the request that caused it. */
  readonly field: string | undefined
  readonly status: number
  /** Identifies the request in the service's log. */
  readonly requestId: string
  /** All errors of the request. The first one is also the error's own `code`, `message`, `details` and `field`. */
  readonly errors: readonly RefusedDetail[]
}

/** The union of the refusals with one of the codes `C`, so that `switch (error.code)` narrows `details`. */
export type RefusedUnion<D, C extends keyof D = keyof D> = { [K in C & string]: RefusedWith<K, D[K]> }[C & string]

/** A class of errors, for `instanceof`, which narrows to `E`. */
export interface RefusedClass<E> {
  readonly prototype: E
  new (status: number, body: RefusedBody): E
}

export interface RefusedBody {
  readonly errors: readonly RefusedDetail[]
  readonly request_id: string
}

class Refused extends Error {
  override readonly name: string = 'RefusedError'
  readonly status: number
  readonly code: string | undefined
  readonly details: object
  readonly field: string | undefined
  readonly errors: RefusedBody['errors']
  readonly requestId: string

  constructor(status: number, { errors, request_id }: RefusedBody) {
    const [first] = errors
    super(first?.message)
    this.status = status
    this.code = first?.code
    this.details = first?.details ?? {}
    this.field = first?.field
    this.errors = errors
    this.requestId = request_id
  }
}

/** The name is a property, because bundlers rename classes. */
const kind = (name: string) =>
  class extends Refused {
    override readonly name = name
  }

const UnavailableError = kind('UnavailableError')

const byStatus: Readonly<Record<number, typeof Refused>> = {
  400: kind('InvalidRequestError'), // And any other status below 500.
  401: kind('UnauthorizedError'),
  403: kind('ForbiddenError'),
  404: kind('NotFoundError'),
  408: UnavailableError,
  409: kind('ConflictError'),
  410: kind('ExpiredError'),
  429: kind('RateLimitedError'),
  500: UnavailableError, // And any other status from 500 up.
}

export function refusedClass(status: number): typeof Refused {
  return byStatus[status] ?? (byStatus[status < 500 ? 400 : 500] as typeof Refused)
}

/** The class of a status with the types of one side of the API. */
export const typedClass = <E>(status?: number): RefusedClass<E> =>
  (status === undefined ? Refused : refusedClass(status)) as unknown as RefusedClass<E>

/** No answer: the connection failed, or broke before the answer was complete. Whether the service acted is unknown. */
export class ConnectionError extends Error {
  override readonly name: string = 'ConnectionError'
}

/** No complete answer within `timeoutMs`. Whether the service acted is unknown. */
export class TimeoutError extends ConnectionError {
  override readonly name = 'TimeoutError'
}

/** An answer that is not the service's, for example of a proxy. */
export class UnexpectedAnswerError extends Error {
  override readonly name = 'UnexpectedAnswerError'
  readonly status: number
  readonly headers: Headers
  readonly body: string

  constructor({ status, headers }: Response, body: string) {
    super(`Unexpected answer with status ${status}. Is the URL that of the Parts Ordering Service?`)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/** The numbers of the events that were read have a gap. */
export class EventGapError extends Error {
  override readonly name = 'EventGapError'
}
