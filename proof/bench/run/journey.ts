/**
 * A dealer's journey: a cart, five lines, a look at it, an order. Each request needs the previous response, so there is
 * no bare side.
 */
import { orderAddressForm } from '../order-address.ts'
import { cartName, clearCarts, queryCount } from './material-carts.ts'
import type { Bench } from './operation.ts'
import { pauses, runScript, type Load, type ServiceRate } from './wrk.ts'

// wrk's script does not know which connection a response came from, so each thread has one connection.
const dealers = 16
export const requestsPerJourney = 8

/** Journeys per second, counted by their orders; the latencies are those of single requests. WAL is that of the whole server. */
export async function runJourneys(bench: Bench, load: Load): Promise<ServiceRate & { readonly walBytes: number }> {
  const { session } = bench
  const last = await queryCount(session, 'select max(order_id) as count from orders', [])
  const written = (): Promise<number> => queryCount(session, `select pg_current_wal_lsn() - '0/0' as count`, [])
  const writtenBefore = await written()
  const text = load.paced === undefined ? script(bench) : `${script(bench)}\n${pauses(load.paced, dealers)}`
  const rate = await runScript(bench, load, text, { threads: dealers, connections: dealers })
  const walBytes = (await written()) - writtenBefore
  const orders = await queryCount(session, 'select count(*) from orders where order_id > $1', [last])
  await clearCarts(session)
  if (rate.failed > 0) throw new Error(`journey: ${rate.failed} of ${rate.completed} requests failed.`)
  const journeys = Math.min(orders, rate.completed / requestsPerJourney)
  return { ...rate, walBytes, completed: orders, perSecond: (rate.perSecond * journeys) / rate.completed }
}

const script = ({ numbers }: Bench): string => `
local active, spread = ${numbers['active']}, ${numbers['spread']}
local items, step = ${numbers['bench_items']}, ${numbers['bench_item_step']}
local threads = 0
function setup(thread)
  thread:set("dealer", threads)
  threads = threads + 1
end

local journey, step_number = 0, 1
local client_id, contract_id, cart_id, group_key

-- wrk calls this once before it starts and does not send the result, so only a response leads to the next step.
function request()
  if step_number == 1 then
    local place = (journey * ${dealers} + dealer) % active
    client_id = floor(place / 10) * spread * 10 + place % 10 + 1
    contract_id = client_id * 2 - floor((3 - client_id % 3) / 3) -- A contract without a limit.
    return send("PUT", "/api/v1/carts/", client_id, "name=${cartName.replaceAll(' ', '+')}")
  end
  if step_number <= 6 then
    return send("PUT", "/api/v1/carts/" .. cart_id .. "/items/", client_id, "item_id=" .. random(1, items) * step ..
      "&stock_id=" .. client_id % 3 + 1 .. "&quantity=1&contract_id=" .. contract_id)
  end
  if step_number == 7 then return send("GET", "/api/v1/carts/" .. cart_id .. "/items/", client_id, nil) end
  return send("PUT", "/api/v1/orders/", client_id, "cart_group_key=" .. group_key ..
    "&${orderAddressForm}")
end

function response(status, headers, body)
  if step_number == 1 then cart_id = body:match('"cart_id":(%d+)') end
  if step_number == 7 then group_key = body:match('"cart_group_key":"([^"]+)"') end
  step_number = step_number + 1
  if step_number > ${requestsPerJourney} then journey, step_number = journey + 1, 1 end
end
`
