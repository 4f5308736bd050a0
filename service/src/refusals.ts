/**
 * Every error that a client can meet, in one table: its status, its sentence, what it means and what to do about it.
 * `docs/reference/errors.md` and the reference are generated from it.
 */

interface RefusalKind<D> {
  readonly status: number
  /** What the code means in general; the message says it of the case at hand. */
  readonly meaning: string
  readonly advice: string
  /** A full sentence that names the value and the rule. */
  readonly message: (details: D) => string
  /** Details as they may occur, for the reference. */
  readonly example: D
}

type NoDetails = object

const kind = <D>(refusal: RefusalKind<D>): RefusalKind<D> => refusal

export const refusals = {
  malformed_request: kind<{ reason: string }>({
    status: 400,
    meaning: 'The request cannot be read: broken HTTP, a broken address or a broken percent-encoding.',
    advice: 'Mend the request; repeating it unchanged gives the same answer.',
    message: ({ reason }) => `The request cannot be read: ${reason}.`,
    example: { reason: 'the path is not percent-encoded UTF-8' },
  }),
  field_missing: kind<{ field: string }>({
    status: 400,
    meaning: 'A required field is absent or empty.',
    advice: 'Send the field.',
    message: ({ field }) => `The field '${field}' is required and must not be empty.`,
    example: { field: 'name' },
  }),
  field_unknown: kind<{ field: string; known: string[] }>({
    status: 400,
    meaning: 'The operation has no such form field or query parameter.',
    advice: 'Look for a misspelt name; details.known lists the names that the operation takes.',
    message: ({ field, known }) =>
      `There is no field '${field}' here; ${known.length > 0 ? `known are: ${known.join(', ')}` : 'this operation takes none'}.`,
    example: { field: 'colour', known: ['name'] },
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
    meaning: 'The value of a field does not have the required form.',
    advice: 'Send a value that keeps the rule in the message.',
    message: ({ field, value, rule }) => `The value '${value}' of '${field}' must be ${rule}.`,
    example: { field: 'quantity', value: '1e3', rule: 'a whole number from 1 to 1000000 in plain decimal digits' },
  }),
  nothing_to_change: kind<{ known: string[] }>({
    status: 400,
    meaning: 'A change was asked for without a field that is to change.',
    advice: 'Send at least one of the fields in details.known.',
    message: ({ known }) => `Nothing to change was sent; it takes at least one of: ${known.join(', ')}.`,
    example: { known: ['client_name', 'stock_ids'] },
  }),
  country_code_unknown: kind<{ country_code: string }>({
    status: 400,
    meaning: 'The country code is not in the countries lookup.',
    advice: 'Take a code from GET /api/v1/countries/.',
    message: ({ country_code }) => `'${country_code}' is not a country code of GET /api/v1/countries/.`,
    example: { country_code: 'XX' },
  }),
  region_code_unknown: kind<{ region_code: string; country_code: string }>({
    status: 400,
    meaning: 'The region code is not in the regions lookup, or belongs to another country.',
    advice: 'Take a code from GET /api/v1/regions/?country_code=….',
    message: ({ region_code, country_code }) =>
      `'${region_code}' is not a region code of GET /api/v1/regions/?country_code=${country_code}.`,
    example: { region_code: 'FR-75', country_code: 'DE' },
  }),
  unauthorized: kind<NoDetails>({
    status: 401,
    meaning:
      'There is no valid key: it is missing, mistyped, unknown, expired or revoked, or stands behind a scheme word.',
    advice:
      'Send the API key alone as the value of the Authorization header, without a word such as "Bearer" before it.',
    message: () => 'Send a valid API key, and nothing else, as the value of the Authorization header.',
    example: {},
  }),
  scope_missing: kind<{ scope: string }>({
    status: 403,
    meaning: 'The key is valid, but was issued without the scope that this operation needs.',
    advice: 'Ask the distributor for a key with the scope named in details.scope.',
    message: ({ scope }) => `This key lacks the scope '${scope}'.`,
    example: { scope: 'orders:write' },
  }),
  role_missing: kind<{ role: string; permission: string; roles: string[] }>({
    status: 403,
    meaning: 'The operator key is valid, but its role does not allow this operation.',
    advice: 'Use a key with one of the roles in details.roles.',
    message: ({ role, permission, roles }) =>
      `The role '${role}' does not allow to ${permission}; ${roles.join(' and ')} ${roles.length > 1 ? 'do' : 'does'}.`,
    example: { role: 'viewer', permission: 'decide', roles: ['decider', 'admin'] },
  }),
  route_not_found: kind<{ path: string }>({
    status: 404,
    meaning: 'There is nothing at this address.',
    advice: 'Compare the path with the reference.',
    message: ({ path }) => `There is nothing at ${path}.`,
    example: { path: '/api/v1/order/' },
  }),
  webhook_not_found: kind<{ webhook_id: number }>({
    status: 404,
    meaning: 'There is no such webhook endpoint of the client.',
    advice: 'Take an id from GET /api/v1/webhooks/.',
    message: ({ webhook_id }) => `There is no webhook endpoint ${webhook_id}.`,
    example: { webhook_id: 41 },
  }),
  cart_not_found: kind<{ cart_id: number }>({
    status: 404,
    meaning: 'The client has no such cart.',
    advice: 'List the carts with GET /api/v1/carts/.',
    message: ({ cart_id }) => `There is no cart ${cart_id}.`,
    example: { cart_id: 12 },
  }),
  cart_item_not_found: kind<{ cart_id: number; cart_item_id: number }>({
    status: 404,
    meaning: 'The cart has no such line. It may have been removed or ordered.',
    advice: 'List the lines with GET /api/v1/carts/{cart_id}/items/.',
    message: ({ cart_id, cart_item_id }) => `There is no item ${cart_item_id} in cart ${cart_id}.`,
    example: { cart_id: 12, cart_item_id: 345 },
  }),
  cart_group_not_found: kind<{ cart_group_key: string }>({
    status: 404,
    meaning: 'The key names no cart group of the client, and no order was made of it.',
    advice: 'Take the key from GET /api/v1/carts/{cart_id}/items/.',
    message: ({ cart_group_key }) => `The key '${cart_group_key}' names no cart group.`,
    example: { cart_group_key: '77-5d3c0f6a1b2e4c8d-9a8b7c6d5e4f3a2b' },
  }),
  order_not_found: kind<{ order_id: number }>({
    status: 404,
    meaning: 'The client has no such order.',
    advice: 'List the orders with GET /api/v1/orders/.',
    message: ({ order_id }) => `There is no order ${order_id}.`,
    example: { order_id: 5012 },
  }),
  order_item_not_found: kind<{ order_id: number; order_item_id: number }>({
    status: 404,
    meaning: 'The order has no such line.',
    advice: 'List the lines with GET /api/v1/orders/{order_id}/items/.',
    message: ({ order_id, order_item_id }) => `There is no item ${order_item_id} in order ${order_id}.`,
    example: { order_id: 5012, order_item_id: 20_044 },
  }),
  adjustment_not_found: kind<{ order_id?: number; adjustment_id: number }>({
    status: 404,
    meaning: 'The order has no such adjustment.',
    advice: 'List them with GET /api/v1/orders/{order_id}/adjustments/.',
    message: ({ order_id, adjustment_id }) =>
      `There is no adjustment ${adjustment_id}${order_id === undefined ? '' : ` of order ${order_id}`}.`,
    example: { order_id: 5012, adjustment_id: 88 },
  }),
  client_not_found: kind<{ client_id: number }>({
    status: 404,
    meaning: 'There is no such client.',
    advice: 'List the clients with GET /operator/v1/clients/.',
    message: ({ client_id }) => `There is no client ${client_id}.`,
    example: { client_id: 12 },
  }),
  contact_not_found: kind<{ client_id: number; contact_id: number }>({
    status: 404,
    meaning: 'The client has no such contact.',
    advice: 'Read the client with GET /operator/v1/clients/{client_id}/: it lists its contacts.',
    message: ({ client_id, contact_id }) => `Client ${client_id} has no contact ${contact_id}.`,
    example: { client_id: 12, contact_id: 31 },
  }),
  price_list_not_found: kind<{ price_list_id: number }>({
    status: 404,
    meaning: 'There is no such price list.',
    advice: 'Use the id of a price list that there is.',
    message: ({ price_list_id }) => `There is no price list ${price_list_id}.`,
    example: { price_list_id: 9 },
  }),
  key_not_found: kind<{ key_id: number }>({
    status: 404,
    meaning: 'There is no such key.',
    advice: 'List the keys.',
    message: ({ key_id }) => `There is no key ${key_id}.`,
    example: { key_id: 17 },
  }),
  item_not_found: kind<{ item_id: number }>({
    status: 404,
    meaning: 'There is no such item, or the contract does not offer it.',
    advice: 'Find items with GET /api/v1/items/.',
    message: ({ item_id }) => `There is no item ${item_id}.`,
    example: { item_id: 1024 },
  }),
  stock_not_found: kind<{ stock_id: number }>({
    status: 404,
    meaning: 'There is no such stock.',
    advice: 'List the stocks with GET /api/v1/stocks/.',
    message: ({ stock_id }) => `There is no stock ${stock_id}.`,
    example: { stock_id: 9 },
  }),
  contract_not_found: kind<{ contract_id: number }>({
    status: 404,
    meaning: 'The client has no such contract.',
    advice: 'List the contracts with GET /api/v1/contracts/, or leave contract_id out to use the default one.',
    message: ({ contract_id }) => `There is no contract ${contract_id}.`,
    example: { contract_id: 70 },
  }),
  method_not_allowed: kind<{ method: string; allowed: string[] }>({
    status: 405,
    meaning: 'The address exists, but not with this method.',
    advice: 'Use one of the methods in the Allow header.',
    message: ({ method, allowed }) => `${method} is not possible here; possible are: ${allowed.join(', ')}.`,
    example: { method: 'POST', allowed: ['GET', 'PUT', 'HEAD'] },
  }),
  request_timed_out: kind<NoDetails>({
    status: 408,
    meaning: 'The request did not arrive completely in time.',
    advice: 'Send it again, faster.',
    message: () => 'The request did not arrive completely in time.',
    example: {},
  }),
  webhook_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The client has as many webhook endpoints as it may have.',
    advice: 'Delete one that is not needed any more, or change it.',
    message: ({ limit }) => `The client already has ${limit} webhook endpoints, which is the limit.`,
    example: { limit: 20 },
  }),
  webhook_paused_by_operator: kind<{ webhook_id: number; paused_text: string }>({
    status: 409,
    meaning: 'The distributor has paused the webhook endpoint; only the distributor can resume it.',
    advice: 'Mend what details.paused_text says, and ask the distributor to resume it.',
    message: ({ webhook_id, paused_text }) =>
      `The webhook endpoint ${webhook_id} was paused by the distributor: ${paused_text}`,
    example: { webhook_id: 41, paused_text: 'It answers every event with a login page.' },
  }),
  cart_limit_reached: kind<{ limit: number }>({
    status: 409,
    meaning: 'The client has as many carts as a client may have.',
    advice: 'Delete a cart that is no longer used.',
    message: ({ limit }) => `A client may have ${limit} carts, and there are that many.`,
    example: { limit: 200 },
  }),
  idempotency_key_used: kind<{ idempotency_key: string }>({
    status: 409,
    meaning:
      'The Idempotency-Key was used within the last 24 hours for a request with other fields. Nothing was changed.',
    advice: 'Take a new key for a new request; repeat a request with exactly the fields that it had.',
    message: ({ idempotency_key }) =>
      `The Idempotency-Key '${idempotency_key}' belongs to an earlier request with other fields.`,
    example: { idempotency_key: '0c6fc6c2-5b5c-4f2e-9a53-0d6a2b8f5f0e' },
  }),
  cart_full: kind<{ cart_id: number; limit: number }>({
    status: 409,
    meaning: 'The cart has as many lines as a cart may have.',
    advice: 'Order a group of this cart, remove lines, or use another cart.',
    message: ({ cart_id, limit }) => `A cart may have ${limit} lines, and cart ${cart_id} has that many.`,
    example: { cart_id: 12, limit: 1000 },
  }),
  line_quantity_exceeded: kind<{ item_id: number; in_cart: number; requested: number; limit: number }>({
    status: 409,
    meaning: 'The quantity in the cart and the added one together exceed what a line may hold.',
    advice: 'Add less, or set the quantity with PATCH.',
    message: ({ item_id, in_cart, requested, limit }) =>
      `The line holds ${in_cart} of item ${item_id}; adding ${requested} would exceed ${limit}.`,
    example: { item_id: 1024, in_cart: 999_990, requested: 20, limit: 1_000_000 },
  }),
  item_not_on_sale: kind<{ item_id: number }>({
    status: 409,
    meaning: 'The item exists, but is not sold at present.',
    advice: 'Choose another item; in a cart, remove the line.',
    message: ({ item_id }) => `Item ${item_id} is not on sale.`,
    example: { item_id: 1024 },
  }),
  item_not_priced: kind<{ item_id: number; contract_id: number }>({
    status: 409,
    meaning: "The contract's price list has no price for the item.",
    advice: 'Use another contract or another item; in a cart, remove the line.',
    message: ({ item_id, contract_id }) => `Item ${item_id} has no price under contract ${contract_id}.`,
    example: { item_id: 1024, contract_id: 7 },
  }),
  stock_not_serving: kind<{ stock_id: number }>({
    status: 409,
    meaning: 'The stock exists, but does not serve this client.',
    advice: 'Use one of the stocks of GET /api/v1/stocks/.',
    message: ({ stock_id }) => `Stock ${stock_id} does not serve this client.`,
    example: { stock_id: 3 },
  }),
  cart_group_changed: kind<{
    cart_group_key: string
    changed: ('lines' | 'prices')[]
    cart_items: { item_id: number; quantity: number; price: number }[]
  }>({
    status: 409,
    meaning:
      'The group is no longer what was shown with this key: lines, quantities or prices have changed. Nothing was ordered.',
    advice:
      'Look at details.changed and details.cart_items, and order with details.cart_group_key if the change is welcome.',
    message: ({ changed }) =>
      `The ${changed.join(' and ')} of the cart group have changed since this key was shown; nothing was ordered.`,
    example: {
      cart_group_key: '77-5d3c0f6a1b2e4c8d-0c1d2e3f4a5b6c7d',
      changed: ['prices'],
      cart_items: [{ item_id: 1024, quantity: 4, price: 57.9 }],
    },
  }),
  cart_group_already_ordered: kind<{ order_id: number }>({
    status: 409,
    meaning: 'The group was ordered already, with another address or as it stood under another key.',
    advice: 'Read the order named in details.order_id. For a further order, fill the cart anew.',
    message: ({ order_id }) =>
      `This cart group was ordered already, otherwise than asked for now: see order ${order_id}.`,
    example: { order_id: 5012 },
  }),
  out_of_stock: kind<{ item_id: number; stock_id: number; available: number; requested: number }>({
    status: 409,
    meaning:
      'The stock does not have enough of an item. Nothing was ordered. There is one such error for each item that lacks.',
    advice: 'Lower the quantity to details.available, or take the item from another stock.',
    message: ({ item_id, stock_id, available, requested }) =>
      `Stock ${stock_id} has ${available} of item ${item_id} available, and ${requested} were asked for.`,
    example: { item_id: 1024, stock_id: 1, available: 3, requested: 5 },
  }),
  contract_limit_exceeded: kind<{ contract_id: number; limit: number; used: number; requested: number }>({
    status: 409,
    meaning: 'The open orders of the contract and this one together exceed its limit. Nothing was ordered.',
    advice: 'Order less, wait until open orders are settled, or use another contract.',
    message: ({ contract_id, limit, used, requested }) =>
      `Contract ${contract_id} has a limit of ${limit}, of which ${used} is used; this order would add ${requested}.`,
    example: { contract_id: 7, limit: 25_000, used: 24_100.5, requested: 1_200 },
  }),
  contract_limit_below_exposure: kind<{ contract_id: number; limit: number; exposure: number }>({
    status: 409,
    meaning:
      'The open orders of the contract already add up to more than the limit that it was to have. Nothing was changed.',
    advice: 'Set a limit of at least details.exposure, or wait until open orders are settled; 0 means no limit.',
    message: ({ contract_id, limit, exposure }) =>
      `The open orders of contract ${contract_id} add up to ${exposure}; its limit cannot be lowered to ${limit}.`,
    example: { contract_id: 7, limit: 1_000, exposure: 1_221.04 },
  }),
  contract_is_default: kind<{ contract_id: number }>({
    status: 409,
    meaning: 'A client has exactly one default contract: the mark can be moved to another one, not taken away.',
    advice: 'Make another contract the default; this one then ceases to be it.',
    message: ({ contract_id }) => `Contract ${contract_id} is the default until another contract is made the default.`,
    example: { contract_id: 7 },
  }),
  price_list_currency_differs: kind<{
    price_list_id: number
    currency_code: string
    contract_id: number
    contract_currency_code: string
  }>({
    status: 409,
    meaning: 'A contract keeps its currency, since its limit and its open orders are amounts of it.',
    advice: 'Make another contract with that price list.',
    message: ({ price_list_id, currency_code, contract_id, contract_currency_code }) =>
      `Price list ${price_list_id} is in ${currency_code}, and contract ${contract_id} in ${contract_currency_code}.`,
    example: { price_list_id: 3, currency_code: 'KWD', contract_id: 7, contract_currency_code: 'EUR' },
  }),
  order_total_too_large: kind<{ total_max: number }>({
    status: 409,
    meaning: 'The total of the order is larger than the service can carry.',
    advice: 'Split the order.',
    message: ({ total_max }) =>
      `An order's total, and what a contract's open orders add up to, cannot exceed ${total_max}.`,
    example: { total_max: 999_999_999_999.999 },
  }),
  order_not_cancellable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'In its present state the order cannot be cancelled.',
    advice: 'GET /api/v1/order-states/ tells in which states it can.',
    message: ({ order_id, order_state_id }) =>
      `Order ${order_id} cannot be cancelled in the state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'shipped' },
  }),
  shipping_date_refused: kind<{
    shipping_date: string
    /** Null when the stock is closed for good. */
    earliest_date: string | null
    latest_date: string
    order_state_id: string
    reschedulable: boolean
  }>({
    status: 409,
    meaning: 'The order cannot be shipped on that day, or in its present state can no longer be rescheduled.',
    advice:
      'If details.reschedulable is true, choose a day from details.earliest_date to details.latest_date; otherwise the date is fixed.',
    message: ({ shipping_date, earliest_date, latest_date, order_state_id, reschedulable }) =>
      reschedulable
        ? earliest_date === null
          ? 'The stock has no open day in sight.'
          : `The shipping date ${shipping_date} must lie between ${earliest_date} and ${latest_date}.`
        : `An order in the state '${order_state_id}' cannot be rescheduled.`,
    example: {
      shipping_date: '2027-03-01',
      earliest_date: '2026-11-17',
      latest_date: '2027-02-13',
      order_state_id: 'new',
      reschedulable: true,
    },
  }),
  order_history_full: kind<{ order_id: number; limit: number }>({
    status: 409,
    meaning: 'The order was rescheduled so often that its history takes no further change of date.',
    advice: 'Agree on the date with the distributor.',
    message: ({ order_id, limit }) =>
      `The history of order ${order_id} has ${limit} entries; its date cannot be changed again.`,
    example: { order_id: 5012, limit: 200 },
  }),
  order_move_refused: kind<{ order_id: number; order_state_id: string; state_id: string; possible: readonly string[] }>(
    {
      status: 409,
      meaning: 'The order cannot be moved to that state from the one it is in; it may have been moved in the meantime.',
      advice: 'Read the order. Details.possible lists the states to which it can be moved now.',
      message: ({ order_id, order_state_id, state_id, possible }) =>
        `Order ${order_id} is in the state '${order_state_id}' and cannot be moved to '${state_id}'; possible ${possible.length === 0 ? 'is none' : `are: ${possible.join(', ')}`}.`,
      example: { order_id: 5012, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
    },
  ),
  order_is_virtual: kind<{ order_id: number }>({
    status: 409,
    meaning: 'A virtual order holds no goods, so that none can be shipped.',
    advice: 'Reserve its goods with POST /operator/v1/orders/{order_id}/clear-virtual/, then ship.',
    message: ({ order_id }) => `Order ${order_id} is virtual and cannot be shipped.`,
    example: { order_id: 5012 },
  }),
  virtual_not_clearable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning:
      'In its present state a virtual order cannot be given its goods: it is cancelled, or its client asks for that.',
    advice: 'Decide the request first; if it is rejected, repeat this.',
    message: ({ order_id, order_state_id }) =>
      `No goods can be reserved for order ${order_id} in the state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'zayavka-na-otmen' },
  }),
  goods_missing: kind<{ item_id: number; stock_id: number; on_hand: number; needed: number }>({
    status: 409,
    meaning:
      'An item that was sold as a back-order has not arrived yet. There is one such error for each item that lacks.',
    advice: 'Enter the delivery into the stock level, then ship.',
    message: ({ item_id, stock_id, on_hand, needed }) =>
      `Stock ${stock_id} has ${on_hand} of item ${item_id}, and the order needs ${needed}.`,
    example: { item_id: 1024, stock_id: 1, on_hand: 0, needed: 5 },
  }),
  cancellation_not_requested: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'No cancellation of the order waits for a decision; another operator may have decided it.',
    advice: 'Read the order: its history tells what happened.',
    message: ({ order_id, order_state_id }) =>
      `No cancellation of order ${order_id} waits for a decision; its state is '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'canceled' },
  }),
  adjustment_decided: kind<{
    adjustment_id: number
    adjustment_status: string
    adjustment_canceled_message: string | null
  }>({
    status: 409,
    meaning: 'The adjustment does not wait any more: it was decided, superseded, or its order has moved on.',
    advice: 'Look at details.adjustment_status; nothing is left to decide.',
    message: ({ adjustment_id, adjustment_status, adjustment_canceled_message }) =>
      `Adjustment ${adjustment_id} is ${adjustment_status} already${adjustment_canceled_message === null ? '' : `: ${adjustment_canceled_message.replace(/\.$/, '')}`}.`,
    example: {
      adjustment_id: 88,
      adjustment_status: 'CANCELED',
      adjustment_canceled_message: 'Superseded by adjustment 91.',
    },
  }),
  order_not_adjustable: kind<{ order_id: number; order_state_id: string }>({
    status: 409,
    meaning: 'In its present state the lines of the order cannot be adjusted.',
    advice: 'GET /api/v1/order-states/ tells in which states they can.',
    message: ({ order_id, order_state_id }) => `Order ${order_id} cannot be adjusted in the state '${order_state_id}'.`,
    example: { order_id: 5012, order_state_id: 'fulfilling' },
  }),
  quantity_unchanged: kind<{ order_item_id: number; quantity: number }>({
    status: 409,
    meaning: 'The line already has the wanted quantity.',
    advice: 'Nothing needs to be done.',
    message: ({ order_item_id, quantity }) => `Order item ${order_item_id} already has the quantity ${quantity}.`,
    example: { order_item_id: 20_044, quantity: 4 },
  }),
  import_refused: kind<{ import_id: number; rows: number; rows_refused: number }>({
    status: 409,
    meaning: 'An import of all or nothing has bad rows. Nothing was changed.',
    advice:
      'Mend the rows that follow in errors, each with details.line; GET /operator/v1/imports/{import_id}/errors/ lists all of them. Or send it with mode=rows.',
    message: ({ import_id, rows, rows_refused }) =>
      `Nothing of import ${import_id} was written: ${rows_refused} of ${rows} rows ${rows_refused === 1 ? 'is' : 'are'} bad.`,
    example: { import_id: 7, rows: 2000, rows_refused: 3 },
  }),
  import_key_used: kind<{ import_key: string; import_id: number }>({
    status: 409,
    meaning: 'An import with this key is there already, and had other content.',
    advice: 'Take a new key for new content; details.import_id names the earlier import.',
    message: ({ import_key, import_id }) =>
      `The key '${import_key}' belongs to import ${import_id}, which had other content.`,
    example: { import_key: 'counted-2026-11-15', import_id: 7 },
  }),
  import_too_large: kind<{ rows_max: number }>({
    status: 413,
    meaning: 'The import has too many rows.',
    advice: 'Send it in parts.',
    message: ({ rows_max }) => `An import may have ${rows_max} rows.`,
    example: { rows_max: 5_000_000 },
  }),
  row_malformed: kind<{ reason: string }>({
    status: 400,
    meaning: 'A row of an import cannot be read.',
    advice: 'Mend the row.',
    message: ({ reason }) => `The row cannot be used: ${reason}.`,
    example: { reason: 'it is not a JSON object' },
  }),
  row_repeated: kind<NoDetails>({
    status: 400,
    meaning: 'A row of an import is about the same thing as an earlier one.',
    advice: 'Send one row for each item, price or stock level.',
    message: () => 'An earlier row is about the same thing.',
    example: {},
  }),
  import_key_missing: kind<NoDetails>({
    status: 400,
    meaning: 'A row changes stock by a difference, and the import has no key: repeating it would change it again.',
    advice: 'Send the import with an import_key.',
    message: () => "A 'difference' needs an import_key, so that the import can be repeated safely.",
    example: {},
  }),
  stock_below_reserved: kind<{ stock_id: number; item_id: number; on_hand: number; reserved: number }>({
    status: 409,
    meaning: 'Less would lie in the stock than orders have reserved.',
    advice: 'Cancel or adjust orders first, or count again.',
    message: ({ stock_id, item_id, on_hand, reserved }) =>
      `Stock ${stock_id} would hold ${on_hand} of item ${item_id}, and orders have reserved ${reserved}.`,
    example: { stock_id: 1, item_id: 1024, on_hand: 3, reserved: 5 },
  }),
  currency_not_found: kind<{ currency_code: string }>({
    status: 409,
    meaning: 'There is no such currency yet.',
    advice: 'Add it with PUT /operator/v1/currencies/{currency_code}/ first.',
    message: ({ currency_code }) => `There is no currency ${currency_code}.`,
    example: { currency_code: 'SEK' },
  }),
  price_list_currency_fixed: kind<{ price_list_id: number; currency_code: string }>({
    status: 409,
    meaning: 'The currency of a price list cannot change: the prices in it are meant in that currency.',
    advice: 'Make a new price list.',
    message: ({ price_list_id, currency_code }) => `Price list ${price_list_id} is in ${currency_code}, and stays so.`,
    example: { price_list_id: 1, currency_code: 'EUR' },
  }),
  currency_digits_fixed: kind<{ currency_code: string; minor_digits: number }>({
    status: 409,
    meaning: 'The digits of a currency cannot change: totals have been rounded to them.',
    advice: 'Send the digits that it has.',
    message: ({ currency_code, minor_digits }) =>
      `${currency_code} is rounded to ${minor_digits} digits, and stays so.`,
    example: { currency_code: 'EUR', minor_digits: 2 },
  }),
  events_expired: kind<{ after: number; first_event_number: number }>({
    status: 410,
    meaning: 'Events after that number are no longer kept.',
    advice:
      'What happened in between cannot be read event by event: list the orders, then go on with `after` one less than details.first_event_number, or replay from that number.',
    message: ({ after, first_event_number }) =>
      `The events after ${after} are no longer kept; the first that is still there is ${first_event_number}.`,
    example: { after: 12, first_event_number: 310 },
  }),
  feed_expired: kind<NoDetails>({
    status: 410,
    meaning:
      'Events after that cursor are no longer kept, or the database was restored since, which gives events new positions.',
    advice:
      'Compare the orders with GET /operator/v1/orders/, then begin anew without a cursor, with the oldest event that is still there.',
    message: () =>
      'The feed does not go on after this cursor: events are no longer kept, or the database was restored.',
    example: {},
  }),
  event_number_ahead: kind<{ after: number; last_event_number: number }>({
    status: 409,
    meaning: 'The client has no event with that number yet.',
    advice:
      'Look for a number that belongs to another client or another installation. If it was right once, the service was set back to an earlier state: list the orders, then go on with details.last_event_number.',
    message: ({ after, last_event_number }) => `There is no event ${after} yet; the last one is ${last_event_number}.`,
    example: { after: 9000, last_event_number: 41 },
  }),
  import_not_found: kind<{ import_id: number }>({
    status: 404,
    meaning: 'There is no such import, or it was cut off before it had come as a whole.',
    advice: 'List the imports with GET /operator/v1/imports/.',
    message: ({ import_id }) => `There is no import ${import_id}.`,
    example: { import_id: 7 },
  }),
  body_too_large: kind<{ limit_bytes: number }>({
    status: 413,
    meaning: 'The body is larger than any form of this service can be.',
    advice: 'Send only the fields of the operation.',
    message: ({ limit_bytes }) => `A body may have ${limit_bytes} bytes.`,
    example: { limit_bytes: 16_384 },
  }),
  unsupported_media_type: kind<{ content_type: string; expected: string }>({
    status: 415,
    meaning: 'The body is not of the kind that the operation takes: a form from clients, JSON from operators.',
    advice: 'Send the fields as details.expected, in UTF-8.',
    message: ({ content_type, expected }) => `The body must be ${expected} in UTF-8, not '${content_type}'.`,
    example: { content_type: 'text/plain', expected: 'application/x-www-form-urlencoded' },
  }),
  rate_limited: kind<{ rate_per_second: number; rate_burst: number }>({
    status: 429,
    meaning: 'The key was used too often. This request changed nothing; its body was not read.',
    advice:
      'Repeat it after the number of seconds in Retry-After, and keep to the rate: the RateLimit header field of every answer tells how many requests are left.',
    message: ({ rate_per_second, rate_burst }) =>
      `This key may make ${rate_per_second} ${rate_per_second === 1 ? 'request' : 'requests'} a second, and ${rate_burst} at once after a pause.`,
    example: { rate_per_second: 50, rate_burst: 100 },
  }),
  headers_too_large: kind<NoDetails>({
    status: 431,
    meaning: 'The header fields together are too large.',
    advice: 'Send fewer or shorter header fields.',
    message: () => 'The header fields are too large.',
    example: {},
  }),
  internal_error: kind<NoDetails>({
    status: 500,
    meaning: 'The service has a bug.',
    advice: 'Report it with the request id. The request can be repeated safely where the reference says so.',
    message: () => 'Something went wrong on our side; the log knows more under this request id.',
    example: {},
  }),
  overloaded: kind<NoDetails>({
    status: 503,
    meaning:
      'The service has more to do than it can. Lists are refused first, placing orders last. This request changed nothing; its body was not read.',
    advice:
      'Repeat the request after the number of seconds in Retry-After, and then less often if it is refused again.',
    message: () => 'The service has more to do than it can at present; repeat the request in a moment.',
    example: {},
  }),
  busy: kind<NoDetails>({
    status: 503,
    meaning: 'Too many requests wanted the same thing at once. This one changed nothing.',
    advice: 'Repeat the request after the number of seconds in Retry-After.',
    message: () => 'Too many requests want the same thing at once; repeat this one in a moment.',
    example: {},
  }),
  database_unavailable: kind<NoDetails>({
    status: 503,
    meaning: 'The database cannot be reached or did not answer in time.',
    advice:
      'Repeat the request after the number of seconds in Retry-After. Everything under /api/v1/ is safe to repeat; what adds something each time (a cart, an item, a webhook endpoint, a new secret) with an Idempotency-Key.',
    message: () => 'The service cannot reach its database; repeat the request in a moment.',
    example: {},
  }),
  shutting_down: kind<NoDetails>({
    status: 503,
    meaning: 'This process is about to stop.',
    advice: 'Repeat the request; another process will take it.',
    message: () => 'This process is about to stop; repeat the request.',
    example: {},
  }),
}

export type RefusalCode = keyof typeof refusals
export type Details<C extends RefusalCode> = Parameters<(typeof refusals)[C]['message']>[0]

export interface RefusalError {
  readonly code: RefusalCode
  readonly message: string
  readonly field?: string
  readonly details?: object
}

/** An expected "no". The error handler turns it into a response; nothing else does. */
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
  /** The field of the request that is to blame. */
  readonly field?: string
}

/** What a failure with this code looks like, for the reference. */
export function exampleError(code: RefusalCode): RefusalError {
  return refusalError(code, refusals[code].example as never)
}

/** One error of a refusal. A detail called `field` says which field of the request is meant. */
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
