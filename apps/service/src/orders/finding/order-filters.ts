/** What lists of orders are filtered and sorted by. A saved view keeps a query of the operators' list. */
import { stateIds } from '../../vocabulary/order-states.ts'
import { orderSorts } from './read-operator-orders.ts'
import { exampleIds } from '../../vocabulary/example-ids.ts'
import { choice, day, flag, id, listed, optional, text, timeFrom, timeTo } from '../../input/fields.ts'
import { metadataPair } from '../../input/metadata.ts'

const sort = choice(orderSorts, {
  description:
    '`created`: newest first. `ship_date`: soonest first, of orders with a shipping date. `total`: largest first, of orders that have not shipped. `changed`: last changed first, of orders that were changed after they were placed. By default `ship_date` with a filter by shipping date, `changed` with `changed_since`, otherwise `created`. A search is always sorted by `created`.',
  example: 'total',
})

/** When an order was placed, for both sides. */
export const placedFilters = {
  date_from: optional(
    timeFrom({ description: 'Only orders placed on this day or at this time, or later.', example: '2026-11-01' }),
  ),
  date_to: optional(
    timeTo({
      description: 'Only orders placed on this day or at this time, or earlier. Includes the whole day or second.',
      example: '2026-11-30',
    }),
  ),
}

export const orderFilters = {
  client_id: optional(id('Only orders of this client.', exampleIds.client_id)),
  order_number: optional(id('Only the order with this number.', 100_234)),
  state: optional(
    listed(stateIds, {
      description: 'Only orders in this state, or in one of several that are separated by commas.',
      example: ['new', 'processing'],
    }),
  ),
  stock_id: optional(id('Only orders from this stock.', exampleIds.stock_id)),
  contract_id: optional(id('Only orders under this contract.', exampleIds.contract_id)),
  sku_code: optional(
    text({
      description: 'Only orders with a line of this article (item_vendor_code): exact match, ignoring case.',
      example: 'BN-280-V',
    }),
  ),
  metadata: optional(
    metadataPair(
      'Only orders with exactly this key and value of metadata, whether the client has sent it or you keep it.',
    ),
  ),
  ...placedFilters,
  search: optional(
    text({
      description:
        'Only orders that match this text, ignoring case: with this number, article or barcode, with a reference or a city that begins with it, or of a client whose name has words that begin with its words. At most 10 clients and 10 cities are followed.',
      example: 'PO-2026',
    }),
  ),
  ship_from: optional(day({ description: 'Only orders to be shipped on this day or later.', example: '2026-11-16' })),
  ship_to: optional(day({ description: 'Only orders to be shipped on this day or earlier.', example: '2026-11-20' })),
  changed_since: optional(
    timeFrom({
      description: 'Only orders changed after they were placed, on this day or at this time or later.',
      example: '2026-11-15',
    }),
  ),
  held: optional(flag({ description: 'Only orders that are on hold, or that are not.', example: true })),
  virtual: optional(flag({ description: 'Only orders that are virtual, or that are not.', example: true })),
  short: optional(
    flag({
      description: 'Only open orders with a line of which the stock has more reserved than on hand, or all others.',
      example: true,
    }),
  ),
  sort: optional(sort),
}
