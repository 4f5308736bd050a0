/** The distributor's side of the Parts Ordering Service. */
import { callsOf, connect, type CallOptions, type ClientOptions, type Requests } from './core.ts'
import { typedClass, type RefusedUnion } from './errors.ts'
import { operatorCalls, type OperatorApi, type OperatorErrorDetails, type OperatorErrorKinds } from './operator-api.ts'
import type { FeedEvent, FollowEventsParams, Import, ImportItemsParams, ImportKind } from './operator-api.ts'

export type * from './operator-api.ts'
export type {
  CallOptions,
  ClientOptions,
  DeprecationNotice,
  List,
  ListPage,
  QueryValue,
  RawRequest,
  Requests,
} from './core.ts'
export type { RefusedDetail, RefusedWith } from './errors.ts'
export { ConnectionError, TimeoutError, UnexpectedAnswerError } from './errors.ts'

type Kind<K extends keyof OperatorErrorKinds> = RefusedUnion<OperatorErrorDetails, OperatorErrorKinds[K]>

/** The classes are those of the dealer's side; the types have the operators' codes. */
export type RefusedError = RefusedUnion<OperatorErrorDetails>
export const RefusedError = typedClass<RefusedError>()
export type InvalidRequestError = Kind<'InvalidRequestError'>
export const InvalidRequestError = typedClass<InvalidRequestError>(400)
export type UnauthorizedError = Kind<'UnauthorizedError'>
export const UnauthorizedError = typedClass<UnauthorizedError>(401)
export type ForbiddenError = Kind<'ForbiddenError'>
export const ForbiddenError = typedClass<ForbiddenError>(403)
export type NotFoundError = Kind<'NotFoundError'>
export const NotFoundError = typedClass<NotFoundError>(404)
export type ConflictError = Kind<'ConflictError'>
export const ConflictError = typedClass<ConflictError>(409)
export type ExpiredError = Kind<'ExpiredError'>
export const ExpiredError = typedClass<ExpiredError>(410)
export type RateLimitedError = Kind<'RateLimitedError'>
export const RateLimitedError = typedClass<RateLimitedError>(429)
export type UnavailableError = Kind<'UnavailableError'>
export const UnavailableError = typedClass<UnavailableError>(500)

/** Store `next_cursor` with the effects of the events, to continue from there. */
export interface FeedBatch {
  readonly events: readonly FeedEvent[]
  readonly next_cursor: string
}

/** The options are those of `importItems`; of stock levels and prices too. */
export interface SentFile extends Omit<ImportItemsParams, 'rows'> {
  readonly kind: ImportKind
  readonly type: 'text/csv' | 'application/x-ndjson'
  /** A stream is read while it is sent. */
  readonly body: NonNullable<RequestInit['body']>
}

export interface PartsOperatorClient extends OperatorApi, Requests {
  readonly imports: {
    /**
     * Imports a file of any size. It is sent once, and `timeoutMs` includes sending it. After a lost answer, send it again:
     * rows are absolute values, and with the same `import_key` it is imported only once.
     */
    readonly sendFile: (file: SentFile, options?: CallOptions) => Promise<Import>
  }
  readonly events: {
    /** Yields the events of all clients, batch by batch, and waits for the next ones. */
    readonly follow: (params?: FollowEventsParams, options?: CallOptions) => AsyncGenerator<FeedBatch, never>
  }
}

export function createOperatorClient(options: ClientOptions): PartsOperatorClient {
  const { send, ...requests } = connect(options)
  const calls = callsOf<OperatorApi>(operatorCalls, '/operator/v1/', send)
  return {
    ...calls,
    ...requests,
    imports: {
      sendFile: ({ kind, type, body, file_name, ...query }, options) =>
        requests.request('POST', `/operator/v1/imports/${kind}/`, {
          ...options,
          query,
          headers: { 'content-type': type, ...(file_name != null && { 'content-disposition': named(file_name) }) },
          body,
          once: true,
        }),
    },
    events: {
      async *follow({ cursor, wait = 10, limit } = {}, options) {
        for (let next = cursor; ;) {
          const batch = await calls.followEvents({ cursor: next, wait, limit }, { retries: Infinity, ...options })
          next = batch.next_cursor
          if (batch.events.length > 0) yield batch
        }
      },
    },
  }
}

/** The service leaves out a name that it cannot show; as a field of the query, it would refuse the file. */
const named = (file_name: string): string =>
  `attachment; filename*=UTF-8''${encodeURIComponent(file_name.replace(/\p{Cs}/gu, '\uFFFD'))}`
