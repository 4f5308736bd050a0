/** The dealer's side of the Parts Ordering Service: carts, orders, events. */
import { callsOf, connect, type CallOptions, type ClientOptions, type Requests } from './core.ts'
import { dealerCalls, type DealerApi, type DealerErrorDetails, type DealerErrorKinds } from './dealer-api.ts'
import type { CartGroup, Event, PlaceOrderParams, ReadEventsParams } from './dealer-api.ts'
import { EventGapError, typedClass, type RefusedUnion } from './errors.ts'

export type * from './dealer-api.ts'
export type {
  AnswerNotice,
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
export { ConnectionError, EventGapError, TimeoutError, UnexpectedAnswerError } from './errors.ts'

type Kind<K extends keyof DealerErrorKinds> = RefusedUnion<DealerErrorDetails, DealerErrorKinds[K]>

/** The service refused the request. `switch (error.code)` narrows `error.details`. */
export type RefusedError = RefusedUnion<DealerErrorDetails>
export const RefusedError = typedClass<RefusedError>()
/** The request is wrong: repeating it unchanged fails again. */
export type InvalidRequestError = Kind<'InvalidRequestError'>
export const InvalidRequestError = typedClass<InvalidRequestError>(400)
/** No valid API key. */
export type UnauthorizedError = Kind<'UnauthorizedError'>
export const UnauthorizedError = typedClass<UnauthorizedError>(401)
/** The key lacks a scope. */
export type ForbiddenError = Kind<'ForbiddenError'>
export const ForbiddenError = typedClass<ForbiddenError>(403)
export type NotFoundError = Kind<'NotFoundError'>
export const NotFoundError = typedClass<NotFoundError>(404)
/** The state of the carts, orders or stocks does not allow it. */
export type ConflictError = Kind<'ConflictError'>
export const ConflictError = typedClass<ConflictError>(409)
/** The events that were requested are no longer kept. */
export type ExpiredError = Kind<'ExpiredError'>
export const ExpiredError = typedClass<ExpiredError>(410)
/** Still over the rate limit after all repetitions. */
export type RateLimitedError = Kind<'RateLimitedError'>
export const RateLimitedError = typedClass<RateLimitedError>(429)
/** The service cannot answer now, after all repetitions. */
export type UnavailableError = Kind<'UnavailableError'>
export const UnavailableError = typedClass<UnavailableError>(500)

/** What an order may say besides its address. */
type OrderRemarks = Pick<PlaceOrderParams, 'reference' | 'comment'>

/** Of each alternative. */
type Without<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** All needed fields, or the `address_id` of a saved one. */
export type DeliveryAddress = Without<PlaceOrderParams, 'cart_group_key' | keyof OrderRemarks>

/** What `placeAsShown` needs of a cart group; the groups of `listCartItems` have it. */
export type ShownGroup = Pick<CartGroup, 'cart_group_key'> & {
  readonly cart_items: readonly {
    readonly quantity: number
    readonly price: number
    readonly item: { readonly item_id: number }
  }[]
}

interface LineTerms {
  readonly quantity: number
  readonly price: number
}

/** A line that is not as it was shown. It is null where it does not exist. */
export interface LineDifference {
  readonly item_id: number
  readonly shown: LineTerms | null
  readonly now: LineTerms | null
}

export type PlacedAsShown =
  | { readonly placed: true; readonly created_order_id: number }
  | {
      readonly placed: false
      /** The key of the group as it is now. */
      readonly cart_group_key: string
      readonly changed: DealerErrorDetails['cart_group_changed']['changed']
      /** Empty if only the terms (discount, tax, currency, rate) or the mark of a virtual cart have changed. */
      readonly lines: readonly LineDifference[]
    }

export interface PartsClient extends DealerApi, Requests {
  readonly orders: {
    readonly list: DealerApi['listOrders']
    readonly read: DealerApi['readOrder']
    /**
     * Places the group exactly as it was shown: its lines, prices and terms, and whether the cart is virtual. If one of them
     * has changed since, nothing is ordered, and the result has the differences.
     */
    readonly placeAsShown: (
      group: ShownGroup,
      address: DeliveryAddress,
      options?: CallOptions & OrderRemarks,
    ) => Promise<PlacedAsShown>
  }
  readonly events: {
    /**
     * Yields every event after the number `after`, and waits for the next ones. Without `after` it begins with the oldest
     * event that is still kept. It repeats failed requests until `signal` ends it, and throws `ExpiredError` if the events
     * after this number are no longer kept: read the orders then, and continue with `details.first_event_number - 1`.
     */
    readonly follow: (params?: ReadEventsParams, options?: CallOptions) => AsyncGenerator<Event, never>
  }
}

export function createClient(options: ClientOptions): PartsClient {
  const { send, ...requests } = connect(options)
  const calls = callsOf<DealerApi>(dealerCalls, '/api/v1/', send)
  return {
    ...calls,
    ...requests,
    orders: {
      list: calls.listOrders,
      read: calls.readOrder,
      async placeAsShown(group, address, { reference, comment, ...options } = {}) {
        const { cart_group_key } = group
        try {
          const order = await calls.placeOrder({ ...address, cart_group_key, reference, comment }, options)
          return { placed: true, ...order }
        } catch (error) {
          if (!(error instanceof ConflictError) || error.code !== 'cart_group_changed') throw error
          const { cart_items, ...changed } = error.details
          return { placed: false, ...changed, lines: differences(group, cart_items) }
        }
      },
    },
    events: {
      async *follow({ after, wait = 20, limit } = {}, options) {
        for (let last = after; ;) {
          const events = await calls.readEvents({ after: last, wait, limit }, { retries: Infinity, ...options })
          for (const event of events) {
            const { event_number } = event
            if (last !== undefined && event_number !== last + 1)
              throw new EventGapError(`Event ${last} is followed by ${event_number}.`)
            last = event_number
            yield event
          }
        }
      },
    },
  }
}

function differences(
  { cart_items }: ShownGroup,
  current: DealerErrorDetails['cart_group_changed']['cart_items'],
): LineDifference[] {
  const shown = new Map(cart_items.map(({ item, quantity, price }) => [item.item_id, { quantity, price }]))
  const now = new Map(current.map(({ item_id, quantity, price }) => [item_id, { quantity, price }]))
  return [...new Set([...shown.keys(), ...now.keys()])]
    .map((item_id) => ({ item_id, shown: shown.get(item_id) ?? null, now: now.get(item_id) ?? null }))
    .filter(({ shown, now }) => shown?.quantity !== now?.quantity || shown?.price !== now?.price)
}
