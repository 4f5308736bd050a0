/** One simulated day, by the functions of the service: what clients, operators, imports and the worker do. */
import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Client } from 'pg'
import { scopes, type Actor } from '../../../apps/service/src/identity/actor.ts'
import { clientKeys } from '../../../apps/service/src/identity/key-kinds.ts'
import { addCartItems } from '../../../apps/service/src/carts/tables/add-cart-items.ts'
import { changeQuantity } from '../../../apps/service/src/carts/lines/change-quantity.ts'
import { createCart } from '../../../apps/service/src/carts/create-cart.ts'
import { deleteCart } from '../../../apps/service/src/carts/delete-cart.ts'
import { listCartItems } from '../../../apps/service/src/carts/lines/list-cart-items.ts'
import type { ImportKindName } from '../../../apps/service/src/imports/kinds/kinds.ts'
import { receiveImport } from '../../../apps/service/src/imports/receive-import.ts'
import { runImport } from '../../../apps/service/src/imports/run-import.ts'
import { cancelOrder } from '../../../apps/service/src/orders/requests/cancel-order.ts'
import { changeShippingDate } from '../../../apps/service/src/orders/requests/change-shipping-date.ts'
import { acceptAdjustment, rejectAdjustment } from '../../../apps/service/src/orders/decisions/decide-adjustment.ts'
import { listOrderItems } from '../../../apps/service/src/orders/reading/list-order-items.ts'
import { decideCancellation, moveOrder } from '../../../apps/service/src/orders/moving/move-order.ts'
import type { StateLabels } from '../../../apps/service/src/orders/order.ts'
import { orderStates, type OrderState } from '../../../apps/service/src/vocabulary/order-states.ts'
import { placeOrder } from '../../../apps/service/src/orders/placing/place-order.ts'
import { requestAdjustment } from '../../../apps/service/src/orders/requests/request-adjustment.ts'
import { Refusal } from '../../../apps/service/src/vocabulary/refusals.ts'
import { retryOf } from '../../../apps/service/src/retries/retry.ts'
import { makeWebhookLeases } from '../../../apps/service/src/webhooks/due/lease-webhooks.ts'
import { makeDeliveryRecorder } from '../../../apps/service/src/webhooks/delivery/record-deliveries.ts'
import { makeSecretBox } from '../../../apps/service/src/webhooks/secrets/secret-box.ts'
import { jobsOf } from '../../../apps/service/src/worker/jobs.ts'
import type { SeededRandom } from '../../../apps/service/campaigns/seeded-random.ts'
import type { Database } from 'pg-statements/database.ts'
import type { Sizes } from '../load/sizes.ts'
import { orderAddress } from '../order-address.ts'

export interface Trade {
  readonly db: Database
  /** Looks up what is to be done. */
  readonly session: Client
  readonly sizes: Sizes
  readonly ordersPerDay: number
  readonly random: SeededRandom
  /** What was done, and what was refused. */
  readonly done: Record<string, number>
}

export async function simulateDay(trade: Trade): Promise<void> {
  await importGoods(trade)
  await decideRequests(trade)
  await moveOpenOrders(trade)
  await inParallel(trade.ordersPerDay, () => attempt(trade, 'carts', () => buy(trade)))
  await noteKeyUses(trade)
  await deliverEvents(trade)
  await runJobs(trade)
}

const labels = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as StateLabels
const operator = { actor: 'operator key 1, Bench', request_id: 'bench' }
const requestId = { request_id: 'bench' }
/** The defaults of the service's settings. */
export const keptDays = 90
const defaults = { archiveAfterDays: 90, eventsKeptDays: keptDays, shippingDaysAheadMax: 90, quantityFactor: 10 }

const below = ({ random }: SeededRandom, max: number): number => Math.floor(random() * max)

/** Each day an ERP sends a thirtieth of the stock levels and of the prices. */
async function importGoods({ db, sizes, random, done }: Trade): Promise<void> {
  const items = Array.from({ length: Math.ceil(sizes.items / 30) }, () => 1 + below(random, sizes.items))
  const some = [...new Set(items)]
  await importRows(
    db,
    'stock-levels',
    [1, 2, 3].flatMap((stock_id) =>
      some.map((item_id) => ({ stock_id, item_id, on_hand: 200 + below(random, 1_000) })),
    ),
  )
  await importRows(
    db,
    'prices',
    [1, 2, 3].flatMap((price_list_id) =>
      some.map((item_id) => ({ price_list_id, item_id, price: price_list_id === 3 ? 3_000 : 1 + below(random, 400) })),
    ),
  )
  done['imported rows'] = (done['imported rows'] ?? 0) + some.length * 6
}

async function importRows(db: Database, import_kind: ImportKindName, rows: readonly object[]): Promise<void> {
  const import_id = await receiveImport(
    db,
    {
      import_kind,
      mode: 'rows',
      dry_run: false,
      file_name: undefined,
      file_format: {},
      import_key: undefined,
      rows_max: 1_000_000,
      ...operator,
    },
    {
      stream: Readable.from([Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'))]),
      media: 'application/x-ndjson',
      charset: undefined,
      file_name: undefined,
      confirm: async () => undefined,
    },
  )
  await runImport(db, import_id, { stopping: () => false, waiting: true })
}

/** What clients requested on the day before. Three of four adjustments are accepted, and all cancellations. */
async function decideRequests(trade: Trade): Promise<void> {
  const { db, session, random } = trade
  const adjustments = await ids(session, `select adjustment_id as id from adjustments where adjustment_status = 'WAIT'`)
  for (const adjustment_id of adjustments)
    await attempt(trade, 'adjustments', () =>
      random.chance(0.75)
        ? acceptAdjustment(db, { adjustment_id, ...operator }, defaults.quantityFactor)
        : rejectAdjustment(db, { adjustment_id, message: 'The goods are already packed.', ...operator }),
    )
  const cancellations = await ids(
    session,
    `select order_id as id from orders where order_state_id = 'zayavka-na-otmen'`,
  )
  for (const order_id of cancellations)
    await attempt(trade, 'cancellations', () =>
      decideCancellation(db, { order_id, accept: true, text: '', ...operator }, labels),
    )
}

/** The last steps first, so that an order makes one step each day. */
const steps: readonly (readonly [OrderState, OrderState])[] = [
  ['shipped', 'completed'],
  ['fulfilling', 'shipped'],
  ['processing', 'fulfilling'],
  ['new', 'processing'],
]

async function moveOpenOrders(trade: Trade): Promise<void> {
  const { db, session, ordersPerDay } = trade
  for (const [from, state_id] of steps) {
    const waiting = await ids(
      session,
      `select order_id as id from orders
       where order_state_id = '${from}' and hold_reason is null and not virtual
       order by order_create_datetime limit ${ordersPerDay * 3}`,
    )
    const next = waiting.values()
    await inParallel(waiting.length, () =>
      attempt(trade, state_id, () =>
        moveOrder(db, { order_id: next.next().value ?? 0, state_id, text: '', ...operator }, labels),
      ),
    )
  }
}

/** A cart with one to nine lines becomes an order; some carts are deleted, some orders changed on the same day. */
async function buy(trade: Trade): Promise<void> {
  const { db, sizes, random } = trade
  const client_id = 1 + below(random, sizes.clients)
  const actor: Actor = {
    client_id,
    contact_id: client_id * 2 - 1,
    key_id: client_id,
    scopes,
    rate_per_second: 1_000,
    rate_burst: 1_000,
  }
  const retry = (): ReturnType<typeof retryOf> => retryOf(randomUUID(), {})
  const { cart_id } = await createCart(db, actor, { cart_name: 'Two years', retry: retry() })
  const places = new Set(Array.from({ length: 1 + below(random, 9) }, () => below(random, 200)))
  // The assortment of a client and the stocks that serve it, as in the loader's session.sql and clients.sql.
  const rows = [...places].map((place, n) => ({
    row: n + 1,
    values: {
      item_id: 1 + (((client_id * 200 + place) * sizes.item_stride) % sizes.items),
      quantity: 1 + below(random, 4),
    },
    problems: [],
  }))
  const added = await addCartItems(db, actor, {
    cart_id,
    table: { rows, ignored_columns: [] },
    defaults: { stock_id: 1 + ((client_id + below(random, 2)) % 3) },
    mode: 'rows',
    dry_run: false,
    retry: retry(),
  })
  if (added.rows_added === 0 || random.chance(0.05)) return void (await deleteCart(db, actor, cart_id))
  let [group] = await listCartItems(db, actor, { cart_id })
  const [line] = group?.cart_items ?? []
  if (line !== undefined && random.chance(0.3)) {
    await changeQuantity(db, actor, { cart_id, cart_item_id: line.cart_item_id, quantity: 5 })
    ;[group] = await listCartItems(db, actor, { cart_id })
  }
  const { created_order_id: order_id } = await placeOrder(
    db,
    { client_id, contact_id: actor.contact_id, remark: '', actor: `key ${client_id}`, ...requestId },
    {
      cart_group_key: group?.cart_group_key ?? '',
      ...orderAddress,
      reference: `PO-${randomUUID().slice(0, 8)}`,
    },
  )
  trade.done['orders'] = (trade.done['orders'] ?? 0) + 1
  if (random.chance(0.1)) {
    const shipping_date = new Date(Date.now() + 864e5 * (30 + below(random, 50))).toISOString().slice(0, 10)
    const request = { order_id, shipping_date, days_ahead_max: defaults.shippingDaysAheadMax, ...requestId }
    await attempt(trade, 'rescheduled', () => changeShippingDate(db, actor, request, labels))
  }
  if (random.chance(0.1)) {
    const [bought] = await listOrderItems(db, actor, order_id)
    await attempt(trade, 'requested adjustments', () =>
      requestAdjustment(db, actor, { order_id, order_item_id: bought?.order_item_id ?? 0, quantity: 7, ...requestId }),
    )
  }
  if (random.chance(0.05))
    await attempt(trade, 'requested cancellations', () => cancelOrder(db, actor, { order_id, ...requestId }, labels))
}

const keyUsesPerDay = 10 // The service writes them once a minute while a key is used.

async function noteKeyUses({ db, sizes: { clients } }: Trade): Promise<void> {
  const key_ids = Array.from({ length: clients }, (_, n) => n + 1)
  for (let n = 0; n < keyUsesPerDay; n++)
    await db.row(clientKeys.recordUses, { key_ids, ages_ms: key_ids.map(() => 0), most: clients })
}

const leaseMs = 60_000

/** Every endpoint receives every event at once, by the statements of the worker but without a request. */
async function deliverEvents({ db, session, done }: Trade): Promise<void> {
  const { rows } = await session.query<{ client_id: number; last: number }>(
    'select client_id::float8 as client_id, event_number::float8 as last from clients',
  )
  const last = new Map(rows.map((row) => [row.client_id, row.last]))
  const leases = makeWebhookLeases(db, leaseMs)
  const { record } = makeDeliveryRecorder(db, leaseMs)
  const claimed = await leases.claim(await ids(session, 'select webhook_id as id from webhooks'))
  await Promise.all(
    claimed.map(
      async ({ endpoint: { client_id, webhook_id, delivered_event_number: from }, lease: { name: lease } }) => {
        for (let event_number = from + 1; event_number <= (last.get(client_id) ?? 0); event_number++) {
          const sent = { event_type: 'order.state_changed', attempt: 1, status: 204, error: null, duration_ms: 90 }
          await record({ client_id, webhook_id, lease, event_number, ...sent })
          done['deliveries'] = (done['deliveries'] ?? 0) + 1
        }
      },
    ),
  )
  leases.close()
}

export async function runJobs({ db, done }: Pick<Trade, 'db' | 'done'>): Promise<void> {
  const { signal: cutOff } = new AbortController()
  for (const job of jobsOf({ importDb: db, ...defaults, box: makeSecretBox([]) }))
    for await (const rows of job.run(db, { ...requestId, cutOff })) done[job.name] = (done[job.name] ?? 0) + rows
}

/** Something may be refused: an article is off sale, or goods are missing. It is counted, and the day goes on. */
async function attempt({ done }: Trade, what: string, act: () => Promise<unknown>): Promise<void> {
  let name = what
  try {
    await act()
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    name = `${what} refused: ${error.errors[0]?.code}`
  }
  done[name] = (done[name] ?? 0) + 1
}

const atOnce = 4 // One connection is used: more would only wait in the queue.

async function inParallel(times: number, act: () => Promise<void>): Promise<void> {
  const turns = Array.from({ length: times }).values()
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const _ of turns) await act()
    }),
  )
}

async function ids(session: Client, text: string): Promise<number[]> {
  const { rows } = await session.query<{ id: string }>(text)
  return rows.map(({ id }) => Number(id))
}
