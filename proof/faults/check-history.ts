/**
 * Compares what clients asked for and saw with what is stored. It knows nothing of the faults and of the harness, and
 * `check-history.test.ts` shows that it finds each kind of violation.
 */
import type { History, Line, SeenEvent, WantedOrder } from './history.ts'

/** What PostgreSQL holds at the end of a run. */
export interface Stored {
  readonly orders: readonly StoredOrder[]
  readonly carts: readonly { readonly client_id: number; readonly name: string }[]
  /** The number of each client's last event. */
  readonly lastEvents: ReadonlyMap<number, number>
  /** Items whose stock is limited: what there was at the beginning. */
  readonly onHand: ReadonlyMap<number, number>
  /** Contracts with a limit. */
  readonly contracts: readonly { readonly contract_id: number; readonly limit: number; readonly exposure: number }[]
}

export interface StoredOrder {
  readonly client_id: number
  readonly order_id: number
  readonly reference: string
  readonly lines: readonly Line[]
}

export const violationKinds = [
  'lost order',
  'doubled order',
  'wrong order',
  'unknown order',
  'doubled cart',
  'oversold',
  'limit exceeded',
  'missing event',
  'event gap',
  'event out of order',
  'repeated event',
  'stale read',
  'forbidden answer',
  'order without an end',
] as const

export interface Breach {
  readonly kind: (typeof violationKinds)[number]
  readonly text: string
}

export interface Rules {
  /** Which outcomes of a request are allowed besides 200 and definite refusals (4xx). */
  readonly allowed: RegExp
}

export function checkHistory(history: History, stored: Stored, { allowed }: Rules): Breach[] {
  return [
    ...checkOrders(history, stored),
    ...checkCarts(history, stored),
    ...checkStock(stored),
    ...checkLimits(stored),
    ...checkEvents(history, stored),
    ...checkReads(history),
    ...checkAnswers(history, allowed),
  ]
}

/** Acknowledged is stored, stored was attempted, and each exactly once. */
function checkOrders({ orders }: History, stored: Stored): Breach[] {
  const violations: Breach[] = []
  const wanted = new Map(orders.map((order) => [order.reference, order]))
  const byReference = Map.groupBy(stored.orders, ({ reference }) => reference)
  for (const order of orders) {
    const found = byReference.get(order.reference) ?? []
    const [first] = found
    if (found.length > 1)
      violations.push({
        kind: 'doubled order',
        text: `${order.reference} is stored as ${found.map(({ order_id }) => order_id).join(', ')}.`,
      })
    if (order.acknowledged !== undefined) {
      const { order_id } = order.acknowledged
      if (first === undefined)
        violations.push({ kind: 'lost order', text: `${order.reference}, acknowledged as ${order_id}, is not stored.` })
      else if (!found.some((each) => each.order_id === order_id))
        violations.push({ kind: 'wrong order', text: `${order.reference} was acknowledged as ${order_id}.` })
    }
    if (order.refused !== undefined && first !== undefined)
      violations.push({ kind: 'wrong order', text: `${order.reference} was refused, but is stored.` })
    if (first !== undefined && linesText(first.lines) !== linesText(order.lines))
      violations.push({
        kind: 'wrong order',
        text: `${order.reference} has ${linesText(first.lines)}, ordered were ${linesText(order.lines)}.`,
      })
    if (order.acknowledged === undefined && order.refused === undefined)
      violations.push({
        kind: 'order without an end',
        text: `${order.reference} was neither placed nor refused in ${order.sendings.length} sendings.`,
      })
  }
  for (const { reference, order_id } of stored.orders)
    if (!wanted.has(reference)) violations.push({ kind: 'unknown order', text: `Nobody ordered ${order_id}.` })
  return violations
}

const linesText = (lines: readonly Line[]): string =>
  lines
    .map(({ item_id, quantity }) => `${quantity} of ${item_id}`)
    .toSorted()
    .join(', ')

function checkCarts({ carts }: History, stored: Stored): Breach[] {
  const counts = Map.groupBy(stored.carts, ({ client_id, name }) => `${client_id} ${name}`)
  return carts.flatMap(({ client_id, name }): Breach[] => {
    const count = counts.get(`${client_id} ${name}`)?.length ?? 0
    return count > 1 ? [{ kind: 'doubled cart', text: `${name} of client ${client_id} is stored ${count} times.` }] : []
  })
}

function checkStock({ orders, onHand }: Stored): Breach[] {
  return [...onHand].flatMap(([item_id, quantity]): Breach[] => {
    const sold = orders.flatMap(({ lines }) => lines).filter((line) => line.item_id === item_id)
    const sum = sold.reduce((total, line) => total + line.quantity, 0)
    return sum > quantity ? [{ kind: 'oversold', text: `${sum} of item ${item_id} sold, ${quantity} on hand.` }] : []
  })
}

function checkLimits({ contracts }: Stored): Breach[] {
  return contracts.flatMap(({ contract_id, limit, exposure }): Breach[] =>
    exposure > limit
      ? [{ kind: 'limit exceeded', text: `Contract ${contract_id} has ${exposure}, its limit is ${limit}.` }]
      : [],
  )
}

/** Every reader of events sees each client's numbers from 1 to the last one, in order; only webhooks may repeat. */
function checkEvents({ events, orders }: History, { lastEvents }: Stored): Breach[] {
  const violations: Breach[] = []
  for (const [way, seen] of Object.entries(events)) {
    if (seen.length === 0) continue
    const byClient = Map.groupBy(seen, ({ client_id }) => client_id)
    for (const [client_id, list] of byClient)
      violations.push(...checkSequence(`${way} ${client_id}`, list, lastEvents.get(client_id) ?? 0, way === 'webhook'))
    if (way === 'webhook') continue
    const told = new Set(
      seen.filter(({ event_type }) => event_type === 'order.created').map(({ order_id }) => order_id),
    )
    for (const { acknowledged, reference } of orders)
      if (acknowledged !== undefined && !told.has(acknowledged.order_id))
        violations.push({ kind: 'missing event', text: `${way}: no order.created for ${reference}.` })
  }
  return violations
}

function checkSequence(where: string, seen: readonly SeenEvent[], last: number, mayRepeat: boolean): Breach[] {
  const violations: Breach[] = []
  const known = new Set<number>()
  let reached = (seen[0]?.event_number ?? 1) - 1
  for (const { event_number } of seen) {
    if (known.has(event_number)) {
      if (!mayRepeat) violations.push({ kind: 'repeated event', text: `${where}: ${event_number} was read twice.` })
      continue
    }
    known.add(event_number)
    if (event_number < reached)
      violations.push({ kind: 'event out of order', text: `${where}: ${event_number} after ${reached}.` })
    else if (event_number > reached + 1)
      violations.push({ kind: 'event gap', text: `${where}: ${event_number} after ${reached}.` })
    reached = Math.max(reached, event_number)
  }
  if (reached < last)
    violations.push({ kind: 'missing event', text: `${where}: ends at ${reached}, ${last} are stored.` })
  return violations
}

/** A read that begins after an answer shows at least what that answer said. */
function checkReads({ reads, orders, cancellations }: History): Breach[] {
  const placedAt = new Map(orders.flatMap(placed))
  const cancelledAt = new Map(
    cancellations.flatMap(({ order_id, acknowledgedAt }) =>
      acknowledgedAt === undefined ? [] : [[order_id, acknowledgedAt] as const],
    ),
  )
  return reads.flatMap(({ order_id, sentAt, state }): Breach[] => {
    if (state === null && sentAt > (placedAt.get(order_id) ?? Infinity))
      return [{ kind: 'stale read', text: `Order ${order_id} was not found after it was acknowledged.` }]
    if (state === 'new' && sentAt > (cancelledAt.get(order_id) ?? Infinity))
      return [{ kind: 'stale read', text: `Order ${order_id} was shown as new after its cancellation was requested.` }]
    return []
  })
}

const placed = ({ acknowledged }: WantedOrder): (readonly [number, number])[] =>
  acknowledged === undefined ? [] : [[acknowledged.order_id, acknowledged.at]]

function checkAnswers({ answers }: History, allowed: RegExp): Breach[] {
  return [...answers].flatMap(([answer, count]): Breach[] => {
    const outcome = answer.slice(answer.indexOf(' ') + 1)
    return /^(200|4\d\d)/.test(outcome) || allowed.test(outcome)
      ? []
      : [{ kind: 'forbidden answer', text: `${answer}, ${count} times.` }]
  })
}
