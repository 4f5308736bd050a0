/** The introduction of the document for operators: where to begin, the terms, and what all operations have in common. */
import { errorList, glossary } from './introduction-parts.ts'
import type { RefusalCode } from '../vocabulary/refusals.ts'

interface IntroductionParts {
  /** The errors that many operations share. */
  readonly commonCodes: readonly RefusalCode[]
  readonly timeZone: string
}

export const operatorIntroduction = ({ commonCodes, timeZone }: IntroductionParts): string => `
The distributor's side of the Parts Ordering Service: decisions, orders, clients, the catalogue, and what happened.

## Where to begin

Enter an operator key under *Authentication*, choose an operation and press *Test Request*. A request has real effects, except in the demo (\`npm run demo\`).

[The guides](/docs/) begin with [an operator key](/docs/how-to/operator/keys-and-roles) and [the console](/docs/how-to/operator/console). This document as a file: [/operator/openapi.json](/operator/openapi.json). The operations of clients: [/docs/api](/docs/api). All error codes: [Error codes](/docs/reference/errors).

## Glossary

${glossary([
  ['operator', 'A person or program that works for the distributor, with an operator key.'],
  ['client', "A dealer's company that orders from the distributor. Its contacts have API keys."],
  ['stock', 'A warehouse; a stock level is how much of an item it has on hand and has reserved.'],
  ['contract', "A client's terms: price list, discount, tax and limit."],
  ['exposure', 'The sum of the orders of a contract that are neither cancelled nor completed; the limit bounds it.'],
  ['adjustment', "A client's request to change the quantity of a line of an order; an operator accepts or rejects it."],
  ['virtual', 'A mark on a cart: its orders reserve no stock until the mark is cleared.'],
  ['inbox', 'The cancellations and adjustments that wait for a decision.'],
  ['import', 'Rows of items, prices or stock levels as CSV or NDJSON, applied all at once or row by row.'],
])}

## The life of an order

![The states of an order and who moves it](/docs/images/order-states-portrait.svg)

## Authentication

Send your operator key as the whole value of the \`Authorization\` header, without a scheme word such as Bearer. An operator key is not valid under \`/api/v1/\`, nor a client's key here. Each key has a role; a request that the role does not allow gets 403 \`role_missing\`, which names the roles that do. An operator has a rate limit, 100 requests a second unless configured otherwise, for all keys and sessions together.

## Requests

Bodies are JSON objects in UTF-8, validated strictly: unknown and repeated members, control characters and values of another type are refused. The response names every invalid field. Paths work with and without the trailing slash.

## Responses

A successful request gets 200 with \`{"status":"ok","data":…}\`. A failed one gets \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`: branch on \`code\`, read figures from \`details\`, and show \`message\` to people. Every response has an \`X-Request-Id\` header. The event log has it too, with the name of the operator.

Dates and times are \`YYYY-MM-DD HH:MM:SS\` in the time zone ${timeZone}.

## Retries

When a response is lost, send the request again. What creates something takes an \`Idempotency-Key\` header: for 24 hours, a retry with the same key and the same fields changes nothing and gets the first response, and the same key with other fields is refused. After shipping, returning goods or adding a note, the retry gets the order as it is now. A key is shown once and not stored, so a retry of issuing one is refused with \`key_already_issued\`, which names it.

## Errors

Each operation lists the errors of its own. Every operation may also answer with one of these:

${errorList(commonCodes)}
`
