/**
 * Every error that the API returns, in one table: status, message, meaning and advice.
 * `docs/reference/errors.md` and the reference are generated from it.
 */
import type { DatabaseTrouble } from 'pg-statements/database.ts'
import type { WordList } from './schema-parts.ts'

interface RefusalKind<D> {
  readonly status: number
  /** What the code means in general; the message describes the case at hand. */
  readonly meaning: string
  readonly advice: string
  /** A full sentence that names the value and the rule. It is shown to people. */
  readonly message: (details: D) => string
  /** Example details for the reference. */
  readonly example: D
}

type NoDetails = object

/** What `expected` is compared with, as a sentence begins. */
const figureNames = {
  quantity: 'The quantity',
  open: 'What is open',
  returnable: 'What can be returned',
  order_total: 'The total',
  on_hand: 'The stock',
  price: 'The price',
  contract_limit: 'The limit',
}

const kind = <D>(refusal: RefusalKind<D>): RefusalKind<D> => refusal

/** What a row calls its item, in words. */
function namedBy(named: {
  article?: string | undefined
  brand?: string | undefined
  barcode?: string | undefined
  item_id?: number | undefined
}): string {
  const given = Object.entries(named).filter(([, value]) => value !== undefined)
  return given.map(([name, value]) => `the ${name} '${value}'`).join(' and ')
}

export const refusals = {
  malformed_request: kind<{ reason: string }>({
    status: 400,
    meaning: 'The request could not be parsed: invalid HTTP, path, percent-encoding, UTF-8 or JSON.',
    advice: 'Fix the request. Retrying it unchanged fails again.',
    message: ({ reason }) => `The request could not be parsed: ${reason}.`,
    example: { reason: 'the path is not percent-encoded UTF-8' },
  }),
  field_missing: kind<{ field: string }>({
    status: 400,
    meaning: 'A required field is missing or empty.',
    advice: 'Send the field named in `field`.',
    message: ({ field }) => `The field '${field}' is required and must not be empty.`,
    example: { field: 'name' },
  }),
  field_unknown: kind<{ field: string; place?: 'query'; known?: string[] }>({
    status: 400,
    meaning: 'The operation has no field or query parameter of this name.',
    advice: 'Check the spelling. details.known of the first such error lists the names that the operation accepts.',
    message: ({ field, place, known }) => {
      const what = place === 'query' ? 'query parameter' : 'field'
      const unknown = `Unknown ${what} '${field}'.`
      if (known === undefined) return unknown
      return known.length > 0
        ? `${unknown} This operation accepts: ${known.join(', ')}.`
        : `${unknown} This operation has no fields in its body.`
    },
    example: { field: 'colour', known: ['name'] },
  }),
  field_misplaced: kind<{ field: string; place: 'query' | 'body'; belongs: 'query' | 'body' }>({
    status: 400,
    meaning: 'A field was sent in the query but belongs in the body, or the other way round.',
    advice: 'Send the field in the place that details.belongs names.',
    message: ({ field, place, belongs }) => `The field '${field}' belongs in the ${belongs}, not in the ${place}.`,
    example: { field: 'quantity', place: 'query', belongs: 'body' },
  }),
  errors_omitted: kind<{ listed: number }>({
    status: 400,
    meaning: 'The last of many errors: there are more than are listed.',
    advice: 'Fix the errors that are listed, then send the request again.',
    message: ({ listed }) => `Only the first ${listed} errors are listed.`,
    example: { listed: 20 },
  }),
  field_repeated: kind<{ field: string }>({
    status: 400,
    meaning: 'A field was sent more than once.',
    advice: 'Send each field once.',
    message: ({ field }) => `The field '${field}' was sent more than once.`,
    example: { field: 'quantity' },
  }),
  field_invalid: kind<{ field: string; value: string; rule: string }>({
    status: 400,
    meaning: 'The value of a field is invalid.',
    advice: 'Send a value that follows the rule in the message.',
    message: ({ field, value, rule }) => `Invalid value '${value}' for '${field}': it must be ${rule}.`,
    example: { field: 'quantity', value: '1e3', rule: 'a whole number from 1 to 1000000 in plain decimal digits' },
  }),
  nothing_to_change: kind<{ known: string[] }>({
    status: 400,
    meaning: 'The request changes nothing: it has none of the fields that can change.',
    advice: 'Send at least one of the fields in details.known.',
    message: ({ known }) => `Nothing to change. Send at least one of: ${known.join(', ')}.`,
    example: { known: ['client_name', 'stock_ids'] },
  }),
  country_code_unknown: kind<{ country_code: string }>({
    status: 400,
    meaning: 'The country code does not exist.',
    advice: 'Use a code from GET /api/v1/countries/.',
    message: ({ country_code }) => `Unknown country code '${country_code}'. GET /api/v1/countries/ lists all codes.`,
    example: { country_code: 'XX' },
  }),
  region_code_unknown: kind<{ region_code: string; country_code: string }>({
    status: 400,
    meaning: 'The region code does not exist, or belongs to another country.',
    advice: 'Use a code from GET /api/v1/regions/?country_code=….',
    message: ({ region_code, country_code }) =>
      `Unknown region code '${region_code}' for country '${country_code}'. GET /api/v1/regions/?country_code=${country_code} lists all codes.`,
    example: { region_code: 'FR-75', country_code: 'DE' },
  }),
  unauthorized: kind<{ scheme?: string }>({
    status: 401,
    meaning:
      'The API key is missing, misspelt, unknown, expired or revoked, or is preceded by a scheme such as "Bearer".',
    advice:
      'Send the API key alone as the value of the Authorization header. If it has expired or was revoked, ask the distributor for a new one.',
    message: ({ scheme }) =>
      `No valid API key. Send your key, and nothing else, as the value of the Authorization header.${scheme === undefined ? '' : ` Drop the word '${scheme}' before it.`}`,
    example: {},
  }),
  scope_missing: kind<{ scope: string }>({
    status: 403,
    meaning: 'The key is valid but does not have the scope that this operation requires.',
    advice: 'Ask the distributor for a key with the scope in details.scope.',
    message: ({ scope }) => `This key does not have the required scope '${scope}'.`,
    example: { scope: 'orders:write' },
  }),
  role_missing: kind<{ role: string; permission: string; roles: string[] }>({
    status: 403,
    meaning: 'The operator key is valid but its role does not allow this operation.',
    advice: 'Use a key with one of the roles in details.roles.',
    message: ({ role, permission, roles }) =>
      `The role '${role}' does not have the permission '${permission}'. Roles that have it: ${roles.join(', ')}.`,
    example: { role: 'viewer', permission: 'decide', roles: ['decider', 'admin'] },
  }),
  origin_not_allowed: kind<{ origin: string }>({
    status: 403,
    meaning: "A change was sent with a session's cookie, but not from a page of the console's own origin.",
    advice: 'Send an operator key instead, or set CONSOLE_ORIGIN to the address at which browsers see the console.',
    message: ({ origin }) =>
      `A session is not accepted from the origin '${origin}'. Programs send an operator key in the Authorization header.`,
    example: { origin: 'https://elsewhere.example' },
  }),
  key_required: kind<NoDetails>({
    status: 403,
    meaning: 'The operation needs an operator key; a session is not enough.',
    advice: 'Send the operator key as the value of the Authorization header.',
    message: () => 'A session cannot start another one. Send your operator key in the Authorization header.',
    example: {},
  }),
  key_sign_in_off: kind<NoDetails>({
    status: 403,
    meaning: 'Operators sign in to the console with company accounts only (`KEY_SIGN_IN`).',
    advice: 'Open /console/sign-in in a browser. Programs need no session: they send the key with each request.',
    message: () => 'A key starts no session here. Sign in to the console with your company account.',
    example: {},
  }),
  view_of_another: kind<{ view_id: number; owner_name: string }>({
    status: 403,
    meaning: 'The view is shared by another operator. Only its owner and admins may change it.',
    advice: 'Save the filters as a view of your own.',
    message: ({ view_id, owner_name }) => `View ${view_id} belongs to ${owner_name}; save one of your own instead.`,
    example: { view_id: 7, owner_name: 'Anna Berg' },
  }),
  route_not_found: kind<{ path: string }>({
    status: 404,
    meaning: 'No operation exists at this path.',
    advice: 'Check the path against the API reference.',
    message: ({ path }) => `No such path: ${path}.`,
    example: { path: '/api/v1/order/' },
  }),
  webhook_not_found: kind<{ webhook_id: number }>({
    status: 404,
    meaning: 'The client has no webhook endpoint with this id.',
    advice: 'GET /api/v1/webhooks/ lists your endpoints.',
    message: ({ webhook_id }) => `No such webhook endpoint: ${webhook_id}.`,
    example: { webhook_id: 41 },
  }),
  feed_endpoint_not_found: kind<{ endpoint_id: number }>({
    status: 404,
    meaning: 'The feed has no endpoint with this id.',
    advice: 'GET /operator/v1/feed-endpoints/ lists the endpoints.',
    message: ({ endpoint_id }) => `No such endpoint of the feed: ${endpoint_id}.`,
    example: { endpoint_id: 3 },
  }),
  cart_not_found: kind<{ cart_id: number }>({
    status: 404,
    meaning: 'The client has no cart with this id.',
    advice: 'GET /api/v1/carts/ lists your carts.',
    message: ({ cart_id }) => `No such cart: ${cart_id}.`,
    example: { cart_id: 12 },
  }),
  cart_item_not_found: kind<{ cart_id: number; cart_item_id: number }>({
    status: 404,
    meaning: 'The cart has no item with this id. It may have been removed or ordered.',
    advice: 'GET /api/v1/carts/{cart_id}/items/ lists the items of the cart.',
    message: ({ cart_id, cart_item_id }) => `No such cart item: ${cart_item_id} in cart ${cart_id}.`,
    example: { cart_id: 12, cart_item_id: 345 },
  }),
  cart_group_not_found: kind<{ cart_group_key: string }>({
    status: 404,
    meaning: 'The client has no cart group with this key, and no order was placed with it.',
    advice: 'Use the cart_group_key that GET /api/v1/carts/{cart_id}/items/ returns.',
    message: ({ cart_group_key }) => `No such cart group: '${cart_group_key}'.`,
    example: { cart_group_key: '77-5d3c0f6a1b2e4c8d-9a8b7c6d5e4f3a2b-1c2d3e4f5a6b7c8d' },
  }),
  order_not_found: kind<{ order_id?: number; order_number?: number }>({
    status: 404,
    meaning: 'The client has no order with this id; for operators: there is no order with this id or number.',
    advice: 'GET /api/v1/orders/ lists your orders.',
    message: ({ order_id, order_number }) =>
      order_number === undefined ? `No such order: ${order_id}.` : `No order has the number ${order_number}.`,
    example: { order_id: 5012 },
  }),
  order_item_not_found: kind<{ order_id: number; order_item_id: number }>({
    status: 404,
    meaning: 'The order has no item with this id, or it was removed.',
    advice: 'GET /api/v1/orders/{order_id}/items/ lists the items of the order.',
    message: ({ order_id, order_item_id }) => `No such order item: ${order_item_id} in order ${order_id}.`,
    example: { order_id: 5012, order_item_id: 20_044 },
  }),
  adjustment_not_found: kind<{ order_id?: number; adjustment_id: number }>({
    status: 404,
    meaning: 'The order has no adjustment with this id.',
    advice: 'GET /api/v1/orders/{order_id}/adjustments/ lists the adjustments of the order.',
    message: ({ order_id, adjustment_id }) =>
      `No such adjustment: ${adjustment_id}${order_id === undefined ? '' : ` of order ${order_id}`}.`,
    example: { order_id: 5012, adjustment_id: 88 },
  }),
  return_request_not_found: kind<{ order_id?: number; return_request_id: number }>({
    status: 404,
    meaning: 'The order has no request to return goods with this id.',
    advice: 'GET /api/v1/orders/{order_id}/?include=returns shows the requests of the order.',
    message: ({ order_id, return_request_id }) =>
      `No such request to return goods: ${return_request_id}${order_id === undefined ? '' : ` of order ${order_id}`}.`,
    example: { order_id: 5012, return_request_id: 6 },
  }),
  document_not_found: kind<{ order_id: number; kind: string; number: string }>({
    status: 404,
    meaning: 'The order has no document of this kind and number.',
    advice: 'No action is needed if it was to be removed. The order lists its documents.',
    message: ({ order_id, kind, number }) => `No such document of order ${order_id}: ${kind} ${number}.`,
    example: { order_id: 5012, kind: 'invoice', number: 'R-2026-4711' },
  }),
  address_not_found: kind<{ address_id: number }>({
    status: 404,
    meaning: 'The client has no saved address with this id.',
    advice: 'GET /api/v1/addresses/ lists the saved addresses.',
    message: ({ address_id }) => `No such address: ${address_id}.`,
    example: { address_id: 21 },
  }),
  client_not_found: kind<{ client_id: number }>({
    status: 404,
    meaning: 'No client has this id.',
    advice: 'GET /operator/v1/clients/ lists all clients.',
    message: ({ client_id }) => `No such client: ${client_id}.`,
    example: { client_id: 12 },
  }),
  contact_not_found: kind<{ client_id: number; contact_id: number }>({
    status: 404,
    meaning: 'The client has no contact with this id.',
    advice: 'GET /operator/v1/clients/{client_id}/ lists the contacts of the client.',
    message: ({ client_id, contact_id }) => `No such contact: ${contact_id} of client ${client_id}.`,
    example: { client_id: 12, contact_id: 31 },
  }),
  price_list_not_found: kind<{ price_list_id: number }>({
    status: 404,
    meaning: 'No price list has this id.',
    advice: 'GET /operator/v1/price-lists/ lists all price lists.',
    message: ({ price_list_id }) => `No such price list: ${price_list_id}.`,
    example: { price_list_id: 9 },
  }),
  session_not_found: kind<{ session_id: number }>({
    status: 404,
    meaning: 'No session has this id.',
    advice: 'GET /operator/v1/sessions/ lists the sessions.',
    message: ({ session_id }) => `No such session: ${session_id}.`,
    example: { session_id: 41 },
  }),
  view_not_found: kind<{ view_id: number }>({
    status: 404,
    meaning: 'You have no view with this id, and nobody shares one.',
    advice: 'GET /operator/v1/views/ lists your own views and the shared ones.',
    message: ({ view_id }) => `No such view: ${view_id}.`,
    example: { view_id: 7 },
  }),
  key_not_found: kind<{ key_id: number }>({
    status: 404,
    meaning: 'No key has this id.',
    advice:
      'GET /operator/v1/clients/{client_id}/keys/ lists the keys of a client, GET /operator/v1/operator-keys/ those of operators.',
    message: ({ key_id }) => `No such key: ${key_id}.`,
    example: { key_id: 17 },
  }),
  operator_not_found: kind<{ operator_id: number }>({
    status: 404,
    meaning: 'No operator has this id, or it was erased.',
    advice: 'GET /operator/v1/operators/ lists them.',
    message: ({ operator_id }) => `No such operator: ${operator_id}.`,
    example: { operator_id: 3 },
  }),
  item_not_found: kind<{ item_id: number }>({
    status: 404,
    meaning: 'No item has this id, or the contract does not offer it.',
    advice: 'GET /api/v1/items/ lists the items that you can order.',
    message: ({ item_id }) => `No such item: ${item_id}.`,
    example: { item_id: 1024 },
  }),
  article_not_found: kind<{ article?: string; brand?: string; barcode?: string; item_id?: number }>({
    status: 404,
    meaning:
      'No item has the article, barcode and item_id of the row. Where a row has several of them, all must match.',
    advice: 'Check the spelling. GET /api/v1/items/?search=… also finds words and the beginning of an article.',
    message: ({ article, brand, barcode, item_id }) => `No item has ${namedBy({ article, brand, barcode, item_id })}.`,
    example: { article: 'BX-11025' },
  }),
  stock_not_found: kind<{ stock_id: number }>({
    status: 404,
    meaning: 'No stock has this id.',
    advice: 'GET /api/v1/stocks/ lists the stocks that you can order from.',
    message: ({ stock_id }) => `No such stock: ${stock_id}.`,
    example: { stock_id: 9 },
  }),
  contract_not_found: kind<{ contract_id: number }>({
    status: 404,
    meaning: 'The client has no contract with this id.',
    advice: 'GET /api/v1/contracts/ lists your contracts. Omit contract_id to use the default contract.',
    message: ({ contract_id }) => `No such contract: ${contract_id}.`,
    example: { contract_id: 70 },
  }),
  method_not_allowed: kind<{ method: string; allowed: string[] }>({
    status: 405,
    meaning: 'The path exists but does not support this HTTP method.',
    advice: 'Use one of the methods in the Allow header.',
    message: ({ method, allowed }) => `The method ${method} is not allowed here. Allowed: ${allowed.join(', ')}.`,
    example: { method: 'POST', allowed: ['GET', 'PUT', 'HEAD'] },
  }),
  request_timed_out: kind<NoDetails>({
    status: 408,
    meaning: 'The request was not received completely before the deadline.',
    advice: 'Retry. If it happens again, check the network between your system and the service.',
    message: () => 'The request was not received completely before the deadline.',
    example: {},
  }),
  webhook_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The client has reached the maximum number of webhook endpoints.',
    advice: 'Delete or change an endpoint that you no longer need.',
    message: ({ limit }) => `You have ${limit} webhook endpoints, which is the maximum.`,
    example: { limit: 20 },
  }),
  feed_endpoint_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The feed has the maximum number of endpoints.',
    advice: 'Delete or change an endpoint that you no longer need.',
    message: ({ limit }) => `The feed has ${limit} endpoints, which is the maximum.`,
    example: { limit: 20 },
  }),
  view_name_taken: kind<{ view_name: string }>({
    status: 409,
    meaning: 'The owner of the view has another one with this name.',
    advice: 'Choose another name, or change the view that has it.',
    message: ({ view_name }) => `There is another view with the name '${view_name}'.`,
    example: { view_name: 'Late in Berlin' },
  }),
  view_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The operator has reached the maximum number of views.',
    advice: 'Delete a view that you no longer need.',
    message: ({ limit }) => `You have ${limit} views, which is the maximum.`,
    example: { limit: 100 },
  }),
  webhook_paused_by_operator: kind<{ webhook_id: number; paused_text: string }>({
    status: 409,
    meaning: 'The distributor has paused the webhook endpoint. Only the distributor can resume it.',
    advice: 'Fix the problem described in details.paused_text, then ask the distributor to resume the endpoint.',
    message: ({ webhook_id, paused_text }) =>
      `The distributor has paused webhook endpoint ${webhook_id}: ${paused_text}`,
    example: { webhook_id: 41, paused_text: 'It answers every event with a login page.' },
  }),
  cart_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The client has reached the maximum number of carts. Carts that have been empty for 30 days do not count.',
    advice: 'Delete a cart that you no longer need.',
    message: ({ limit }) => `You have ${limit} carts, which is the maximum.`,
    example: { limit: 1_000 },
  }),
  addresses_full: kind<{ limit: number }>({
    status: 409,
    meaning: 'The client has saved the maximum number of addresses.',
    advice: 'Delete an address that you no longer need, or send the fields of the address when you order.',
    message: ({ limit }) => `You have ${limit} saved addresses, which is the maximum.`,
    example: { limit: 1_000 },
  }),
  idempotency_key_used: kind<{ idempotency_key: string }>({
    status: 409,
    meaning:
      'The Idempotency-Key was used within the last 24 hours for a request with different fields. Nothing was changed.',
    advice: 'Use a new key for a new request. A retry must have exactly the same fields as the first request.',
    message: ({ idempotency_key }) =>
      `The Idempotency-Key '${idempotency_key}' was already used for a request with different fields.`,
    example: { idempotency_key: '0c6fc6c2-5b5c-4f2e-9a53-0d6a2b8f5f0e' },
  }),
  key_already_issued: kind<{ key_id: number }>({
    status: 409,
    meaning: 'The request with this Idempotency-Key has issued a key before. A key is shown only once.',
    advice: 'If the first response was lost, revoke details.key_id and issue another key with a new Idempotency-Key.',
    message: ({ key_id }) => `This request has already issued key ${key_id}, which cannot be shown again.`,
    example: { key_id: 17 },
  }),
  cart_full: kind<{ cart_id: number; limit: number }>({
    status: 409,
    meaning: 'The cart has reached the maximum number of lines.',
    advice: 'Place an order from this cart, remove lines, or use another cart.',
    message: ({ cart_id, limit }) => `Cart ${cart_id} has ${limit} lines, which is the maximum.`,
    example: { cart_id: 12, limit: 1000 },
  }),
  line_quantity_exceeded: kind<{ item_id: number; in_cart: number; requested: number; limit: number }>({
    status: 409,
    meaning: 'The quantity in the cart plus the added quantity exceeds the maximum of a line.',
    advice: 'Add a smaller quantity, or set the quantity with PATCH.',
    message: ({ item_id, in_cart, requested, limit }) =>
      `The cart already has ${in_cart} of item ${item_id}. Adding ${requested} would exceed the maximum of ${limit}.`,
    example: { item_id: 1024, in_cart: 999_990, requested: 20, limit: 1_000_000 },
  }),
  quantity_not_allowed: kind<{
    item_id: number
    quantity: number
    next_quantity: number
    quantity_min: number
    quantity_multiple: number
  }>({
    status: 409,
    meaning:
      'The item is not ordered in this quantity: only from a smallest quantity on, or in packs. An order has one error for each such line.',
    advice: 'Give the line details.next_quantity pieces, or another multiple of details.quantity_multiple.',
    message: ({ item_id, quantity, next_quantity, quantity_min, quantity_multiple }) =>
      `Item ${item_id} is ordered ${quantity_multiple > 1 ? `in multiples of ${quantity_multiple}, ` : ''}from ${quantity_min} on. ${quantity} is not possible; the next allowed quantity is ${next_quantity}.`,
    example: { item_id: 1024, quantity: 13, next_quantity: 20, quantity_min: 20, quantity_multiple: 10 },
  }),
  brand_differs: kind<{ brand: string; article?: string; barcode?: string; item_id?: number }>({
    status: 409,
    meaning: 'The item of the row is of another brand than the row says.',
    advice:
      'Check the brand, or send the item_id of the right item without a brand. The row has up to three items in `candidates`.',
    message: ({ brand, article, barcode, item_id }) =>
      `No item of the brand '${brand}' has ${namedBy({ article, barcode, item_id })}; items of other brands do.`,
    example: { brand: 'Bosch', article: 'JF-11024' },
  }),
  article_ambiguous: kind<{ article?: string; brand?: string; barcode?: string }>({
    status: 409,
    meaning: 'Several items match the article or the barcode of the row, and none of them is chosen.',
    advice: 'Send the item_id of the right one. The row has up to three of them in `candidates`.',
    message: ({ article, brand, barcode }) => `Several items have ${namedBy({ article, brand, barcode })}.`,
    example: { article: 'BX11024' },
  }),
  rows_refused: kind<{ rows_added: number; rows_refused: number; rows: readonly object[] }>({
    status: 409,
    meaning: 'With mode=all, at least one row cannot be added. Nothing was added.',
    advice: 'Fix the rows whose outcome in details.rows is `refused`. To add the other rows only, use mode=rows.',
    message: ({ rows_refused, rows }) => `Nothing was added: ${rows_refused} of ${rows.length} rows cannot be added.`,
    example: {
      rows_added: 0,
      rows_refused: 1,
      rows: [
        {
          row: 2,
          outcome: 'refused',
          quantity: 2,
          stock_id: 1,
          errors: [{ code: 'article_not_found', message: "No item has the article 'BX-11025'.", field: 'article' }],
        },
      ],
    },
  }),
  item_not_on_sale: kind<{ item_id: number; replaced_by?: number; substitutes?: number[] }>({
    status: 409,
    meaning: 'The item is currently not sold.',
    advice: 'Choose another item. If it is in a cart, remove it from the cart.',
    message: ({ item_id }) => `Item ${item_id} is currently not on sale.`,
    example: { item_id: 1024 },
  }),
  item_not_priced: kind<{ item_id: number; contract_id: number }>({
    status: 409,
    meaning: "The contract's price list has no price for the item.",
    advice: 'Use another contract or another item. If it is in a cart, remove it from the cart.',
    message: ({ item_id, contract_id }) => `Item ${item_id} has no price under contract ${contract_id}.`,
    example: { item_id: 1024, contract_id: 7 },
  }),
  stock_not_serving: kind<{ stock_id: number }>({
    status: 409,
    meaning: 'The stock exists but does not serve this client.',
    advice: 'Use a stock from GET /api/v1/stocks/.',
    message: ({ stock_id }) => `Stock ${stock_id} does not serve this client.`,
    example: { stock_id: 3 },
  }),
  cart_group_changed: kind<{
    cart_group_key: string
    changed: ('lines' | 'prices' | 'terms' | 'virtual')[]
    cart_items: { item_id: number; quantity: number; price: number }[]
  }>({
    status: 409,
    meaning:
      'The cart group has changed since this key was returned: lines, quantities, prices, terms (discount, tax, currency, rate) or the mark of a virtual cart are different. Nothing was ordered.',
    advice:
      'Check details.changed and details.cart_items. To order the group as it is now, retry with details.cart_group_key.',
    message: ({ changed }) =>
      `The cart group has changed since this key was returned: ${changed.join(' and ')}. Nothing was ordered.`,
    example: {
      cart_group_key: '77-5d3c0f6a1b2e4c8d-0c1d2e3f4a5b6c7d-1c2d3e4f5a6b7c8d',
      changed: ['prices'],
      cart_items: [{ item_id: 1024, quantity: 4, price: 57.9 }],
    },
  }),
  reference_used: kind<{ reference: string; order_id: number }>({
    status: 409,
    meaning: "Another order has this reference, and the client's references must be unique. Nothing was ordered.",
    advice:
      'Read the order in details.order_id: it may be the one that you are about to place. Otherwise send another reference.',
    message: ({ reference, order_id }) =>
      `The reference '${reference}' belongs to order ${order_id}. Nothing was ordered.`,
    example: { reference: 'PO-2026-0815', order_id: 5012 },
  }),
  cart_group_already_ordered: kind<{ order_id: number }>({
    status: 409,
    meaning: 'The cart group was already ordered, with a different address or under a different key.',
    advice: 'Read the order in details.order_id. To order the same items again, add them to a cart again.',
    message: ({ order_id }) =>
      `This cart group was already ordered as order ${order_id}, with different details than in this request.`,
    example: { order_id: 5012 },
  }),
  client_blocked: kind<{ block_reason: string }>({
    status: 409,
    meaning: 'The distributor has blocked the client: it places no new orders. Nothing was ordered.',
    advice: 'Settle the reason in details.block_reason with the distributor. The cart stays as it is.',
    message: ({ block_reason }) => `The distributor accepts no new orders: ${block_reason}`,
    example: { block_reason: 'Payment is overdue.' },
  }),
  contract_blocked: kind<{ contract_id: number; block_reason: string }>({
    status: 409,
    meaning: 'The distributor has blocked the contract: no new orders are placed under it. Nothing was ordered.',
    advice: 'Use another contract, or settle the reason in details.block_reason with the distributor.',
    message: ({ contract_id, block_reason }) =>
      `The distributor accepts no new orders under contract ${contract_id}: ${block_reason}`,
    example: { contract_id: 7, block_reason: 'Payment is overdue.' },
  }),
  out_of_stock: kind<{
    item_id: number
    stock_id: number
    available: number
    requested: number
    replaced_by?: number
    substitutes?: number[]
  }>({
    status: 409,
    meaning:
      'The stock does not have enough of an item. Nothing was ordered. The response has one error for each such item.',
    advice: 'Reduce the quantity to details.available, or order the item from another stock.',
    message: ({ item_id, stock_id, available, requested }) =>
      `Stock ${stock_id} has only ${available} of item ${item_id} available; ${requested} were requested.`,
    example: { item_id: 1024, stock_id: 1, available: 3, requested: 5 },
  }),
  contract_limit_exceeded: kind<{ contract_id: number; limit: number; used: number; requested: number }>({
    status: 409,
    meaning: 'The order would exceed the limit of the contract. Nothing was ordered.',
    advice: 'Order less, use another contract, or wait until open orders are settled.',
    message: ({ contract_id, limit, used, requested }) =>
      `The order total of ${requested} exceeds the limit of contract ${contract_id}: ${used} of ${limit} is already used.`,
    example: { contract_id: 7, limit: 25_000, used: 24_100.5, requested: 1_200 },
  }),
  confirmation_required: kind<{ change: 'contract_limit' | 'price' | 'quantity'; before: number; after: number }>({
    status: 409,
    meaning: 'The change is far out of the usual, or removes a limit, and must be confirmed. Nothing was changed.',
    advice:
      'Check the figures. To confirm them, send the same request with `confirmed`: true, and details.before as `expected`.',
    message: ({ change, before, after }) =>
      `The ${change === 'contract_limit' ? 'limit' : change} would change from ${before} to ${after}${change === 'contract_limit' ? ' (no limit)' : ''}. To confirm this, send 'confirmed' as true.`,
    example: { change: 'price', before: 87.07, after: 9_150 },
  }),
  expected_differs: kind<{
    figure: 'contract_limit' | 'on_hand' | 'open' | 'order_total' | 'price' | 'quantity' | 'returnable'
    expected: number
    present: number | null
  }>({
    status: 409,
    meaning: 'A figure is no longer the one that the request says the caller was shown. Nothing was changed.',
    advice: 'Show details.present, and let the person decide again. To confirm, send it as `expected`.',
    message: ({ figure, expected, present }) =>
      `${figureNames[figure]} is ${present ?? 'not set'}, and ${expected} was expected.`,
    example: { figure: 'quantity', expected: 5, present: 3 },
  }),
  contract_is_default: kind<{ contract_id: number }>({
    status: 409,
    meaning: 'A client always has exactly one default contract, so the default cannot be unset.',
    advice: 'Make another contract the default. It replaces this one.',
    message: ({ contract_id }) =>
      `Contract ${contract_id} remains the default until another contract becomes the default.`,
    example: { contract_id: 7 },
  }),
  price_list_currency_differs: kind<{
    price_list_id: number
    currency_code: string
    contract_id: number
    contract_currency_code: string
  }>({
    status: 409,
    meaning: 'The price list has another currency than the contract. The currency of a contract cannot change.',
    advice: 'Create another contract with this price list.',
    message: ({ price_list_id, currency_code, contract_id, contract_currency_code }) =>
      `Price list ${price_list_id} is in ${currency_code}, but contract ${contract_id} is in ${contract_currency_code}.`,
    example: { price_list_id: 3, currency_code: 'KWD', contract_id: 7, contract_currency_code: 'EUR' },
  }),
  order_total_too_large: kind<{ total_max: number }>({
    status: 409,
    meaning: 'The order total, or the total of the open orders of the contract, exceeds the maximum.',
    advice: 'Split the order into smaller ones, or wait until open orders are settled.',
    message: ({ total_max }) =>
      `The total of an order, and of all open orders of a contract, must not exceed ${total_max}.`,
    example: { total_max: 999_999_999_999.999 },
  }),
  order_total_differs: kind<{ order_total: number; expected_total: number }>({
    status: 409,
    meaning: 'The order would have another total than the request expects: a price or a term has changed.',
    advice: 'Confirm details.order_total, and send it as expected_total.',
    message: ({ order_total, expected_total }) => `The total is ${order_total}, and ${expected_total} was expected.`,
    example: { order_total: 428.2, expected_total: 416.68 },
  }),
  order_not_cancellable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'The order cannot be cancelled in its current state.',
    advice: 'GET /api/v1/order-states/ lists the states in which an order can be cancelled.',
    message: ({ order_id, order_state_id }) => `Order ${order_id} cannot be cancelled in state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'shipped' },
  }),
  shipping_date_refused: kind<{
    shipping_date: string
    /** Null when the stock has no open day. */
    earliest_date: string | null
    latest_date: string
  }>({
    status: 409,
    meaning: 'The order cannot be shipped on this day.',
    advice: 'Choose a day from details.earliest_date to details.latest_date.',
    message: ({ shipping_date, earliest_date, latest_date }) =>
      earliest_date === null
        ? 'The stock has no open day for shipping.'
        : `The shipping date ${shipping_date} is not possible. Choose a day from ${earliest_date} to ${latest_date}.`,
    example: { shipping_date: '2026-11-16', earliest_date: '2026-11-17', latest_date: '2036-11-12' },
  }),
  order_not_reschedulable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'The order can no longer be rescheduled in its current state.',
    advice: 'GET /api/v1/order-states/ lists the states in which an order can be rescheduled.',
    message: ({ order_id, order_state_id }) => `Order ${order_id} cannot be rescheduled in state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'shipped' },
  }),
  order_history_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning:
      'The order has reached the maximum number of history entries, so it cannot be rescheduled again and takes no more notes.',
    advice: 'Ask the distributor to arrange the date. Operators can still add internal notes.',
    message: ({ order_id, limit }) =>
      `The history of order ${order_id} has ${limit} entries, which is the maximum. Its shipping date can no longer change, and no note can be added.`,
    example: { order_id: 5012, limit: 200 },
  }),
  order_notes_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning: 'The order has reached the maximum number of internal notes.',
    advice: 'Keep further notes in your own system.',
    message: ({ order_id, limit }) => `Order ${order_id} has ${limit} internal notes, which is the maximum.`,
    example: { order_id: 5012, limit: 100 },
  }),
  order_move_refused: kind<{ order_id: number; order_state_id: string; state_id: string; possible: readonly string[] }>(
    {
      status: 409,
      meaning:
        'The order cannot move from its current state to the requested one. Another operator may have moved it already.',
      advice: 'Read the order. details.possible lists the states that it can move to now.',
      message: ({ order_id, order_state_id, state_id, possible }) =>
        `Order ${order_id} cannot move from '${order_state_id}' to '${state_id}'. Possible: ${possible.length === 0 ? 'none' : possible.join(', ')}.`,
      example: { order_id: 5012, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
    },
  ),
  order_partly_shipped: kind<{ order_id: number }>({
    status: 409,
    meaning: 'A part of the order has been shipped, so it can neither be cancelled nor be moved back.',
    advice:
      'Clients ask the distributor to close the rest; operators use POST /operator/v1/orders/{order_id}/close-open/.',
    message: ({ order_id }) => `A part of order ${order_id} has already been shipped.`,
    example: { order_id: 5012 },
  }),

  nothing_shipped: kind<{ order_id: number }>({
    status: 409,
    meaning: 'Nothing of the order has been shipped, so there is no rest to close.',
    advice: 'Cancel the order instead: move it to `canceled`.',
    message: ({ order_id }) => `Nothing of order ${order_id} has been shipped. Cancel it instead of closing the rest.`,
    example: { order_id: 5012 },
  }),
  quantity_not_open: kind<{ order_item_id: number; open: number; requested: number }>({
    status: 409,
    meaning:
      'More of a line was to be shipped than is open. Another operator may have shipped it already. The response has one error for each such line.',
    advice: 'Read the order. `order_item_open` of its lines says how much is still to be shipped.',
    message: ({ order_item_id, open, requested }) =>
      `Line ${order_item_id} has ${open} open; ${requested} cannot be shipped.`,
    example: { order_item_id: 20_044, open: 2, requested: 3 },
  }),
  order_held: kind<{ order_id: number; hold_reason: string }>({
    status: 409,
    meaning:
      'The order is on hold: nobody moves or ships it until it is released. A change of a line that would end it counts as a move.',
    advice: 'Settle the reason in details.hold_reason, then release the order with POST …/release/.',
    message: ({ order_id, hold_reason }) => `Order ${order_id} is on hold: ${hold_reason}`,
    example: { order_id: 5012, hold_reason: 'Payment is overdue.' },
  }),
  order_not_holdable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'The order cannot be put on hold: it is shipped, completed or cancelled.',
    advice: 'Read the order. No action is needed.',
    message: ({ order_id, order_state_id }) => `Order ${order_id} cannot be put on hold in state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'shipped' },
  }),

  cancellation_not_undoable: kind<{
    order_id: number
    order_state_id: string
    cancelled_at: string | null
    why: 'not_cancelled' | 'archived' | 'too_late' | 'no_lines'
  }>({
    status: 409,
    meaning:
      'The cancellation cannot be undone: the order is not cancelled (`not_cancelled`) or archived (`archived`), it was cancelled more than 24 hours ago (`too_late`), or its last line was removed (`no_lines`).',
    advice: 'Place another order.',
    message: ({ order_id, order_state_id, cancelled_at, why }) =>
      ({
        not_cancelled: `Order ${order_id} is not cancelled; its state is '${order_state_id}'.`,
        archived: `Order ${order_id} is archived, so its cancellation cannot be undone.`,
        too_late: `Order ${order_id} was cancelled at ${cancelled_at}, more than 24 hours ago.`,
        no_lines: `Order ${order_id} was cancelled because its last line was removed, which cannot be undone.`,
      })[why],
    example: { order_id: 5012, order_state_id: 'canceled', cancelled_at: '2026-11-13 09:30:00', why: 'too_late' },
  }),
  order_is_virtual: kind<{ order_id: number }>({
    status: 409,
    meaning: 'A virtual order has no reserved goods, so it cannot be shipped.',
    advice: 'Reserve its goods with POST /operator/v1/orders/{order_id}/clear-virtual/, then ship it.',
    message: ({ order_id }) => `Order ${order_id} is virtual and cannot be shipped.`,
    example: { order_id: 5012 },
  }),
  virtual_not_clearable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning:
      'Goods cannot be reserved for the virtual order in its current state: it is cancelled, or its client has requested the cancellation.',
    advice: 'Decide the cancellation request first. If you reject it, retry.',
    message: ({ order_id, order_state_id }) =>
      `Goods cannot be reserved for order ${order_id} in state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'zayavka-na-otmen' },
  }),
  goods_missing: kind<{ item_id: number; stock_id: number; on_hand: number; needed: number }>({
    status: 409,
    meaning:
      'An item that was sold as a back-order has not arrived yet. The response has one error for each such item.',
    advice: 'Add the delivery to the stock level, then ship the order.',
    message: ({ item_id, stock_id, on_hand, needed }) =>
      `Stock ${stock_id} has only ${on_hand} of item ${item_id} on hand; the order needs ${needed}.`,
    example: { item_id: 1024, stock_id: 1, on_hand: 0, needed: 5 },
  }),
  cancellation_not_requested: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'The order has no pending cancellation request. Another operator may have decided it already.',
    advice: 'Read the order. Its history shows what happened.',
    message: ({ order_id, order_state_id }) =>
      `Order ${order_id} has no pending cancellation request; its state is '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'canceled' },
  }),
  adjustment_decided: kind<{
    adjustment_id: number
    adjustment_status: string
    adjustment_canceled_message: string | null
  }>({
    status: 409,
    meaning:
      'The adjustment is no longer pending: it was decided, superseded or withdrawn, or its order has changed state.',
    advice: 'No action is needed. details.adjustment_status is the result.',
    message: ({ adjustment_id, adjustment_status, adjustment_canceled_message }) =>
      `Adjustment ${adjustment_id} is already ${adjustment_status}${adjustment_canceled_message === null ? '' : `: ${adjustment_canceled_message.replace(/\.$/, '')}`}.`,
    example: {
      adjustment_id: 88,
      adjustment_status: 'CANCELED',
      adjustment_canceled_message: 'Superseded by adjustment 91.',
    },
  }),
  return_request_decided: kind<{ return_request_id: number; request_status: string; canceled_message: string | null }>({
    status: 409,
    meaning: 'The request to return goods no longer waits: it was decided or withdrawn, or its goods have arrived.',
    advice: 'No action is needed. details.request_status is the result.',
    message: ({ return_request_id, request_status, canceled_message }) =>
      `The request to return goods ${return_request_id} is already ${request_status}${canceled_message === null ? '' : `: ${canceled_message.replace(/\.$/, '')}`}.`,
    example: { return_request_id: 6, request_status: 'CANCELED', canceled_message: 'Withdrawn by the client.' },
  }),
  return_request_not_accepted: kind<{ return_request_id: number; request_status: string }>({
    status: 409,
    meaning: 'The request to return goods is not one that was accepted and whose goods have not arrived yet.',
    advice: 'Accept the request if it waits; otherwise record the return without it.',
    message: ({ return_request_id, request_status }) =>
      `The request to return goods ${return_request_id} is ${request_status}, not ACCEPTED.`,
    example: { return_request_id: 6, request_status: 'WAIT' },
  }),
  return_requests_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning: 'The order has reached the maximum number of requests to return goods.',
    advice: 'Ask the distributor: it can record returns without a request.',
    message: ({ order_id, limit }) => `Order ${order_id} has ${limit} requests to return goods, which is the maximum.`,
    example: { order_id: 5012, limit: 100 },
  }),
  metadata_full: kind<{ limit: number }>({
    status: 409,
    meaning: 'There would be more keys than the maximum.',
    advice: 'Remove keys that are no longer needed: send them with an empty value.',
    message: ({ limit }) => `There would be more than ${limit} keys of metadata, which is the maximum.`,
    example: { limit: 20 },
  }),
  order_documents_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning: 'The order has reached the maximum number of documents.',
    advice: 'Remove documents that are no longer needed, or put one document that links to the others.',
    message: ({ order_id, limit }) => `Order ${order_id} has ${limit} documents, which is the maximum.`,
    example: { order_id: 5012, limit: 50 },
  }),
  order_not_adjustable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'The items of the order cannot be adjusted in its current state.',
    advice: 'GET /api/v1/order-states/ lists the states in which an order can be adjusted.',
    message: ({ order_id, order_state_id }) => `Order ${order_id} cannot be adjusted in state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'fulfilling' },
  }),
  order_lines_fixed: kind<{ order_id: number; order_state_id: string; possible: readonly string[] }>({
    status: 409,
    meaning: 'Lines of the order cannot be changed like this in its current state.',
    advice:
      'details.possible lists the states in which it is possible. Decide a cancellation request first; move the order back if nothing is shipped.',
    message: ({ order_id, order_state_id, possible }) =>
      `The lines of order ${order_id} cannot be changed like this in state '${order_state_id}'. Possible in: ${possible.join(', ')}.`,
    example: { order_id: 5012, order_state_id: 'shipped', possible: ['new', 'processing', 'fulfilling'] },
  }),
  quantity_not_returnable: kind<{ order_item_id: number; returnable: number; requested: number }>({
    status: 409,
    meaning:
      'More of a line was to be returned than was shipped, has not come back yet and is not requested already. The response has one error for each such line.',
    advice: 'Read the order with `include=shipments,returns`: it says what left, what came back and what is requested.',
    message: ({ order_item_id, returnable, requested }) =>
      `Of line ${order_item_id}, ${returnable} can be returned; ${requested} cannot.`,
    example: { order_item_id: 20_044, returnable: 2, requested: 3 },
  }),
  quantity_below_shipped: kind<{ order_item_id: number; quantity: number; shipped: number }>({
    status: 409,
    meaning: 'More of the order item has been shipped than the requested quantity.',
    advice: 'Reduce it to details.shipped at most. What was shipped can only be returned.',
    message: ({ order_item_id, quantity, shipped }) =>
      `Order item ${order_item_id} cannot be reduced to ${quantity}: ${shipped} have been shipped.`,
    example: { order_item_id: 20_044, quantity: 1, shipped: 2 },
  }),
  item_in_order: kind<{ order_id: number; item_id: number; order_item_id: number }>({
    status: 409,
    meaning: 'The order already has a line of the item.',
    advice: 'Change the quantity of the line in details.order_item_id.',
    message: ({ order_id, item_id, order_item_id }) =>
      `Order ${order_id} already has item ${item_id}: order item ${order_item_id}.`,
    example: { order_id: 5012, item_id: 1024, order_item_id: 20_044 },
  }),
  order_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning: 'The order has reached the maximum number of lines, removed ones included.',
    advice: 'Place another order.',
    message: ({ order_id, limit }) => `Order ${order_id} has ${limit} lines, which is the maximum.`,
    example: { order_id: 5012, limit: 1000 },
  }),
  order_currency_differs: kind<{ order_id: number; currency_code: string; contract_currency_code: string }>({
    status: 409,
    meaning: "The contract's prices are in another currency than when the order was placed, so no line can be added.",
    advice: 'Place another order.',
    message: ({ order_id, currency_code, contract_currency_code }) =>
      `Order ${order_id} is in ${currency_code}; the prices of its contract are now in ${contract_currency_code}.`,
    example: { order_id: 5012, currency_code: 'EUR', contract_currency_code: 'PLN' },
  }),
  quantity_unchanged: kind<{ order_item_id: number; quantity: number }>({
    status: 409,
    meaning: 'The order item already has this quantity.',
    advice: 'No action is needed.',
    message: ({ order_item_id, quantity }) => `Order item ${order_item_id} already has quantity ${quantity}.`,
    example: { order_item_id: 20_044, quantity: 4 },
  }),
  import_refused: kind<{ import_id: number; rows: number; rows_refused: number }>({
    status: 409,
    meaning: 'An import with mode=all has invalid rows. Nothing was changed.',
    advice:
      'Fix the rows that follow in errors; GET /operator/v1/imports/{import_id}/errors/ lists all of them. To import the valid rows only, use mode=rows.',
    message: ({ import_id, rows, rows_refused }) =>
      `Import ${import_id} was refused and changed nothing: ${rows_refused} of ${rows} rows ${rows_refused === 1 ? 'is' : 'are'} invalid.`,
    example: { import_id: 7, rows: 2000, rows_refused: 3 },
  }),
  import_key_used: kind<{ import_key: string; import_id: number }>({
    status: 409,
    meaning: 'The import_key was already used for an import with different content.',
    advice: 'Use a new key for new content. details.import_id is the earlier import.',
    message: ({ import_key, import_id }) =>
      `The import_key '${import_key}' was already used for import ${import_id}, which had different content.`,
    example: { import_key: 'counted-2026-11-15', import_id: 7 },
  }),
  import_too_large: kind<{ rows_max: number }>({
    status: 413,
    meaning: 'The import has too many rows.',
    advice: 'Split it into several imports.',
    message: ({ rows_max }) => `An import may have at most ${rows_max} rows.`,
    example: { rows_max: 5_000_000 },
  }),
  import_finished: kind<{ import_id: number; import_state: string }>({
    status: 409,
    meaning: 'The import has ended, so it cannot be stopped.',
    advice: 'To take back what it wrote, undo it with POST /operator/v1/imports/{import_id}/undo/.',
    message: ({ import_id, import_state }) => `Import ${import_id} has ended; its state is ${import_state}.`,
    example: { import_id: 7, import_state: 'done' },
  }),
  import_not_undoable: kind<{ import_id: number; reason: string }>({
    status: 409,
    meaning: 'The import cannot be undone.',
    advice: 'Import the right values instead.',
    message: ({ import_id, reason }) => `Import ${import_id} cannot be undone: ${reason}.`,
    example: { import_id: 7, reason: 'its state is refused' },
  }),
  import_changed_since: kind<{ import_id: number; changed_since: number; rows: readonly object[] }>({
    status: 409,
    meaning: 'Something that the import wrote has changed since. Nothing was undone.',
    advice: 'Import the right values instead; GET /operator/v1/imports/{import_id}/changes/ lists what was before.',
    message: ({ import_id, changed_since }) =>
      `Import ${import_id} was not undone: ${changed_since} of its rows ${changed_since === 1 ? 'has' : 'have'} changed since.`,
    example: {
      import_id: 7,
      changed_since: 1,
      rows: [{ price_list_id: 1, item_id: 1024, imported: 104.17, present: 99 }],
    },
  }),
  row_malformed: kind<{ reason: string }>({
    status: 400,
    meaning: 'A row could not be parsed.',
    advice: 'Fix the row.',
    message: ({ reason }) => `The row could not be parsed: ${reason}.`,
    example: { reason: 'it is not a JSON object' },
  }),
  row_repeated: kind<NoDetails>({
    status: 400,
    meaning: 'A row of an import is for the same item, price or stock level as an earlier row.',
    advice: 'Send only one row for each item, price or stock level.',
    message: () => 'An earlier row of this import is for the same item, price or stock level.',
    example: {},
  }),
  import_key_missing: kind<NoDetails>({
    status: 400,
    meaning:
      'A row has a difference, but the import has no import_key. Without one, a retry would apply the difference twice.',
    advice: 'Send the import with an import_key.',
    message: () => "A row with 'difference' needs an import_key, so that the import can be retried safely.",
    example: {},
  }),
  stock_below_reserved: kind<{ stock_id: number; item_id: number; on_hand: number; reserved: number }>({
    status: 409,
    meaning: 'The stock level would be lower than the quantity that orders have reserved.',
    advice:
      'Check the quantity. If the goods are really missing, record that with POST /operator/v1/stock-levels/{stock_id}/{item_id}/count/.',
    message: ({ stock_id, item_id, on_hand, reserved }) =>
      `Stock ${stock_id} cannot have ${on_hand} of item ${item_id}: orders have reserved ${reserved}.`,
    example: { stock_id: 1, item_id: 1024, on_hand: 3, reserved: 5 },
  }),
  currency_not_found: kind<{ currency_code: string }>({
    status: 409,
    meaning: 'No currency has this code.',
    advice: 'Create it first with PUT /operator/v1/currencies/{currency_code}/.',
    message: ({ currency_code }) => `No such currency: ${currency_code}.`,
    example: { currency_code: 'SEK' },
  }),
  price_list_currency_fixed: kind<{ price_list_id: number; currency_code: string }>({
    status: 409,
    meaning: 'The currency of a price list cannot change, because its prices are in that currency.',
    advice: 'Create a new price list.',
    message: ({ price_list_id, currency_code }) =>
      `The currency of price list ${price_list_id} is ${currency_code} and cannot change.`,
    example: { price_list_id: 1, currency_code: 'EUR' },
  }),
  currency_digits_fixed: kind<{ currency_code: string; minor_digits: number }>({
    status: 409,
    meaning: 'The number of minor digits of a currency cannot change, because totals were rounded to it.',
    advice: 'Send the value in details.minor_digits.',
    message: ({ currency_code, minor_digits }) =>
      `${currency_code} has ${minor_digits} minor digits, which cannot change.`,
    example: { currency_code: 'EUR', minor_digits: 2 },
  }),
  events_expired: kind<{ after: number; first_event_number: number }>({
    status: 410,
    meaning: 'The events after this number have been deleted.',
    advice:
      'List the orders, then continue with `after` set to details.first_event_number minus 1, or replay from that number.',
    message: ({ after, first_event_number }) =>
      `The events after ${after} have been deleted. The first available event is ${first_event_number}.`,
    example: { after: 12, first_event_number: 310 },
  }),
  feed_expired: kind<NoDetails>({
    status: 410,
    meaning: 'The events after this cursor have been deleted.',
    advice: 'List the orders with GET /operator/v1/orders/, then read the feed from its start, without a cursor.',
    message: () => 'The feed cannot continue after this cursor: events after it have been deleted.',
    example: {},
  }),
  event_number_ahead: kind<{ after: number; last_event_number: number }>({
    status: 409,
    meaning: 'The client has no event with this number yet.',
    advice:
      'Check whether the number belongs to another client or environment. If it was valid before, the database was restored: list the orders, then continue with details.last_event_number.',
    message: ({ after, last_event_number }) => `No such event: ${after}. The last event is ${last_event_number}.`,
    example: { after: 9000, last_event_number: 41 },
  }),
  shipment_not_found: kind<{ order_id: number; shipment_id: number }>({
    status: 404,
    meaning: 'The order has no shipment with this id.',
    advice: 'GET /operator/v1/orders/{order_id}/ lists the shipments of an order.',
    message: ({ order_id, shipment_id }) => `Order ${order_id} has no shipment ${shipment_id}.`,
    example: { order_id: 5012, shipment_id: 310 },
  }),
  import_not_found: kind<{ import_id: number }>({
    status: 404,
    meaning: 'No import has this id, or its upload was interrupted.',
    advice: 'GET /operator/v1/imports/ lists all imports.',
    message: ({ import_id }) => `No such import: ${import_id}.`,
    example: { import_id: 7 },
  }),
  too_many_rows: kind<{ rows_max: number }>({
    status: 413,
    meaning: 'The request has more rows than the operation accepts.',
    advice: 'Split it into several requests.',
    message: ({ rows_max }) => `A request may have at most ${rows_max} rows.`,
    example: { rows_max: 1000 },
  }),
  body_too_large: kind<{ limit_bytes: number }>({
    status: 413,
    meaning: 'The body is larger than this operation accepts.',
    advice: 'Send only the fields of the operation. Split a larger import into parts.',
    message: ({ limit_bytes }) => `The body exceeds the maximum of ${limit_bytes} bytes.`,
    example: { limit_bytes: 16_384 },
  }),
  unsupported_media_type: kind<{ content_type: string; expected: string }>({
    status: 415,
    meaning: 'The Content-Type is not one that the operation accepts: a form under /api/v1/, JSON under /operator/v1/.',
    advice: 'Send the body as details.expected, in UTF-8, with that Content-Type.',
    message: ({ content_type, expected }) => `The Content-Type must be ${expected}, in UTF-8, not '${content_type}'.`,
    example: { content_type: 'text/plain', expected: 'application/x-www-form-urlencoded' },
  }),
  expectation_failed: kind<{ expect: string }>({
    status: 417,
    meaning: 'The request has an Expect header with a value other than 100-continue.',
    advice: 'Send the request without the Expect header.',
    message: ({ expect }) => `The expectation '${expect}' cannot be met. Send the request without the Expect header.`,
    example: { expect: '200-ok' },
  }),
  unsupported_content_encoding: kind<{ content_encoding: string }>({
    status: 415,
    meaning: 'The body is compressed.',
    advice: 'Send the body uncompressed, without a Content-Encoding header.',
    message: ({ content_encoding }) =>
      `The body has the Content-Encoding '${content_encoding}'. Send it uncompressed, without that header.`,
    example: { content_encoding: 'gzip' },
  }),
  rate_limited: kind<{ rate_per_second: number; rate_burst: number }>({
    status: 429,
    meaning:
      'The key or the operator has exceeded its rate limit. The request was not processed. If it goes on, answers take a second.',
    advice:
      'Retry after the number of seconds in the Retry-After header. The RateLimit header of every response has the number of remaining requests.',
    message: ({ rate_per_second, rate_burst }) =>
      `Rate limit exceeded: ${rate_per_second} ${rate_per_second === 1 ? 'request' : 'requests'} per second, and bursts of up to ${rate_burst}.`,
    example: { rate_per_second: 50, rate_burst: 100 },
  }),
  too_many_failed_keys: kind<NoDetails>({
    status: 429,
    meaning:
      'Too many requests without a valid key came from this address, so the key was not checked. The answer may take a second.',
    advice: 'Check the key. Wait for `Retry-After`, then send the request again.',
    message: () => 'Too many requests without a valid key came from this address. Check the key, and retry later.',
    example: {},
  }),
  too_many_connections: kind<NoDetails>({
    status: 503,
    meaning: 'There are too many connections, in total or from this address. The connection was closed.',
    advice: 'Use fewer connections, and keep them open. Wait for `Retry-After` before opening another.',
    message: () => 'Too many connections. Use fewer, keep them open, and retry later.',
    example: {},
  }),
  headers_too_large: kind<NoDetails>({
    status: 431,
    meaning: 'The request headers are too large.',
    advice: 'Send fewer or shorter headers.',
    message: () => 'The request headers are too large.',
    example: {},
  }),
  internal_error: kind<NoDetails>({
    status: 500,
    meaning: 'An unexpected error in the service.',
    advice:
      'Retry if the operation is safe to retry (see Safe retries). If the error persists, report it with the request_id.',
    message: () => 'An unexpected error occurred. Report it with the request_id of this response.',
    example: {},
  }),
  overloaded: kind<NoDetails>({
    status: 503,
    meaning:
      'The service is overloaded. It refuses lists first and placing orders last. The request was not processed.',
    advice: 'Retry after the number of seconds in the Retry-After header, with exponential backoff and jitter.',
    message: () => 'The service is overloaded. Retry in a moment.',
    example: {},
  }),
  busy: kind<NoDetails>({
    status: 503,
    meaning: 'Too many concurrent requests tried to change the same data. This one changed nothing.',
    advice: 'Retry after the number of seconds in the Retry-After header, with exponential backoff and jitter.',
    message: () => 'Too many concurrent requests are changing the same data. Retry in a moment.',
    example: {},
  }),
  database_unavailable: kind<NoDetails>({
    status: 503,
    meaning: 'The database is unavailable or did not respond in time. The request may or may not have taken effect.',
    advice:
      'Retry after the number of seconds in the Retry-After header. All operations under /api/v1/ are safe to retry; those that create something (except orders) need an Idempotency-Key.',
    message: () => 'The database is unavailable. Retry in a moment.',
    example: {},
  }),
  not_ready: kind<{ problem: string }>({
    status: 503,
    meaning: 'This process cannot serve requests. Only `/readyz` answers this.',
    advice: 'The engineer who runs the service fixes what the message names. Requests go to other processes meanwhile.',
    message: ({ problem }) => problem,
    example: { problem: 'The database has not been migrated: run npm run migrate.' },
  }),
  shutting_down: kind<NoDetails>({
    status: 503,
    meaning: 'This process is shutting down.',
    advice: 'Retry. Another process will answer.',
    message: () => 'This process is shutting down. Retry.',
    example: {},
  }),
}

export type RefusalCode = keyof typeof refusals

export const errorCodeWords: WordList = {
  name: 'ErrorCode',
  meaning: 'Why a request was refused. The meaning of a code never changes.',
  words: Object.keys(refusals),
}

export type Details<C extends RefusalCode> = Parameters<(typeof refusals)[C]['message']>[0]

export interface RefusalError {
  readonly code: RefusalCode
  readonly message: string
  readonly field?: string
  readonly details?: object
}

/** An expected failure. Only the error handler turns it into a response. */
export class Refusal<C extends RefusalCode = RefusalCode> extends Error {
  readonly errors: readonly RefusalError[]
  readonly status: number

  constructor(...what: [code: C, details: Details<C>, options?: RefusalOptions] | [errors: readonly RefusalError[]]) {
    const [code, details, options] = what
    const errors = typeof code === 'string' ? [refusalError(code, details as Details<C>, options?.field)] : code
    const first = errors[0]
    if (first === undefined) throw new RangeError('A refusal has at least one error.')
    super(first.message, options)
    this.name = 'Refusal'
    this.errors = errors
    this.status = refusals[first.code].status
  }
}

interface RefusalOptions extends ErrorOptions {
  /** The field of the request that caused it. */
  readonly field?: string
}

/** An example of the error, for the reference. */
export function exampleError(code: RefusalCode): RefusalError {
  return refusalError(code, refusals[code].example as never)
}

/** One error of a refusal. A detail called `field` becomes the error's `field`. */
export function refusalError<C extends RefusalCode>(code: C, details: Details<C>, field?: string): RefusalError {
  const { field: named, ...figures } = details as { field?: string }
  const { message } = refusals[code] as RefusalKind<Details<C>>
  const at = field ?? named
  return {
    code,
    message: message(details),
    ...(at === undefined ? {} : { field: at }),
    ...(Object.keys(figures).length === 0 ? {} : { details: figures }),
  }
}

/** The engine's trouble as the API answers it. */
export const databaseRefusal = (trouble: DatabaseTrouble): Refusal =>
  trouble.kind === 'busy'
    ? new Refusal('busy', {}, { cause: trouble })
    : new Refusal('database_unavailable', {}, { cause: trouble })
