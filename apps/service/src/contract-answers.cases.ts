/** The requests of `contract-answers.test.ts`, in their order. Ids are literal: the database is new in each run. */
import type { Operators } from './testing/operators.ts'
import type { TestService } from './testing/service.ts'
import { unknownId } from './testing/world.ts'

/** Names such as `<today+7>` and `<cart_group_key 1>` are replaced. A header with an empty value is left out. */
export type ScenarioRequest = readonly [method: string, path: string, body?: string, headers?: Record<string, string>]

/** A function prepares what clients cannot do; its answers are not recorded. */
export type ScenarioStep = ScenarioRequest | ((world: Pick<TestService, 'sql'> & Operators) => Promise<unknown>)

const address = 'zip=10115&country_code=DE&region_code=DE-BE&city=Berlin&street=Invalidenstra%C3%9Fe&home=116'
const krause = { authorization: '<krause>' }

const order = (key: number, rest = address): ScenarioRequest => [
  'PUT',
  '/orders/',
  `cart_group_key=<cart_group_key ${key}>&${rest}`,
]

/** What an operator does. */
const decide =
  (path: string, json?: object): ScenarioStep =>
  ({ ok }) =>
    ok('POST', `/operator/v1/${path}/`, json)

const execute =
  (sql: string): ScenarioStep =>
  (world) =>
    world.sql(sql)

const lookups: readonly ScenarioStep[] = [
  ['GET', '/countries/'],
  ['GET', '/regions/'],
  ['GET', '/regions/?country_code=LU'],
  ['GET', '/regions/?country_code=lu'],
  ['GET', '/regions/?country_code=XX'],
  ['GET', '/regions/?country_code=LUX'],
  ['GET', '/stocks/'],
  ['GET', '/contracts/'],
  ['GET', '/order-states/'],
  ['GET', '/items/'],
  ['GET', '/items/?search=oil+filter'],
  ['GET', '/items/?search=bn-280-v'],
  ['GET', '/items/?search=4006381333955'],
  ['GET', '/items/?search=nothing'],
  ['GET', '/items/?brand_id=1'],
  ['GET', '/items/?stock_id=2'],
  ['GET', '/items/?contract_id=4003'],
  ['GET', '/items/?limit=3'],
  ['GET', '/items/?limit=3&cursor=<next_cursor 1>'],
  ['GET', '/items/?limit=3&brand_id=2&cursor=<next_cursor 1>'],
  ['GET', `/items/?contract_id=${unknownId}`],
  ['GET', '/items/?limit=501&brand_id=x&colour=red&stock_id=1&stock_id=2'],
  ['GET', '/items/1/'],
  ['GET', '/items/1/?contract_id=4003'],
  ['GET', '/items/5/'],
  ['GET', '/items/6/'],
  ['GET', `/items/1/?contract_id=${unknownId}`],
]

const carts: readonly ScenarioStep[] = [
  ['GET', '/carts/'],
  ['PUT', '/carts/', 'name=Monday'],
  ['PUT', '/carts', 'name=++Werkstatt+Mu%CC%88ller+'],
  ['PUT', '/carts/', 'name=Once', { 'idempotency-key': 'once' }],
  ['PUT', '/carts/', 'name=Garage', krause],
  ['PUT', '/carts/', 'name=Once', { 'idempotency-key': 'once' }],
  ['PUT', '/carts/', 'name=Twice', { 'idempotency-key': 'once' }],
  ['GET', '/carts/'],
  ['GET', '/carts/50001/'],
  ['GET', '/carts/50004/'],
  ['GET', `/carts/${unknownId}/`],
  ['PATCH', '/carts/50001/', 'name=Tuesday'],
  ['PATCH', '/carts/50001', 'name=Monday'],
  ['PATCH', '/carts/50004/', 'name=Mine'],
  ['GET', '/carts/50001/items/'],
  ['GET', '/carts/50004/items/'],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=1&quantity=2'],
  ['PUT', '/carts/50001/items/', 'item_id=3&stock_id=1&quantity=1', { 'idempotency-key': 'plugs' }],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=2&quantity=1&for_advertising_budget=Spring&contract_id=4002'],
  ['PUT', '/carts/50001/items', 'item_id=2&stock_id=1&quantity=1&for_advertising_budget=&contract_id='],
  ['PUT', '/carts/50003/items/', 'item_id=1&stock_id=1&quantity=1'],
  ['PUT', '/carts/50001/items/', 'item_id=4&stock_id=1&quantity=1'],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=1&quantity=3'],
  ['PUT', '/carts/50001/items/', 'item_id=3&stock_id=1&quantity=1', { 'idempotency-key': 'plugs' }],
  ['PUT', '/carts/50001/items/', 'item_id=3&stock_id=1&quantity=2', { 'idempotency-key': 'plugs' }],
  ['PUT', '/carts/50004/items/', 'item_id=1&stock_id=1&quantity=1'],
  ['GET', '/carts/50001/items/'],
  ['GET', '/carts/50001/items/700001/'],
  ['GET', '/carts/50001/items/700003/'],
  ['GET', `/carts/50001/items/${unknownId}/`],
  ['GET', '/carts/50002/items/700001/'],
  ['PATCH', '/carts/50001/items/700001/', 'quantity=7'],
  ['PATCH', '/carts/50001/items/700001', 'quantity=6'],
  ['PATCH', `/carts/50001/items/${unknownId}/`, 'quantity=7'],
  ['DELETE', '/carts/50001/items/700002/'],
  ['DELETE', '/carts/50001/items/700002/'],
  ['DELETE', '/carts/50001/items/700006'],
  ['GET', '/carts/50001/items/'],
  ['DELETE', '/carts/50003/'],
  ['DELETE', '/carts/50003/'],
  ['DELETE', '/carts/50004/'],
  ['DELETE', '/carts/50004', undefined, krause],
]

const orders: readonly ScenarioStep[] = [
  ['GET', '/orders/'],
  order(1), // The lines have changed since.
  order(3),
  order(3),
  order(3, address.replace('Berlin', 'Potsdam')),
  ['PUT', '/orders', `cart_group_key=<cart_group_key 2>&${address}&room=3`],
  ['GET', '/carts/50001/items/'],
  execute(`insert into contracts (contract_id, client_id, contract_name, price_list_id)
           values (4500, 2001, 'Kuwait', 3)`),
  ['PUT', '/carts/50002/items/', 'item_id=1&stock_id=1&quantity=3&contract_id=4500'],
  ['GET', '/carts/50002/items/'],
  order(4), // In another currency.
  ({ ok }) => ok('PATCH', '/operator/v1/clients/2001/carts/50002/', { virtual: true }),
  ['GET', '/carts/50002/'],
  ['PUT', '/carts/50002/items/', 'item_id=4&stock_id=1&quantity=2'],
  ['GET', '/carts/50002/items/'],
  order(5), // Virtual.
  ['GET', '/orders/80001/'],
  ['GET', '/orders/80002/'],
  ['GET', '/orders/80003/'],
  ['GET', '/orders/80001/items/'],
  ['GET', '/orders/80001/', undefined, krause],
  ['GET', '/orders/80001/items/', undefined, krause],
  ['GET', '/orders/', undefined, krause],
  ['GET', '/orders/'],
  ['GET', '/orders/?state=canceled'],
  ['GET', '/orders/?state=nonsense'],
  ['GET', '/orders/?state=new&date_from=<today+0>&date_to=<today+0>&sku_code=fw-2'],
  ['GET', '/orders/?state=NEW&sku_code=FW-2'],
  ['GET', '/orders/?state=new,processing&sku_code=FW-2'],
  ['GET', '/orders/?date_from=<today+1>'],
  ['GET', '/orders/?date_to=<today-1>'],
  ['GET', '/orders/?date_to=<today-1>+00:00:00'],
  ['GET', '/orders/?date_from=<today+0>+23:59:59&limit=1'],
  ['GET', '/orders/?sku_code=nothing'],
  ['GET', '/orders/?date_from=2030-02-30&date_to=yesterday&limit=0&cursor=x'],
  ['GET', '/orders/?limit=3'],
  ['GET', '/orders/?limit=3&cursor=<next_cursor 2>'],
  ['GET', '/orders/?limit=3&state=new&cursor=<next_cursor 2>'],
  ['GET', '/orders/?cursor=<next_cursor 1>'], // Of the items.
  ['GET', '/orders/?cursor=<next_cursor 2>', undefined, krause],
]

const adjustments: readonly ScenarioStep[] = [
  ['GET', '/orders/80001/adjustments/'],
  ['PATCH', '/orders/80001/items/900001/', 'quantity=4'],
  ['PATCH', '/orders/80001/items/900001', 'quantity=4'],
  ['PATCH', '/orders/80001/items/900001/', 'quantity=3'],
  ['PATCH', '/orders/80001/items/900002/', 'quantity=0'],
  ['PATCH', '/orders/80001/items/900003/', 'quantity=1'],
  ['PATCH', `/orders/${unknownId}/items/900001/`, 'quantity=1'],
  ['GET', '/orders/80001/adjustments/'],
  ['GET', '/orders/80001/adjustments/?limit=2'],
  ['GET', '/orders/80001/adjustments/?limit=2&cursor=<next_cursor 3>'],
  ['GET', '/orders/80001/adjustments/30001/'],
  ['GET', '/orders/80002/adjustments/30001/'],
  decide('adjustments/30002/accept'),
  decide('adjustments/30003/reject', { message: 'Already packed.' }),
  ['PATCH', '/orders/80001/items/900001/', 'quantity=3'],
  ['PATCH', '/orders/80001/items/900001/', 'quantity=3'],
  ['GET', '/orders/80001/adjustments/'],
  ['GET', '/orders/80001/items/'],
  ['GET', '/orders/80001/'],
  // All of an order.
  ['PATCH', '/orders/80002/items/900003/', 'quantity=0'],
  decide('adjustments/30004/accept'),
  ['GET', '/orders/80002/adjustments/30004/'],
  ['GET', '/orders/80002/items/'],
  ['GET', '/orders/80002/'],
  // The current quantity, while another is requested.
  ['PATCH', '/orders/80003/items/900004/', 'quantity=9'],
  ['PATCH', '/orders/80003/items/900004/', 'quantity=3'],
  ['GET', '/orders/80003/adjustments/'],
]

const changes: readonly ScenarioStep[] = [
  ['PATCH', '/orders/80001/', 'shipping_date=<today+7>'],
  ['PATCH', '/orders/80001', 'shipping_date=<today+7>'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today+3650>'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today+3651>'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today-1>'],
  ['PATCH', '/orders/80001/', 'shipping_date=2030-02-30'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today+8>+00:00:00'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today+8>+10:00:00'],
  ['PATCH', `/orders/${unknownId}/`, 'shipping_date=<today+7>'],
  ['DELETE', '/orders/80001/'],
  ['DELETE', '/orders/80001'],
  ['GET', '/orders/80001/'],
  ['GET', '/orders/?state=zayavka-na-otmen'],
  ['PATCH', '/orders/80001/', 'shipping_date=<today+9>'],
  ['PATCH', '/orders/80001/items/900001/', 'quantity=1'],
  decide('orders/80001/cancellation/reject', { message: 'Already being loaded.' }),
  ['GET', '/orders/80001/'],
  ['DELETE', '/orders/80001/'],
  decide('orders/80001/cancellation/accept'),
  ['GET', '/orders/80001/'],
  ['DELETE', '/orders/80001/'],
  ['DELETE', `/orders/${unknownId}/`],
  decide('orders/80003/move', { state_id: 'processing' }),
  decide('orders/80003/move', { state_id: 'fulfilling' }),
  decide('orders/80003/move', { state_id: 'shipped' }),
  ['GET', '/orders/80003/adjustments/'],
  ['GET', '/orders/80003/'],
  ['DELETE', '/orders/80003/'],
  decide('orders/80003/move', { state_id: 'completed' }),
  execute("update orders set order_archive_datetime = '2020-01-02 03:04:05+00' where order_id = 80003"),
  ['GET', '/orders/80003/'],
  decide('orders/80004/move', { state_id: 'canceled', text: 'Sold out.' }),
  ['GET', '/orders/80004/'],
  ['GET', '/orders/?state=canceled'],
]

const refusedOrders: readonly ScenarioStep[] = [
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=1&quantity=20000'],
  ['PUT', '/carts/50001/items/', 'item_id=3&stock_id=1&quantity=6'],
  ['PUT', '/carts/50001/items/', 'item_id=2&stock_id=1&quantity=400&contract_id=4002'],
  ['PUT', '/carts/50001/items/', 'item_id=2&stock_id=1&quantity=1000000&contract_id=4003'],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=2&quantity=1'],
  ['GET', '/carts/50001/items/'],
  order(6), // Out of stock.
  order(7), // Over the limit.
  order(8), // Too large a total.
  ({ ok }) => ok('PUT', '/operator/v1/price-lists/1/prices/3/', { price: 0.5 }),
  order(6), // Another price.
  ['GET', '/carts/50001/items/'],
  execute('update items set on_sale = false where item_id = 3'),
  order(10), // No longer sold.
  execute('delete from prices where price_list_id = 2 and item_id = 2'),
  order(8), // No longer priced.
  execute('delete from client_stocks where client_id = 2001 and stock_id = 2'),
  order(9), // No longer served.
  ['GET', '/carts/50001/items/'],
  ['GET', '/stocks/'],
  ['PUT', '/orders/', `cart_group_key=<cart_group_key 6>&${address}`, krause],
  ['PUT', '/orders/', `cart_group_key=nonsense&${address}`],
  order(6, address.replace('=DE&', '=XX&')),
  order(6, address.replace('DE-BE', 'FR-75')),
  order(6, address.replace('=DE&', '=de&')),
  ['PUT', '/orders/', 'zip=&city=Berlin&city=Potsdam&colour=red'],
]

const refusedItems: readonly ScenarioStep[] = [
  ['PUT', '/carts/50001/items/', `item_id=${unknownId}&stock_id=1&quantity=1`],
  ['PUT', '/carts/50001/items/', `item_id=1&stock_id=${unknownId}&quantity=1`],
  ['PUT', '/carts/50001/items/', `item_id=1&stock_id=1&quantity=1&contract_id=${unknownId}`],
  ['PUT', '/carts/50001/items/', 'item_id=5&stock_id=1&quantity=1'],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=3&quantity=1'],
  ['PUT', '/carts/50001/items/', 'item_id=6&stock_id=1&quantity=1'],
  ['PUT', '/carts/50001/items/', 'item_id=1&stock_id=1&quantity=999999'],
  ['PUT', '/carts/50001/items/', 'item_id=0x10&stock_id=&quantity=1e3&for_advertising_budget=%00&count=1'],
]

const protocol: readonly ScenarioStep[] = [
  ['GET', '/carts/', undefined, { authorization: '' }],
  ['GET', '/carts/', undefined, { authorization: 'Bearer <weber>' }],
  ['GET', '/carts/', undefined, { authorization: '<weber>0' }],
  ['GET', '/nothing/', undefined, { authorization: '' }],
  ['GET', '/nothing/'],
  ['GET', '/carts/', undefined, { authorization: '<reader>' }],
  ['PUT', '/carts/', 'name=Mine', { authorization: '<reader>' }],
  ['GET', '/orders/', undefined, { authorization: '<reader>' }],
  ['HEAD', '/carts/'],
  ['OPTIONS', '/carts/'],
  ['POST', '/carts/', 'name=Monday'],
  ['DELETE', '/orders/'],
  ['PUT', '/orders/80001/items/900001/', 'quantity=1'],
  ['GET', '/carts/1e3/'],
  ['GET', '/carts/%ff/'],
  ['GET', '/carts/?_=1&utm_source=mail'],
  ['GET', '/carts/?name=Monday'],
  ['GET', '/carts/50001/?cart_id=50001'],
  ['GET', '/carts/50001/?cart_id=50002'],
  ['PUT', '/carts/?name=Monday'],
  ['PUT', '/carts/', 'name=%ff'],
  ['PUT', '/carts/', `name=${'a'.repeat(256)}`],
  ['PUT', '/carts/', `name=${'a'.repeat(16_384)}`],
  ['PUT', '/carts/', 'name=Monday', { 'content-type': '' }],
  ['PUT', '/carts/', '{"name":"Monday"}', { 'content-type': 'application/json' }],
  ['PUT', '/carts/', 'name=Monday', { 'content-type': 'application/x-www-form-urlencoded; charset=latin1' }],
  ['PUT', '/carts/', 'name=Monday', { 'idempotency-key': 'a b' }],
  ['PUT', '/carts/', 'name=Monday', { expect: 'tea' }],
  ['DELETE', '/orders/80002/', 'reason=none'],
  ['PATCH', '/carts/50001/', 'name=Last', { 'content-type': 'Application/X-WWW-Form-URLEncoded ; Charset="UTF-8"' }],
]

export const contractScenario: readonly ScenarioStep[] = [
  lookups,
  carts,
  orders,
  adjustments,
  changes,
  refusedOrders,
  refusedItems,
  protocol,
].flat()
