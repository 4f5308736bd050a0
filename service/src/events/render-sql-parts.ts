/**
 * Renders the part files that follow from the lists of fields, for `npm run generate`. They are checked in, so that
 * every statement can be read on disk.
 */
import {
  adjustmentColumns,
  joinedAdjustmentFields,
  joinedLineFields,
  storedAdjustmentFields,
} from '../orders/adjustment.ts'
import {
  detailFields,
  historyFields,
  joinedOrderFields,
  lineFields,
  shipmentFields,
  storedContractFields,
  storedOrderFields,
  storedStockFields,
  unshownOrderFields,
} from '../orders/order-fields.ts'
import { returnFields } from '../orders/order-return.ts'
import { noteFields } from '../orders/order-note.ts'
import { packRows } from 'pg-statements/packed-rows.ts'
import type { Shape } from 'pg-statements/statement.ts'
import { datetime } from 'pg-statements/types.ts'

const { order_id: _, ...joinedOrder } = joinedOrderFields // The event has its order's id itself.
const joinedFields = { ...joinedOrder, ...detailFields }
const { order_item_quantity: _quantity, ...unchangedLineFields } = lineFields
const { order_item_id: _line, quantity: _pieces, ...ownShipmentFields } = shipmentFields
const { order_item_id: _returned, quantity: _back, ...ownReturnFields } = returnFields

/** The texts of the part files, by their paths from the root of the repository. */
export const renderSqlParts = (): Record<string, string> => ({
  'service/src/orders/order-columns.part.sql': orderColumnsPart(),
  'service/src/orders/order-details.part.sql': orderDetailsPart(),
  'service/src/orders/order-history.part.sql': orderHistoryPart(),
  'service/src/orders/order-lines.part.sql': orderLinesPart(),
  'service/src/orders/order-shipments.part.sql': orderShipmentsPart(),
  'service/src/orders/packed-shipments.part.sql': packedShipmentsPart(),
  'service/src/orders/packed-lines.part.sql': packedLinesPart(),
  'service/src/orders/order-notes.part.sql': orderNotesPart(),
  'service/src/orders/order-returns.part.sql': orderReturnsPart(),
  'service/src/orders/order-snapshot.part.sql': orderSnapshotPart(),
  'service/src/orders/adjustment-columns.part.sql': adjustmentColumnsPart(),
  'service/src/orders/adjustment-snapshot.part.sql': adjustmentSnapshotPart(),
  'service/src/events/event-columns.part.sql': eventColumnsPart(),
  'service/src/events/event-joins.part.sql': eventJoinsPart(),
})

const orderColumnsPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The columns of an order (o), its stock (s) and its contract (c): \`orderOwnColumns\` in order.ts.
  ${list([
    ...columns('o', joinedOrderFields),
    ...columns('o', storedOrderFields),
    ...columns('s', storedStockFields),
    ...columns('c', storedContractFields),
  ])},
`

const orderDetailsPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The columns of an order (o) that clients see on request: \`detailFields\`.
  ${list(columns('o', detailFields))},
`

const orderHistoryPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The entries (h) of an order's history in one column: \`historyFields\`. They come newest first from a sorted subquery.
${packed(columns('h', historyFields))}
`

const orderLinesPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The lines of an order (o) in one column: \`lineFields\`. Lines that were dropped are not shown.
select ${packed(columns('i', lineFields))}
from (
  select ${list(columns('i', lineFields), 4)}
  from order_items i
  where i.client_id = o.client_id and i.order_id = o.order_id and i.order_item_quantity > 0
  order by i.order_item_id
) i
`

const shipmentLineColumns = (): string[] => [...columns('p', ownShipmentFields), 'l.order_item_id', 'l.quantity']

const orderShipmentsPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The lines of the shipments of an order (o) in one column: \`shipmentFields\`.
select ${packed(columns('p', shipmentFields))}
from (
  select ${list(shipmentLineColumns(), 4)}
  from shipments p
  join shipment_lines l on l.client_id = p.client_id and l.order_id = p.order_id and l.shipment_id = p.shipment_id
  where p.client_id = o.client_id and p.order_id = o.order_id
  order by p.shipment_id, l.order_item_id
) p
`

const packedShipmentsPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The lines of shipments (p) in one column: \`shipmentFields\`. They come from a sorted subquery.
${packed(columns('p', shipmentFields))}
`

const packedLinesPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- The lines (i) of an order in one column: \`lineFields\`. They come from a sorted subquery.
${packed(columns('i', lineFields))}
`

const orderReturnsPart = (): string => `-- Generated from order-return.ts by npm run generate.
-- The lines of the returns of an order (o) in one column: \`returnFields\`.
select ${packed(columns('r', returnFields))}
from (
  select ${list([...columns('r', ownReturnFields), 'l.order_item_id', 'l.quantity'], 4)}
  from order_returns r
  join order_return_lines l on l.client_id = r.client_id and l.order_id = r.order_id and l.return_id = r.return_id
  where r.client_id = o.client_id and r.order_id = o.order_id
  order by r.return_id, l.order_item_id
) r
`

const orderNotesPart = (): string => `-- Generated from order-note.ts by npm run generate.
-- The internal notes of an order (o) in one column: \`noteFields\`. Newest first.
select ${packed(columns('m', noteFields))}
from (
  select ${list(columns('m', noteFields), 4)}
  from order_notes m
  where m.client_id = o.client_id and m.order_id = o.order_id
  order by m.note_id desc
) m
`

const orderSnapshotPart = (): string => `-- Generated from order-fields.ts by npm run generate.
-- What an event stores of an order (o), its stock (s) and its contract (c): the fields that may change later.
jsonb_build_object(${list([
  ...members('o', storedOrderFields),
  ...members('o', unshownOrderFields),
  ...members('s', storedStockFields),
  ...members('c', storedContractFields),
])})
`

const adjustmentColumnsPart = (): string => `-- Generated from adjustment.ts by npm run generate.
-- The columns of an adjustment (a) and its line (i): \`adjustmentColumns\` in adjustment.ts.
  ${list(Object.keys(adjustmentColumns).map((name) => `${Object.hasOwn(joinedLineFields, name) ? 'i' : 'a'}.${name}`))}
`

const adjustmentSnapshotPart = (): string => `-- Generated from adjustment.ts by npm run generate.
-- What an event stores of an adjustment (a): its id and the fields that may change later.
jsonb_build_object(${list(members('a', storedAdjustmentFields))})
`

/** JSON has no type for a point in time, so PostgreSQL reads it back, in the time zone of the service. */
const eventColumnsPart =
  (): string => `-- Generated from ../orders/order-fields.ts and ../orders/adjustment.ts by npm run generate.
-- The columns of an event (e), and of what event-joins.part.sql joins to it: \`eventColumns\` in event-data.ts.
  e.event_number, e.event_type, e.event_datetime, e.order_id, e.data, e.fits,
  ${list(columns('o', joinedFields))}, o.history, o.lines, o.shipped_lines,
  ${list(
    Object.entries(storedOrderFields)
      .filter(([, type]) => type.name === datetime.name)
      .map(([name]) => `(e.data->>'${name}')::timestamptz as ${name}`),
  )},
  ${list([...columns('a', joinedAdjustmentFields), ...columns('a', joinedLineFields)])}
`

const eventJoinsPart = (): string => `-- Generated from the lists of fields by npm run generate.
-- Which events join an order or an adjustment: the function snapshotOf in event-types.ts says the same.
-- Joins to an event (e) what never changes and is not stored with it: the order (o) with its history up to that
-- moment, or the adjustment with its line (a). The event of a new order stores no history_count: it has one entry.
-- A line had the quantity before its first later change, or else the one that it has now. The shipments are those up
-- to that moment.
-- The limits make PostgreSQL look up each row. It cannot know how few events a page has, and would read whole tables.
left join lateral (
  select ${list(columns('x', joinedFields), 4)}, (
      select ${packed(columns('h', historyFields), 8)}
      from (
        select h.date, h."group", h.state_id, h.text from order_history h
        where h.client_id = x.client_id and h.order_id = x.order_id and h.entry <= m.history_count
        order by h.entry desc
      ) h
    ) as history, (
      select ${packed(columns('i', lineFields), 8)}
      from (
        select ${list(columns('i', unchangedLineFields), 10)}, coalesce((
            select y.quantity_before from order_item_changes y
            where y.client_id = i.client_id and y.order_id = i.order_id and y.order_item_id = i.order_item_id
              and y.entry > m.history_count
            order by y.entry
            limit 1
          ), i.order_item_quantity) as order_item_quantity
        from order_items i
        where i.client_id = x.client_id and i.order_id = x.order_id and e.event_type like 'order.%'
        order by i.order_item_id
      ) i
      where i.order_item_quantity > 0
    ) as lines, (
      select ${packed(columns('p', shipmentFields), 8)}
      from (
        select ${list(shipmentLineColumns(), 10)}
        from shipments p
        join shipment_lines l on l.client_id = p.client_id and l.order_id = p.order_id and l.shipment_id = p.shipment_id
        where p.client_id = x.client_id and p.order_id = x.order_id and p.entry <= m.history_count
          and e.event_type like 'order.%'
        order by p.shipment_id, l.order_item_id
      ) p
    ) as shipped_lines
  from orders x
  cross join lateral (select coalesce((e.data->>'history_count')::integer, 1) as history_count) m
  where x.client_id = e.client_id and x.order_id = e.order_id and e.fits
    and (e.event_type like 'order.%' or e.event_type = 'contract.limit_low')
  limit 1
) o on true
left join lateral (
  select ${list([...columns('x', joinedAdjustmentFields), ...columns('i', joinedLineFields)], 4)}
  from adjustments x
  join order_items i on i.client_id = x.client_id and i.order_id = x.order_id and i.order_item_id = x.order_item_id
  where x.client_id = e.client_id and x.order_id = e.order_id and x.adjustment_id = (e.data->>'adjustment_id')::bigint
    and e.event_type like 'adjustment.%'
  limit 1
) a on true
`

const columns = (table: string, fields: Shape): string[] =>
  Object.keys(fields).map((name) => `${table}.${name === 'group' ? '"group"' : name}`)

const packed = (expressions: readonly string[], indent = 2): string =>
  packRows(`\n${' '.repeat(indent)}${list(expressions, indent)}`)

const members = (table: string, fields: Shape): string[] =>
  Object.keys(fields).map((name) => `'${name}', ${table}.${name}`)

/** Separated by commas, and wrapped so that no line of the part file is longer than 120 columns. */
function list(items: readonly string[], indent = 2): string {
  const lines: string[] = []
  for (const item of items) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + item.length < 96) lines[lines.length - 1] = `${last}, ${item}`
    else lines.push(item)
  }
  return lines.join(`,\n${' '.repeat(indent)}`)
}
