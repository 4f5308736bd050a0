/**
 * For every route of the operators' side: what it answers when all is well, and each way in which it refuses.
 * `operator-routes.test.ts` runs them all, and fails for a route or a refusal that has no case here.
 */
import { makeApiKey } from '../access/api-key.ts'
import type { Role } from '../access/actor.ts'
import { encodeCursor } from '../paging.ts'
import { issueOperatorKey } from '../access/operator-keys.ts'
import type { RefusalCode } from '../refusals.ts'
import { anyId, anyText, at } from '../testing/mask-volatile.ts'
import { clientCases, expectedKey } from '../clients/operator-routes.cases.ts'
import {
  adjustment,
  adjustmentView,
  created,
  entry,
  makeWorld,
  order,
  orderView,
  unknownId,
  type World,
} from './routes.cases.ts'
import { catalogueCases } from '../catalogue/operator-routes.cases.ts'
import { webhookOperatorCases } from '../webhooks/routes.cases.ts'
import type { Answer, TestService } from '../testing/service.ts'

export interface Operators {
  readonly keys: Readonly<Record<Role, string>>
  /** Asks as an admin; the step must succeed. */
  readonly ok: (method: string, path: string, json?: object) => Promise<any> // oxlint-disable-line typescript/no-explicit-any -- As Body.data.
}

export async function makeOperators(service: TestService): Promise<Operators> {
  const issue = async (role: Role): Promise<string> =>
    (await issueOperatorKey(service.db, { operator_name: `Test ${role}`, role, actor: 'the tests' })).key
  const keys = {
    viewer: await issue('viewer'),
    decider: await issue('decider'),
    cataloguer: await issue('cataloguer'),
    admin: await issue('admin'),
  }
  return {
    keys,
    ok: async (method, path, json) => {
      const answer = await service.request(method, path, { key: keys.admin, json })
      if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      return answer.body.data
    },
  }
}

export interface OperatorWorld extends World {
  readonly operators: Operators
}

export const makeOperatorWorld = async (service: TestService, operators: Operators): Promise<OperatorWorld> => ({
  ...(await makeWorld(service)),
  operators,
})

export interface OperatorRequest {
  readonly path: string
  readonly json?: object
  /** Lines of JSON. */
  readonly rows?: readonly object[]
}

interface Expected {
  readonly details?: Record<string, unknown>
  /** Errors that follow. */
  readonly more?: readonly { code: RefusalCode; details: Record<string, unknown> }[]
}

export const askOperator = (
  service: TestService,
  method: string,
  { path, json, rows }: OperatorRequest,
  key?: string,
): Promise<Answer> =>
  rows === undefined
    ? service.request(method, path, { key, json })
    : service.request(method, path, {
        key,
        body: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
        headers: { 'content-type': 'application/x-ndjson' },
      })

export interface OperatorCases {
  readonly success: (world: OperatorWorld) => Promise<OperatorRequest & { data: unknown }>
  readonly refusals: Partial<Record<RefusalCode, (world: OperatorWorld) => Promise<OperatorRequest & Expected>>>
}

const clientOf = ({ me }: World): { client_id: number; client_name: string } => ({
  client_id: me.client_id,
  client_name: 'Garage Weber',
})

async function operatorView(world: World, order_id: number) {
  return { ...clientOf(world), ...(await orderView(world, order_id)) }
}

const requested = entry('Change of status', 'Cancellation requested', 'zayavka-na-otmen')

/** An order of three brake discs whose client wants it cancelled. */
async function cancellation(world: World): Promise<number> {
  const { order_id } = await order(world)
  await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
  return order_id
}

/** Decides everything that other cases have left waiting. */
async function clearInbox({ operators }: OperatorWorld): Promise<void> {
  for (const { kind, order_id, adjustment_id } of await operators.ok('GET', '/operator/v1/inbox/?limit=500')) {
    if (kind === 'adjustment')
      await operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'Cleared.' })
    else await operators.ok('POST', `/operator/v1/orders/${order_id}/cancellation/accept/`)
  }
}

async function moveTo({ operators }: OperatorWorld, order_id: number, ...states: string[]): Promise<void> {
  for (const state_id of states) await operators.ok('POST', `/operator/v1/orders/${order_id}/move/`, { state_id })
}

/** An order of another item, contract or quantity than usual. */
async function orderOf(
  { shop }: World,
  line: { item_id: number; quantity: number; contract_id?: number },
): Promise<number> {
  const cart_id = await shop.createCart()
  await shop.add(cart_id, line)
  return shop.order(cart_id)
}

/** An order of a cart that was marked as virtual. */
export async function virtualOrder(
  { shop, me, operators }: OperatorWorld,
  line: { item_id: number; quantity: number; stock_id?: number },
): Promise<number> {
  const cart_id = await shop.createCart()
  await operators.ok('PATCH', `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`, { virtual: true })
  await shop.add(cart_id, line)
  return shop.order(cart_id)
}

async function adjustmentOf(world: World, order_id: number, quantity: number): Promise<number> {
  const [line] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  return (await world.shop.ok('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, { quantity }))
    .adjustment_id as number
}

async function discsAvailable({ service }: World): Promise<number> {
  const [level] = await service.sql(
    'select on_hand - reserved as available from stock_levels where stock_id = 1 and item_id = 1',
  )
  return Number(level?.['available'])
}

const cancellationRefusals = (decision: string, json?: object): OperatorCases['refusals'] => ({
  order_not_found: async () => ({
    path: `/operator/v1/orders/${unknownId}/cancellation/${decision}/`,
    ...(json && { json }),
    details: { order_id: unknownId },
  }),
  cancellation_not_requested: async (world) => {
    const { order_id } = await order(world)
    return {
      path: `/operator/v1/orders/${order_id}/cancellation/${decision}/`,
      ...(json && { json }),
      details: { order_id, order_state_id: 'new' },
    }
  },
})

const adjustmentRefusals = (decision: string, json?: object): OperatorCases['refusals'] => ({
  adjustment_not_found: async () => ({
    path: `/operator/v1/adjustments/${unknownId}/${decision}/`,
    ...(json && { json }),
    details: { adjustment_id: unknownId },
  }),
  adjustment_decided: async (world) => {
    const { adjustment_id } = await adjustment(world)
    await world.operators.ok('POST', `/operator/v1/adjustments/${adjustment_id}/reject/`, { message: 'No.' })
    return {
      path: `/operator/v1/adjustments/${adjustment_id}/${decision}/`,
      ...(json && { json }),
      details: { adjustment_id, adjustment_status: 'CANCELED', adjustment_canceled_message: 'No.' },
    }
  },
})

const because = { message: 'Already being loaded.' }

export const operatorCases: Record<string, OperatorCases> = {
  ...catalogueCases,
  ...webhookOperatorCases,
  'GET /operator/v1/inbox/': {
    success: async (world) => {
      await clearInbox(world)
      const { order_id, adjustment_id } = await adjustment(world)
      const other = await cancellation(world)
      const [first, second] = [await operatorView(world, order_id), await operatorView(world, other)]
      const disc = {
        stock_id: 1,
        item_id: 1,
        item_vendor_code: 'BN-280-V',
        item_title: 'Brake disc front 280 mm vented',
        quantity_before: 3,
        available: await discsAvailable(world),
      }
      const waiting = { since: at, age_seconds: anyId, ...clientOf(world) }
      const contract = { contract_id: world.me.contract_id, limit: 0, used: 60 }
      return {
        path: '/operator/v1/inbox/',
        data: [
          {
            kind: 'adjustment',
            ...waiting,
            adjustment_id,
            order_id,
            order_number: first.order_number,
            state_before: 'new',
            state_after: 'new',
            items: [{ ...disc, quantity_after: 2 }],
            contract: { ...contract, change: -10 },
            decisions: ['accept', 'reject'],
          },
          {
            kind: 'cancellation',
            ...waiting,
            adjustment_id: null,
            order_id: other,
            order_number: second.order_number,
            state_before: 'new',
            state_after: 'canceled',
            items: [{ ...disc, quantity_after: 0 }],
            contract: { ...contract, change: -30 },
            decisions: ['accept', 'reject'],
          },
        ],
      }
    },
    refusals: {},
  },
  'POST /operator/v1/orders/{order_id}/cancellation/accept/': {
    success: async (world) => {
      const order_id = await cancellation(world)
      return {
        path: `/operator/v1/orders/${order_id}/cancellation/accept/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_state_id: 'canceled',
          order_history: [entry('Change of status', 'Cancelled', 'canceled'), requested, created],
        },
      }
    },
    refusals: cancellationRefusals('accept'),
  },
  'POST /operator/v1/orders/{order_id}/cancellation/reject/': {
    success: async (world) => {
      const { order_id } = await order(world)
      await moveTo(world, order_id, 'processing')
      await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
      return {
        path: `/operator/v1/orders/${order_id}/cancellation/reject/`,
        json: because,
        data: {
          ...(await operatorView(world, order_id)),
          order_state_id: 'processing',
          order_history: [
            entry('Change of status', 'Processing', 'processing', 'Already being loaded.'),
            requested,
            entry('Change of status', 'Processing', 'processing'),
            created,
          ],
        },
      }
    },
    refusals: cancellationRefusals('reject', because),
  },
  'POST /operator/v1/adjustments/{adjustment_id}/accept/': {
    success: async (world) => {
      const { order_id, adjustment_id } = await adjustment(world)
      const view = adjustmentView(order_id, adjustment_id)
      return {
        path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
        data: {
          ...view,
          adjustment_status: 'ACCEPTED',
          adjustment_items: [{ ...view.adjustment_items[0], difference: -1 }],
        },
      }
    },
    refusals: {
      ...adjustmentRefusals('accept'),
      out_of_stock: async (world) => {
        const adjustment_id = await adjustmentOf(world, await orderOf(world, { item_id: 1, quantity: 1 }), 500_000)
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { item_id: 1, stock_id: 1, available: await discsAvailable(world), requested: 499_999 },
        }
      },
      contract_limit_exceeded: async (world) => {
        const contract_id = world.me.limited_contract_id
        // 10 discs at 10.00, less 5%, plus 10% tax, are 104.50; 100 of them 1,045.00.
        const adjustment_id = await adjustmentOf(
          world,
          await orderOf(world, { item_id: 1, quantity: 10, contract_id }),
          100,
        )
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { contract_id, limit: 1000, used: 104.5, requested: 940.5 },
        }
      },
      order_total_too_large: async (world) => {
        const contract_id = world.me.special_contract_id
        const adjustment_id = await adjustmentOf(
          world,
          await orderOf(world, { item_id: 2, quantity: 1, contract_id }),
          1_000_000,
        )
        await world.service.sql(
          'update stock_levels set on_hand = on_hand + 2000000 where stock_id = 1 and item_id = 2',
        )
        return {
          path: `/operator/v1/adjustments/${adjustment_id}/accept/`,
          details: { total_max: 999_999_999_999.999 },
        }
      },
    },
  },
  'POST /operator/v1/adjustments/{adjustment_id}/reject/': {
    success: async (world) => {
      const { order_id, adjustment_id } = await adjustment(world)
      return {
        path: `/operator/v1/adjustments/${adjustment_id}/reject/`,
        json: because,
        data: {
          ...adjustmentView(order_id, adjustment_id),
          adjustment_status: 'CANCELED',
          adjustment_canceled_message: 'Already being loaded.',
        },
      }
    },
    refusals: adjustmentRefusals('reject', because),
  },
  'GET /operator/v1/orders/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/?client_id=${world.me.client_id}&state=new`,
        data: [await operatorView(world, order_id)],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/orders/{order_id}/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return { path: `/operator/v1/orders/${order_id}/`, data: await operatorView(world, order_id) }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/`,
        details: { order_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/orders/{order_id}/items/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/items/`,
        data: await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`),
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/items/`,
        details: { order_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/orders/{order_id}/move/': {
    success: async (world) => {
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/orders/${order_id}/move/`,
        json: { state_id: 'canceled', text: 'Sold out.' },
        data: {
          ...(await operatorView(world, order_id)),
          order_state_id: 'canceled',
          order_history: [entry('Change of status', 'Cancelled', 'canceled', 'Sold out.'), created],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/move/`,
        json: { state_id: 'processing' },
        details: { order_id: unknownId },
      }),
      order_move_refused: async (world) => {
        const { order_id } = await order(world)
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id, order_state_id: 'new', state_id: 'shipped', possible: ['processing', 'canceled'] },
        }
      },
      order_is_virtual: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 1 })
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { order_id },
        }
      },
      goods_missing: async (world) => {
        const order_id = await orderOf(world, { item_id: 4, quantity: 2 }) // A back-order: none is there.
        await moveTo(world, order_id, 'processing', 'fulfilling')
        return {
          path: `/operator/v1/orders/${order_id}/move/`,
          json: { state_id: 'shipped' },
          details: { item_id: 4, stock_id: 1, on_hand: 0, needed: 2 },
        }
      },
    },
  },
  'POST /operator/v1/orders/{order_id}/clear-virtual/': {
    success: async (world) => {
      const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
      return {
        path: `/operator/v1/orders/${order_id}/clear-virtual/`,
        data: {
          ...(await operatorView(world, order_id)),
          order_history: [entry('Change of reservation', 'New', 'new'), created],
        },
      }
    },
    refusals: {
      order_not_found: async () => ({
        path: `/operator/v1/orders/${unknownId}/clear-virtual/`,
        details: { order_id: unknownId },
      }),
      virtual_not_clearable: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 3 })
        await world.shop.ok('DELETE', `/api/v1/orders/${order_id}/`)
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { order_id, order_state_id: 'zayavka-na-otmen' },
        }
      },
      out_of_stock: async (world) => {
        const order_id = await virtualOrder(world, { item_id: 1, quantity: 500_000 })
        return {
          path: `/operator/v1/orders/${order_id}/clear-virtual/`,
          details: { item_id: 1, stock_id: 1, available: await discsAvailable(world), requested: 500_000 },
        }
      },
    },
  },
  'PATCH /operator/v1/clients/{client_id}/carts/{cart_id}/': {
    success: async ({ me, shop }) => {
      const cart_id = await shop.createCart('Monday')
      return {
        path: `/operator/v1/clients/${me.client_id}/carts/${cart_id}/`,
        json: { virtual: true },
        data: { cart_id, cart_name: 'Monday', virtual: true },
      }
    },
    refusals: {
      cart_not_found: async ({ me }) => ({
        path: `/operator/v1/clients/${me.client_id}/carts/${unknownId}/`,
        json: { virtual: true },
        details: { cart_id: unknownId },
      }),
    },
  },
  'POST /operator/v1/orders/move/': {
    success: async (world) => {
      const [first, second] = [await order(world), await order(world)]
      await moveTo(world, second.order_id, 'processing')
      const refused = {
        order_id: second.order_id,
        order_state_id: 'processing',
        state_id: 'processing',
        possible: ['fulfilling', 'canceled'],
      }
      return {
        path: '/operator/v1/orders/move/',
        json: { order_ids: [second.order_id, unknownId, first.order_id], state_id: 'processing' },
        data: [
          {
            order_id: second.order_id,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_move_refused',
                message: `Order ${second.order_id} is in the state 'processing' and cannot be moved to 'processing'; possible are: fulfilling, canceled.`,
                details: refused,
              },
            ],
          },
          {
            order_id: unknownId,
            moved: false,
            order_state_id: null,
            errors: [
              {
                code: 'order_not_found',
                message: `There is no order ${unknownId}.`,
                details: { order_id: unknownId },
              },
            ],
          },
          { order_id: first.order_id, moved: true, order_state_id: 'processing', errors: [] },
        ],
      }
    },
    refusals: {},
  },
  'GET /operator/v1/events/': {
    success: async (world) => {
      const { next_cursor } = await lastEvents(world.service, world.operators)
      const { order_id } = await order(world)
      return {
        path: `/operator/v1/events/?wait=10&cursor=${next_cursor}`,
        data: {
          events: [
            {
              client_id: world.me.client_id,
              event_number: 2, // After that of its key.
              event_type: 'order.created',
              event_datetime: at,
              order_id,
              data: await orderView(world, order_id),
              actor: `key ${world.me.key_id}`,
              request_id: anyText,
            },
          ],
          next_cursor: anyText,
        },
      }
    },
    refusals: {
      feed_expired: async ({ service }) => {
        // Before any event that there is.
        await service.sql(`insert into event_feed (expired_transaction, expired_client, expired_number) values ('0', 0, 1) on conflict do nothing`) // prettier-ignore
        return { path: `/operator/v1/events/?cursor=${encodeCursor('0-0-0-0', [])}` }
      },
    },
  },
  ...clientCases,
  'GET /operator/v1/operator-keys/': {
    success: async ({ service }) => {
      const rows = await service.sql('select key_id::integer, operator_name, role from operator_keys order by key_id')
      const times = { created_at: at, expires_at: null, revoked_at: null, last_used_at: null }
      return {
        path: '/operator/v1/operator-keys/?limit=4',
        data: rows.slice(0, 4).map((row) => ({ ...row, ...times })),
      }
    },
    refusals: {},
  },
  'POST /operator/v1/operator-keys/': {
    success: async () => ({
      path: '/operator/v1/operator-keys/',
      json: { operator_name: 'Anna Berg', role: 'decider', expires_on: '2030-01-01' },
      data: { key_id: anyId, key: expectedKey },
    }),
    refusals: {},
  },
  'DELETE /operator/v1/operator-keys/{key_id}/': {
    success: async ({ service }) => {
      const { key_id } = await issueOperatorKey(service.db, {
        operator_name: 'Gone',
        role: 'viewer',
        actor: 'the tests',
      })
      return {
        path: `/operator/v1/operator-keys/${key_id}/`,
        data: {
          key_id,
          operator_name: 'Gone',
          role: 'viewer',
          created_at: at,
          expires_at: null,
          revoked_at: at,
          last_used_at: null,
        },
      }
    },
    refusals: {
      key_not_found: async () => ({
        path: `/operator/v1/operator-keys/${unknownId}/`,
        details: { key_id: unknownId },
      }),
    },
  },
  'GET /operator/v1/invariants/': {
    success: async () => ({ path: '/operator/v1/invariants/', data: [] }),
    refusals: {},
  },
}

/**
 * Follows the events up to the newest one. The feed shows an event when all older transactions of the server have ended, and other
 * tests have theirs on the same server: so it is asked until it has shown as many as there are.
 */
export async function lastEvents({ sql }: TestService, { ok }: Operators): Promise<{ next_cursor: string }> {
  let page = await ok('GET', '/operator/v1/events/?limit=500')
  for (let seen = page.events.length; ; seen += page.events.length) {
    const [row] = await sql('select count(*)::integer as events from events')
    if (seen === row?.['events']) return page
    page = await ok('GET', `/operator/v1/events/?limit=500&wait=1&cursor=${page.next_cursor}`)
  }
}

/** So many events after the cursor, however long they take to appear. */
export async function eventsAfter<E>({ ok }: Operators, cursor: string, count: number): Promise<E[]> {
  const events: E[] = []
  for (let next = cursor; events.length < count;) {
    const page = await ok('GET', `/operator/v1/events/?limit=500&wait=1&cursor=${next}`)
    events.push(...page.events)
    next = page.next_cursor
  }
  return events
}

export const keyForm = /^(pso|pos)_\d+_[0-9A-Za-z]{43}_[0-9A-Za-z]{6}$/

/** Well-formed, but issued to nobody. */
export const strangersKey = makeApiKey(999_999, 'pso')
