import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operatorOrderOwnColumns, operatorOrdersOf } from './operator-order.ts'
import { orderStates } from './order-states.ts'
import type { StateLabels } from './order.ts'
import type { Values } from 'pg-statements/statement.ts'

const labels = Object.fromEntries(orderStates.map(({ state_id, value }) => [state_id, value])) as StateLabels

const row: Values<typeof operatorOrderOwnColumns> = {
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
  order_archive_datetime: null,
  virtual: false,
  stock_name: 'Hamburg',
  contract_name: 'Standard',
  contract_default: true,
  contract_service: false,
  contract_limit: 0,
  client_id: 6,
  client_name: 'Garage Weber',
}
const entry = { date: '2026-11-15 09:30:00', group: 'Change of status', state_id: 'new', text: '' }
const view = (changed: Partial<typeof row>): string =>
  JSON.stringify(operatorOrdersOf([{ ...row, ...changed, ...entry }], labels))

test('every field of an order is shown to operators: a new one cannot be stored and shown nowhere', () => {
  const others: Record<string, unknown> = { order_state_id: 'processing' }
  const unshown = Object.keys(operatorOrderOwnColumns).filter((name) => {
    const value = row[name as keyof typeof row]
    const other = others[name] ?? (typeof value === 'number' ? value + 1 : typeof value === 'boolean' ? !value : 'x')
    return view({ [name]: other }) === view({})
  })
  assert.deepEqual(unshown, [])
})
