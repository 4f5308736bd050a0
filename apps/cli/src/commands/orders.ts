import type {
  OperatorHistoryEntry,
  ListClientOrdersParams,
  OperatorAdjustment,
  OperatorOrder,
  OperatorReturnRequest,
  OrderDocument,
  OrderLine,
  OrderNote,
  Shipment,
} from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { findOrder } from '../find-order.ts'
import { pairsOf } from './metadata.ts'
import { formatAmount, formatMoney } from '../format.ts'
import { listOptions, showList } from '../list.ts'
import { knownStates, stateNames } from '../order-states.ts'
import type { Column } from '../table.ts'

export const ordersCommand = command({
  name: 'orders',
  summary: 'list orders of all clients, newest first',
  options: {
    search: { value: 'TEXT', meaning: 'only orders that match: number, reference, client, article, barcode, city' },
    state: { value: 'STATES', meaning: 'only orders in this state, or in several separated by commas' },
    client: { value: 'ID', meaning: 'only orders of this client' },
    from: { value: 'DATE', meaning: 'only orders placed on this day or later, YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS"' },
    to: { value: 'DATE', meaning: 'only orders placed on this day or earlier, YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS"' },
    'ship-from': { value: 'DATE', meaning: 'only orders to be shipped on this day or later' },
    'ship-to': { value: 'DATE', meaning: 'only orders to be shipped on this day or earlier' },
    'changed-since': { value: 'DATE', meaning: 'only orders changed on this day or later' },
    metadata: { value: 'KEY:VALUE', meaning: 'only orders with exactly this pair of metadata' },
    held: { meaning: 'only orders on hold' },
    short: { meaning: 'only open orders whose goods are not all there' },
    virtual: { meaning: 'only virtual orders' },
    sort: { value: 'BY', meaning: 'created, ship_date, total or changed (default: created)' },
    ...listOptions,
  },
  notes: [`The states are ${stateNames.join(', ')}; zayavka-na-otmen is a requested cancellation.`],
  examples: [
    'orders --state new,processing',
    'orders --search lindner --short',
    'orders --sort ship_date --ship-to 2026-11-20',
    'orders --client 12 --from 2026-11-01 --all',
    'orders --state new --json | jq .order_number',
  ],
  run: (call) => {
    const { search, state, client, from, to, metadata, held, short, virtual, sort } = call.options
    const filters = {
      search,
      state: knownStates({ name: 'orders' }, '--state', state),
      client_id: client === undefined ? undefined : wholeNumber(client, '--client'),
      date_from: from,
      date_to: to,
      ship_from: call.options['ship-from'],
      ship_to: call.options['ship-to'],
      changed_since: call.options['changed-since'],
      metadata,
      held: held || undefined,
      short: short || undefined,
      virtual: virtual || undefined,
      sort: sort as ListClientOrdersParams['sort'], // The service refuses other words.
    }
    return showList(call, {
      read: (page) => call.api().listClientOrders({ ...filters, ...page }),
      columns: orderColumns,
      none: 'No orders found.',
    })
  },
})

const orderColumns: readonly Column<OperatorOrder>[] = [
  { title: 'ORDER', of: ({ order_number }) => order_number, whole: true },
  { title: 'PLACED', of: ({ order_create_datetime }) => order_create_datetime.slice(0, 16), whole: true },
  { title: 'CLIENT', of: ({ client_name }) => client_name },
  { title: 'REFERENCE', of: ({ reference }) => reference },
  { title: 'STATE', of: ({ order_state_id }) => order_state_id },
  { title: 'STOCK', of: ({ order_stock }) => order_stock.stock_name },
  {
    title: 'TOTAL',
    of: ({ order_total, terms }) => formatAmount(order_total, terms.currency_code),
    right: true,
    whole: true,
  },
]

export const orderCommand = command({
  name: 'order',
  summary: 'show an order: lines, shipments, history, notes',
  arguments: ['NUMBER'],
  examples: ['order 100234', 'order 100234 --json | jq .order_state_id'],
  run: async ({ arguments: [number = ''], output, api }) => {
    const order_number = wholeNumber(number, 'An order number')
    const found = await findOrder(api(), order_number)
    if (output.json) return output.data(found)
    output.line(`Order ${found.order_number}`, 'bold')
    output.pairs(headOf(found))
    output.line('')
    await output.table(lineColumns, found.items)
    output.line('')
    if (found.shipments.length > 0) {
      await output.table(shipmentColumns(found), found.shipments)
      output.line('')
    }
    if (found.adjustments.length > 0) {
      await output.table(adjustmentColumns, found.adjustments)
      output.line('')
    }
    if (found.return_requests.length > 0) {
      await output.table(returnColumns, found.return_requests)
      output.line('')
    }
    if (found.documents.length > 0) {
      await output.table(documentColumns, found.documents)
      output.line('')
    }
    await output.table(historyColumns, found.order_history)
    if (found.notes.length === 0) return
    output.line('')
    await output.table(noteColumns, found.notes)
  },
})

function headOf(found: OperatorOrder): [string, string][] {
  const { order_stock: stock, order_contract: contract, order_contact: contact, terms } = found
  const limit = contract.contract_limit === 0 ? 'no limit' : `limit ${formatMoney(contract.contract_limit)}`
  const email = contact.contact_email === null ? '' : `${contact.contact_email}, `
  const pairs: [string, string | null][] = [
    ['Client', `${found.client_name} (client ${found.client_id})`],
    ['Contact', `${contact.contact_name} (${email}contact ${contact.contact_id})`],
    ['Address', addressOf(found.address)],
    ['Recipient', recipientOf(found.address)],
    ['Reference', found.reference],
    ['Comment', found.comment],
    ['Client metadata', pairsOf(found.client_metadata)],
    ['Metadata', pairsOf(found.metadata)],
    ['State', `${found.order_history[0]?.value} (${found.order_state_id})`],
    ['On hold', found.hold_reason],
    ['Placed', found.order_create_datetime],
    ['Updated', found.order_update_datetime],
    ['Shipping', found.order_shipping_datetime?.slice(0, 10) ?? null],
    ['Archived', found.order_archive_datetime],
    ['Stock', `${stock.stock_name} (stock ${stock.stock_id})`],
    ['Contract', `${contract.contract_name} (contract ${contract.contract_id}, ${limit})`],
    ['Advertising', found.order_advertising],
    ['Virtual', found.virtual ? 'yes: it reserves no stock and cannot be shipped' : null],
    [
      'Total',
      `${formatMoney(found.order_total)} ${terms.currency_code} (discount ${terms.discount_percent}% ${formatMoney(found.order_discount)}, shipping ${formatMoney(found.order_shipping)}, tax ${terms.tax_percent}% ${terms.tax_mode} ${formatMoney(found.order_tax)}, rate ${found.order_rate})`,
    ],
    ['Order id', String(found.order_id)],
  ]
  return pairs.filter((pair): pair is [string, string] => pair[1] !== null)
}

/** As on a parcel: the street, the place and the country, each with what belongs to it. */
function addressOf({ street, home, room, zip, city, region_code, country_code }: OperatorOrder['address']): string {
  if (street === '') return `erased; ${country_code}`
  const premises = room === null ? home : `${home}, ${room}`
  return `${street} ${premises}; ${zip} ${city}; ${region_code}, ${country_code}`
}

/** Null if the order names nobody but the contact. */
function recipientOf({ recipient, company, phone, email }: OperatorOrder['address']): string | null {
  return [recipient, company, phone, email].filter((part) => part !== null).join(', ') || null
}

const lineColumns: readonly Column<OrderLine>[] = [
  { title: 'ARTICLE', of: ({ order_item }) => order_item.item_vendor_code },
  { title: 'QUANTITY', of: ({ order_item_quantity }) => order_item_quantity, right: true, whole: true },
  { title: 'SHIPPED', of: ({ order_item_shipped }) => order_item_shipped, right: true, whole: true },
  { title: 'OPEN', of: ({ order_item_open }) => order_item_open, right: true, whole: true },
  { title: 'PRICE', of: ({ order_item_price }) => formatMoney(order_item_price), right: true, whole: true },
  { title: 'TITLE', of: ({ order_item }) => order_item.item_title },
]

/** What is in a shipment is shown by articles. */
function shipmentColumns({ items }: OperatorOrder): readonly Column<Shipment>[] {
  const articleOf = new Map(items.map(({ order_item_id, order_item }) => [order_item_id, order_item.item_vendor_code]))
  return [
    { title: 'SHIPMENT', of: ({ shipment_id }) => shipment_id, whole: true },
    { title: 'SHIPPED', of: ({ shipment_datetime }) => shipment_datetime, whole: true },
    { title: 'CARRIER', of: ({ carrier }) => carrier },
    { title: 'TRACKING', of: ({ tracking }) => tracking },
    {
      title: 'LINES',
      of: ({ lines }) =>
        lines.map(({ order_item_id, quantity }) => `${quantity} × ${articleOf.get(order_item_id)}`).join(', '),
    },
  ]
}

const adjustmentColumns: readonly Column<OperatorAdjustment>[] = [
  { title: 'ADJUSTMENT', of: ({ adjustment_id }) => adjustment_id, whole: true },
  { title: 'REQUESTED', of: ({ adjustment_date_create }) => adjustment_date_create, whole: true },
  { title: 'ARTICLE', of: ({ adjustment_items: [item] }) => item?.sku ?? null },
  { title: 'FROM', of: ({ request }) => request.quantity_before, right: true, whole: true },
  { title: 'TO', of: ({ request }) => request.requested_quantity, right: true, whole: true },
  { title: 'STATUS', of: ({ adjustment_status }) => adjustment_status, whole: true },
  { title: 'DECIDED BY', of: ({ request }) => request.decided_by },
  { title: 'REASON', of: ({ request, adjustment_canceled_message }) => adjustment_canceled_message ?? request.reason },
]

const returnColumns: readonly Column<OperatorReturnRequest>[] = [
  { title: 'RETURN', of: ({ return_request_id }) => return_request_id, whole: true },
  { title: 'REQUESTED', of: ({ request_datetime }) => request_datetime, whole: true },
  {
    title: 'PIECES',
    of: ({ lines }) => lines.reduce((sum, { quantity }) => sum + quantity, 0),
    right: true,
    whole: true,
  },
  { title: 'STATUS', of: ({ request_status }) => request_status, whole: true },
  { title: 'DECIDED BY', of: ({ decided_by }) => decided_by },
  {
    title: 'WHY, AND HOW IT COMES BACK',
    of: (request) => [request.canceled_message ?? request.reason, request.instruction].filter(Boolean).join('; '),
  },
]

const documentColumns: readonly Column<OrderDocument>[] = [
  { title: 'DOCUMENT', of: ({ kind }) => kind, whole: true },
  { title: 'NUMBER', of: ({ number }) => number },
  { title: 'ISSUED', of: ({ issued_on }) => issued_on, whole: true },
  { title: 'LINK', of: ({ url }) => url },
]

const historyColumns: readonly Column<OperatorHistoryEntry>[] = [
  { title: 'DATE', of: ({ date }) => date, whole: true },
  { title: 'EVENT', of: ({ group }) => group },
  { title: 'STATE', of: ({ state_id }) => state_id, whole: true },
  { title: 'NOTE', of: ({ text }) => text },
  { title: 'BY', of: ({ actor }) => actor },
]

const noteColumns: readonly Column<OrderNote>[] = [
  { title: 'DATE', of: ({ note_datetime }) => note_datetime, whole: true },
  { title: 'AUTHOR', of: ({ note_author }) => note_author },
  { title: 'INTERNAL NOTE', of: ({ note_text }) => note_text },
]
