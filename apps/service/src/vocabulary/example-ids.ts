/**
 * The ids in the examples of the API reference. `npm run demo` has these objects (demo/add-examples.ts), so that every
 * example can be tried there.
 */
export const exampleIds = {
  client_id: 1,
  contact_id: 1,
  contract_id: 1,
  stock_id: 1,
  item_id: 1024,
  brand_id: 11,
  cart_id: 12,
  cart_item_id: 345,
  order_id: 5012,
  order_item_id: 20_044,
  adjustment_id: 88,
  return_request_id: 6,
  webhook_id: 41,
  feed_endpoint_id: 3,
  address_id: 21,
}

/** What an example deletes, cancels or orders. No other example needs it. */
export const endedIds = {
  cart_id: 13,
  cart_item_id: 346, // In the cart of the other examples.
  cart_group_key: '77-38060a49b95ac353-e10ce55eb2b40676-b0ffb8633b2df794',
  order_id: 5013,
  adjustment_id: 89, // Of the order of the other examples.
  return_request_id: 7,
  shipped_order_id: 5014,
  shipped_order_item_id: 20_047,
  webhook_id: 42,
  feed_endpoint_id: 4,
  address_id: 22,
  key_id: 17,
}
