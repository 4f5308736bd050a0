/** What a stock expects of an item, by day. Operators replace the whole list. */
import Type, { type Static } from 'typebox'
import { Arrival } from './promise.ts'
import { onHandMax } from './set-stock-level.ts'
import { call, functionCall } from '../functions/call.ts'
import { day, listOf, type Field } from '../input/fields.ts'
import { Refusal } from '../vocabulary/refusals.ts'
import { refer } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { bool, int8, jsonOf, jsonText, plainJsonOf, text } from 'pg-statements/types.ts'

const arrivalsMax = 30 // A delivery on every working day of six weeks. Promises show all of them.

export const ExpectedArrivals = Type.Object(
  {
    stock_id: Type.Integer({ description: 'The stock.' }),
    item_id: Type.Integer({ description: 'The item.' }),
    arrivals: Type.Array(refer(Arrival), { description: 'By day. A day that has passed no longer counts.' }),
  },
  {
    $id: 'ExpectedArrivals',
    examples: [{ stock_id: 1, item_id: 1024, arrivals: [{ date: '2026-11-24', quantity: 200 }] }],
  },
)
export type ExpectedArrivals = Static<typeof ExpectedArrivals>

const arrivalDay = day({ description: 'The day.', example: '2026-11-24' })

export const arrivalsField: Field<Arrival[]> = {
  required: true,
  schema: {
    type: 'array',
    items: {
      type: 'object',
      properties: {
        date: arrivalDay.schema,
        quantity: { type: 'integer', minimum: 1, maximum: onHandMax, description: 'Pieces expected on this day.' },
      },
      required: ['date', 'quantity'],
      additionalProperties: false,
    },
    maxItems: arrivalsMax,
    description: 'Every expected arrival, each with its own day. An empty list removes them.',
    examples: [[{ date: '2026-11-24', quantity: 200 }]],
  },
  rule: `a list of at most ${arrivalsMax} arrivals on distinct days, each {"date", "quantity"} with quantities from 1 to ${onHandMax}; in CSV such as '2026-11-24:200 2026-12-01:40', or 'none'`,
  read: (raw) => {
    const list = raw.startsWith('[') ? listOf(raw) : raw === 'none' ? [] : raw.split(/\s+/).map(pairOf)
    const isEmpty = list.length === 0 && !/^(none|\[\s*\])$/.test(raw) // Not a list.
    const arrivals = list.map(arrivalOf).filter((arrival) => arrival !== undefined)
    const distinct = new Set(arrivals.map(({ date }) => date)).size === list.length
    return !isEmpty && distinct && list.length <= arrivalsMax
      ? arrivals.sort((a, b) => (a.date < b.date ? -1 : 1))
      : undefined
  },
}

function pairOf(text: string): object {
  const [, date, quantity] = /^([^:]+):(\d+)$/.exec(text) ?? []
  return { date, quantity: Number(quantity) }
}

/** Undefined if it is anything but an object with these two members. */
function arrivalOf(given: unknown): Arrival | undefined {
  if (typeof given !== 'object' || given === null || Object.keys(given).length !== 2) return undefined
  if (!('date' in given) || !('quantity' in given) || typeof given.date !== 'string') return undefined
  const { quantity } = given
  const date = arrivalDay.read(given.date)
  const fits = typeof quantity === 'number' && Number.isInteger(quantity) && quantity >= 1 && quantity <= onHandMax
  return date !== undefined && fits ? { date, quantity } : undefined
}

const setArrivalsSql = functionCall(new URL('set_arrivals.sql', import.meta.url), {
  parameters: {
    stock: int8,
    item: int8,
    arrivals: jsonText,
    actor: text,
    request_id: text,
  },
  columns: { answer: plainJsonOf<Arrival[]>() },
})

const readArrivalsSql = shortStatement('read-arrivals', {
  sql: `select exists (select from stocks s where s.stock_id = :stock_id) as stock_there,
      exists (select from items i where i.item_id = :item_id) as item_there,
      arrivals_of(:stock_id, :item_id) as arrivals`,
  parameters: { stock_id: int8, item_id: int8 },
  columns: { stock_there: bool, item_there: bool, arrivals: jsonOf<Arrival[]>() },
})

interface Level {
  readonly stock_id: number
  readonly item_id: number
}

export async function setArrivals(
  db: Database,
  input: Level & { readonly arrivals: readonly Arrival[]; readonly actor: string; readonly request_id: string },
): Promise<ExpectedArrivals> {
  const { stock_id, item_id, actor, request_id } = input
  const { answer: arrivals } = await call(db, setArrivalsSql, {
    stock: stock_id,
    item: item_id,
    arrivals: JSON.stringify(input.arrivals),
    actor,
    request_id,
  })
  return { stock_id, item_id, arrivals }
}

export async function readArrivals(db: Database, level: Level): Promise<ExpectedArrivals> {
  const found = await db.row(readArrivalsSql, { ...level })
  if (found?.stock_there !== true) throw new Refusal('stock_not_found', { stock_id: level.stock_id })
  if (!found.item_there) throw new Refusal('item_not_found', { item_id: level.item_id })
  return { stock_id: level.stock_id, item_id: level.item_id, arrivals: found.arrivals }
}
