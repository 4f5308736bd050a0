import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noteFields, operatorOrderFields, operatorOrderOf } from './operator-order.ts'
import { addDetails, orderIncludes } from './order-details.ts'
import { detailFields, historyFields, lineFields, shipmentFields } from './order-fields.ts'
import { orderStates } from '../vocabulary/order-states.ts'
import type { StateLabels } from './order.ts'
import { noRemarks } from '../testing/fixtures.ts'
import type { Shape, Values } from 'pg-statements/statement.ts'

const labels = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as StateLabels

const row: Values<typeof operatorOrderFields> = {
  order_id: 1,
  order_number: 2,
  order_contact_id: 3,
  order_create_datetime: '2026-11-15 09:30:00',
  order_rate: 1,
  order_shipping: 0,
  order_advertising: null,
  stock_id: 4,
  contract_id: 5,
  order_update_datetime: '2026-11-15 09:30:00',
  order_state_id: 'new',
  order_total: 10,
  order_tax: 1,
  order_discount: 0,
  order_shipping_date: null,
  order_shipped_datetime: null,
  order_archive_datetime: null,
  virtual: false,
  stock_name: 'Hamburg',
  contract_name: 'Standard',
  contract_default: true,
  contract_service: false,
  contract_limit: 0,
  client_id: 6,
  client_name: 'Garage Weber',
  contact_name: 'Anna Weber',
  contact_email: null,
  hold_reason: null,
  zip: '10115',
  country_code: 'DE',
  region_code: 'DE-BE',
  city: 'Berlin',
  street: 'Invalidenstraße',
  home: '116',
  room: null,
  recipient: null,
  company: null,
  phone: null,
  email: null,
  currency_code: 'EUR',
  tax_mode: 'included',
  tax_percent: 19,
  discount_percent: 0,
  ...noRemarks,
}
const entry: Values<typeof historyFields> = {
  date: '2026-11-15 09:30:00',
  group: 'Change of status',
  state_id: 'new',
  text: '',
}
const line: Values<typeof lineFields> = {
  order_item_id: 7,
  order_item_quantity: 8,
  order_item_price: 9.5,
  item_id: 10,
  item_vendor_code: 'JF-11024',
  item_barcode: '2000081090561',
  item_title: 'Brake disc',
  brand_id: 11,
  brand_name: 'Brixholm',
}

/** The names of the fields that make no difference to what is shown. */
function unshown<S extends Shape>(fields: S, values: Values<S>, show: (values: Values<S>) => unknown): string[] {
  const shown = (changed: Values<S>): string => JSON.stringify(show(changed))
  return Object.keys(fields).filter((name) => {
    const value = values[name]
    const other = name.endsWith('state_id')
      ? 'processing'
      : typeof value === 'number'
        ? value + 1
        : typeof value === 'boolean'
          ? !value
          : 'x'
    return shown({ ...values, [name]: other }) === shown(values)
  })
}

const shippedLine: Values<typeof shipmentFields> = {
  shipment_id: 12,
  shipment_datetime: '2026-11-15 09:30:00',
  carrier: 'DHL',
  tracking: '0034',
  order_item_id: 7,
  quantity: 1,
}

const note: Values<typeof noteFields> = { note_datetime: '2026-11-15 10:00:00', note_author: 'a', note_text: 'b' }

const full = {
  history: [entry],
  lines: [line],
  shipped_lines: [shippedLine],
  notes: [note],
  returned_lines: [],
  return_requests: [],
  documents: [],
  metadata: [],
  actors: [],
}

test('every field of an order is shown to operators: a new one cannot be stored and shown nowhere', () => {
  const view = (changed: Partial<typeof row & typeof full>): unknown =>
    operatorOrderOf({ ...row, ...full, ...changed }, labels)
  assert.deepEqual(unshown(operatorOrderFields, row, view), [])
  assert.deepEqual(
    unshown(historyFields, entry, (one) => view({ history: [one] })),
    [],
  )
  assert.deepEqual(
    unshown(lineFields, line, (one) => view({ lines: [one] })),
    [],
  )
  assert.deepEqual(
    unshown(shipmentFields, shippedLine, (one) => view({ shipped_lines: [one] })),
    [],
  )
  assert.deepEqual(
    unshown(noteFields, note, (one) => view({ notes: [one] })),
    [],
  )
})

test('every detail of an order is shown to a client that includes everything', () => {
  const days = { history_count: 1, earliest_date: '2026-11-16', latest_date: '2027-02-13' }
  assert.deepEqual(
    unshown(detailFields, row, (one) => addDetails({}, { ...row, ...full, ...days, ...one }, orderIncludes)),
    [],
  )
})
