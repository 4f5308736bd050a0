/** The introduction of the document for clients: where to begin, the terms, and what all operations have in common. */
import { errorList, glossary } from './introduction-parts.ts'
import { scopes } from '../identity/actor.ts'
import type { RefusalCode } from '../vocabulary/refusals.ts'

interface IntroductionParts {
  /** The errors that many operations share. */
  readonly commonCodes: readonly RefusalCode[]
  readonly timeZone: string
}

export const clientIntroduction = ({ commonCodes, timeZone }: IntroductionParts): string => `
A JSON API that lets dealers' software order parts from a distributor: carts, orders, rescheduling, cancellation and adjustments.

## Where to begin

Enter your API key under *Authentication*, choose an operation and press *Test Request*: the request is filled in. In the demo (\`npm run demo\`) every example works as it is. On any other installation a request has real effects.

[The guides](/docs/) begin with [your first order](/docs/tutorial/first-order). [/llms.txt](/llms.txt) lists them for programs. This document as a file: [/openapi.json](/openapi.json). The distributor's own operations: [/docs/operator-api](/docs/operator-api).

## Glossary

${glossary([
  ['client', 'Your company. Its programs use its API keys, and all its keys see the same carts and orders.'],
  ['item', 'A packaging that can be ordered, such as a box of ten. Several items can be packagings of one product.'],
  ['stock', 'A warehouse.'],
  ['contract', 'Your terms: price list, discount, tax and limit. One contract is the default.'],
  ['limit', 'The bound for the sum of the open orders of a contract; 0 for none.'],
  ['cart', 'Lines that you are going to order. A cart reserves nothing.'],
  [
    'cart group',
    'The lines of a cart with the same stock, contract and advertising budget. A group is ordered as a whole, by its `cart_group_key`, which names exactly what was shown.',
  ],
  ['advertising budget', 'A name that you give to lines, to have them in an order of their own.'],
  ['adjustment', 'Your request to change the quantity of a line of an order. The distributor accepts or rejects it.'],
  ['virtual', 'A mark of the distributor on a cart: its orders reserve no stock until the mark is cleared.'],
  ['event', 'A record of a change, numbered per client without gaps.'],
])}

## The life of an order

![The states of an order and who moves it](/docs/images/order-states-portrait.svg)

You place an order, and may cancel, reschedule or adjust it as long as its state allows; \`GET /api/v1/order-states/\` lists what is possible in which state. Cancelling is a request: the order stays in the state \`zayavka-na-otmen\` and keeps its goods until the distributor has decided. A rejected request returns it to its previous state.

## Authentication

Send your API key as the whole value of the \`Authorization\` header, without a scheme word such as Bearer. Keys have scopes (${scopes.map((scope) => `\`${scope}\``).join(', ')}). A request whose key lacks the scope it needs gets 403 \`scope_missing\`, which names the scope.

## Requests

PUT and PATCH take \`application/x-www-form-urlencoded\` in UTF-8, at most 16 KiB, or \`application/json\` with the same fields, where numbers may be numbers or digits. Adding many items takes CSV or JSON rows. Validation is strict: unknown and repeated fields, control characters, and numbers in any form but plain decimal digits are refused. The response names every invalid field. Spaces around a value are trimmed; text is normalised to NFC. Paths work with and without the trailing slash. An id that names nothing is 404.

## Responses

A successful request gets 200 with \`{"status":"ok","data":…}\`. A failed one gets \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`: branch on \`code\`, read figures from \`details\`, and show \`message\` to people. Every response has an \`X-Request-Id\` header. If your request has one, it is kept.

Dates and times are \`YYYY-MM-DD HH:MM:SS\` in the time zone ${timeZone}.

## Lists

Paged lists take \`limit\` and \`cursor\`. If there is a next page, \`paging.next_cursor\` is its cursor and the \`Link\` header has its URL. On the last page \`next_cursor\` is null; if the request had neither \`limit\` nor \`cursor\`, \`paging\` is absent.

## Rate limits

Each key has a rate and a burst: by default 50 requests a second, and 100 at once after a pause. Responses report both in \`RateLimit-Policy: "key";q=100;w=2\` (100 requests at once, fully regained after 2 seconds) and what is left in \`RateLimit: "key";r=99;t=1\`. Requests over the limit get 429 \`rate_limited\` with \`Retry-After\`, and change nothing.

## Safe retries

When a response is lost, send the request again. Reading, deleting, cancelling, rescheduling, adjusting and placing an order never happen twice. Creating a cart, adding items, creating a webhook endpoint and rotating its secret do, unless the request has an \`Idempotency-Key\` header: for 24 hours, a retry with the same key and the same fields changes nothing and gets the first response, and the same key with other fields is refused. Other operations do not need the header and ignore it.

## Events

Every change is recorded as an event, numbered per client without gaps, with the order or the adjustment as it was at that moment. \`GET /api/v1/events/\` reads them and can wait for the next one; webhooks send them to you.

## Errors

Each operation lists the errors of its own. Every operation may also answer with one of these:

${errorList(commonCodes)}

## Compatibility

\`/api/v1/\` changes only by addition: new optional fields, operations, states, event types and error codes. Ignore what you do not know.
`
