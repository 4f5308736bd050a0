/** Stocks and their levels, for operators. */
import { listAllStocks, OperatorStock, putStock } from './operator-stocks.ts'
import { listStockLevels } from './list-stock-levels.ts'
import { expectedOnHand, onHand, setStockLevel } from './set-stock-level.ts'
import { StockLevel } from './stock-level.ts'
import { operatorActor } from '../identity/actor.ts'
import { flag, id, integer, optional, text, timeOfDay, weekdays } from '../input/fields.ts'
import { pageFields } from '../input/page-fields.ts'
import { operatorRoute, type Route } from '../http/routing/route.ts'
import { refer } from '../vocabulary/schema-parts.ts'

const tag = 'Catalogue'
const item_id = id('The item.', 1024)

const stock_id = id('The stock.', 1)

export const stockOperatorRoutes: Route[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stock-levels/',
    operationId: 'listStockLevels',
    tag,
    permission: 'view',
    summary: 'List stock levels',
    description: 'Sorted by stock and item.',
    query: { stock_id: optional(stock_id), item_id: optional(item_id), ...pageFields },
    data: refer(StockLevel),
    paged: true,
    refusals: [],
    handle: ({ db, query, page }) => listStockLevels(db, query, page),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stock-levels/{stock_id}/{item_id}/',
    operationId: 'setStockLevel',
    tag,
    permission: 'catalogue',
    trace: 'catalogue stock-level',
    summary: 'Set a stock level',
    description:
      'The stock, and whether back-orders are taken. It may not be below what orders have reserved, unless back-orders are taken: record such a loss with `count`.',
    params: { stock_id, item_id },
    form: {
      on_hand: onHand,
      back_order: optional(
        flag({
          description: 'Whether more can be ordered than is in stock; unchanged if absent.',
          example: false,
        }),
      ),
      expected: expectedOnHand,
    },
    data: refer(StockLevel),
    refusals: ['stock_not_found', 'item_not_found', 'expected_differs', 'stock_below_reserved'],
    handle: ({ db, actor, params, form, request_id }) =>
      setStockLevel(db, { ...params, ...form, actor: operatorActor(actor), request_id }),
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/stocks/',
    operationId: 'listAllStocks',
    tag,
    permission: 'view',
    summary: 'List all stocks',
    query: pageFields,
    data: refer(OperatorStock),
    paged: true,
    refusals: [],
    handle: ({ db, page }) => listAllStocks(db, page),
  }),
  operatorRoute({
    method: 'PUT',
    path: '/operator/v1/stocks/{stock_id}/',
    operationId: 'putStock',
    tag,
    permission: 'administer',
    trace: 'catalogue stock',
    summary: 'Add or change a stock',
    params: { stock_id },
    form: {
      stock_name: text({ description: 'Its name.', example: 'Hamburg' }),
      lead_days: optional(
        integer({
          min: 0,
          max: 60,
          description: 'Days it needs before it can ship; 0 if absent.',
          example: 1,
        }),
      ),
      cut_off: optional(
        timeOfDay({
          description:
            'From this time of the day on, in the time zone of the service, the lead time begins a day later. Never if absent.',
          example: '14:30',
        }),
      ),
      closed_weekdays: optional(
        weekdays({
          description: 'Weekdays on which it does not ship: 1 is Monday, 7 is Sunday. None if absent.',
          example: [6, 7],
        }),
      ),
    },
    data: refer(OperatorStock),
    refusals: [],
    handle: ({
      db,
      actor,
      params,
      form: { stock_name, lead_days = 0, cut_off = null, closed_weekdays = [] },
      request_id,
    }) =>
      putStock(db, {
        ...params,
        stock_name,
        lead_days,
        cut_off,
        closed_weekdays,
        actor: operatorActor(actor),
        request_id,
      }),
  }),
]
