import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { issueClientKey } from '../../keys/issue-client-key.ts'
import { addressSchemas, fieldsErased, orderInputFields } from '../../orders/order-input.ts'
import { address, addFixtures, byTheTests } from '../../testing/fixtures.ts'
import { databaseDigest, rowsWith } from '../../testing/database-digest.ts'
import { makeOperators, type Operators } from '../../testing/operators.ts'
import { eventually } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'
import { makeWorld, type World } from '../../testing/world.ts'

let service: TestService
let operators: Operators

before(async () => {
  service = await startService()
  await addFixtures(service)
  operators = await makeOperators(service)
})
after(() => service.close())

const contactPath = ({ me }: World, contact_id: number): string =>
  `/operator/v1/clients/${me.client_id}/contacts/${contact_id}/`

const personalFields = fieldsErased('at once')

/** Each field of an order that is erased at once, with this text. */
const personal = <T extends string | null>(text: T): Record<string, T> =>
  Object.fromEntries(personalFields.map((name) => [name, text]))

/** A contact whose name has changed once, with a key and an order with a comment and an adjustment with a reason. */
async function contactWithTraces(world: World): Promise<{ contact_id: number; key: string; order_id: number }> {
  const { client_id } = world.me
  const created = await service.request('POST', `/operator/v1/clients/${client_id}/contacts/`, {
    key: operators.keys.admin,
    json: { contact_name: 'Xaveria Quellmann', contact_email: 'xaveria@quellmann.example' },
    headers: { 'idempotency-key': `contact-of-${client_id}` }, // Its answer is stored.
  })
  const { contact_id } = created.body.data
  await operators.ok('PATCH', contactPath(world, contact_id), { contact_name: 'Xaveria Zweitname' })
  const { key } = await issueClientKey(service.db, { client_id, contact_id, ...byTheTests })
  const send = async (method: string, path: string, form: Record<string, string | number>) => {
    const { status, body, text } = await service.request(method, path, { key, form })
    assert.equal(status, 200, text)
    return body.data
  }
  const { cart_id } = await send('PUT', '/api/v1/carts/', { name: 'Cart' })
  await send('PUT', `/api/v1/carts/${cart_id}/items/`, { item_id: 1, stock_id: 1, quantity: 3 })
  const [group] = await world.shop.ok('GET', `/api/v1/carts/${cart_id}/items/`)
  const { created_order_id: order_id } = await send('PUT', '/api/v1/orders/', {
    cart_group_key: group.cart_group_key,
    ...address,
    reference: 'PO-1',
    ...personal('Call Xaveria Quellmann before delivery.'),
  })
  await send('PUT', '/api/v1/addresses/', { address_name: 'Home', ...address, recipient: 'Xaveria Quellmann' })
  const [line] = await world.shop.ok('GET', `/api/v1/orders/${order_id}/items/`)
  await send('PATCH', `/api/v1/orders/${order_id}/items/${line.order_item_id}/`, {
    quantity: 2,
    reason: 'Xaveria Zweitname miscounted.',
  })
  const path = `/operator/v1/orders/${order_id}/`
  for (const state_id of ['processing', 'fulfilling']) await operators.ok('POST', `${path}move/`, { state_id })
  const lines = [{ order_item_id: line.order_item_id, quantity: 1 }]
  await operators.ok('POST', `${path}shipments/`, { lines })
  await send('PUT', `/api/v1/orders/${order_id}/return-requests/`, {
    lines: JSON.stringify(lines),
    reason: 'Xaveria Zweitname miscounted.',
  })
  return { contact_id, key, order_id }
}

test('after an erasure no row of the database contains its name or email address, and the orders keep their facts', async () => {
  const world = await makeWorld(service)
  const { contact_id, key, order_id } = await contactWithTraces(world)
  const written = (await rowsWith(service, /Xaveria|quellmann/)).join('\n')
  assert.equal(written.match(/Xaveria|quellmann/g)?.length, 12 + personalFields.length)
  const read = () => operators.ok('GET', `/operator/v1/orders/${order_id}/`)
  const before = await read()
  const erased = await operators.ok('POST', `${contactPath(world, contact_id)}erase/`)
  assert.deepEqual(erased, {
    contact_id,
    contact_name: 'Erased contact',
    revoked_keys: 1,
    erased_comments: 1,
    erased_reasons: 2,
    erased_events: 2,
  })
  assert.deepEqual(await rowsWith(service, /Xaveria|quellmann/i), [])
  const order = await read()
  assert.equal(before.comment, 'Call Xaveria Quellmann before delivery.')
  const order_contact = { contact_id, contact_name: 'Erased contact', contact_email: null }
  const adjustments = before.adjustments.map((adjustment: { request: object }) => ({
    ...adjustment,
    request: { ...adjustment.request, reason: null },
  }))
  const return_requests = [{ ...before.return_requests[0], reason: '' }]
  assert.deepEqual(order, { ...before, ...personal(null), order_contact, adjustments, return_requests })
  assert.deepEqual(
    (await operators.ok('GET', `/operator/v1/clients/${world.me.client_id}/`)).contacts.find(
      (contact: { contact_id: number }) => contact.contact_id === contact_id,
    ),
    order_contact,
  )
  await eventually(async () => (await service.request('GET', '/api/v1/carts/', { key })).status === 401)
  await service.checkInvariants()
})

test('an erasure is in the audit log and in the events without the erased values, and other contacts keep theirs', async () => {
  const world = await makeWorld(service)
  const { contact_id } = await contactWithTraces(world)
  await operators.ok('POST', `${contactPath(world, contact_id)}erase/`)
  const { client_id } = world.me
  const entries = await operators.ok('GET', `/operator/v1/audit/?client_id=${client_id}&limit=2`)
  assert.deepEqual(
    entries.map((entry: Record<string, unknown>) => [entry['audit_action'], entry['contact_name']]),
    [
      ['key_revoked', 'Erased contact'],
      ['contact_erased', 'Erased contact'],
    ],
  )
  const events = await world.shop.ok('GET', '/api/v1/events/?limit=100')
  const contactEvents = events
    .filter(({ event_type }: { event_type: string }) => event_type.startsWith('contact.'))
    .map(({ event_type, data }: { event_type: string; data: unknown }) => [event_type, data])
  const data = { contact_id, contact_name: 'Erased contact' }
  assert.deepEqual(contactEvents, [
    ['contact.created', data],
    ['contact.changed', data],
    ['contact.changed', data],
  ])
  assert.equal(events.at(-1).event_type, 'key.revoked')
  const { contacts } = await operators.ok('GET', `/operator/v1/clients/${client_id}/`)
  assert.equal(contacts[0].contact_name, 'Anna Weber')
})

test('erasing again changes nothing, and what was added since is erased by the next time', async () => {
  const world = await makeWorld(service)
  const { contact_id } = await contactWithTraces(world)
  const path = `${contactPath(world, contact_id)}erase/`
  await operators.ok('POST', path)
  const stored = await databaseDigest(service)
  const nothing = {
    contact_id,
    contact_name: 'Erased contact',
    revoked_keys: 0,
    erased_comments: 0,
    erased_reasons: 0,
    erased_events: 0,
  }
  assert.deepEqual(await operators.ok('POST', path), nothing)
  assert.deepEqual(await databaseDigest(service), stored)
  await operators.ok('PATCH', contactPath(world, contact_id), { contact_name: 'Xaveria Again' })
  assert.deepEqual(await operators.ok('POST', path), { ...nothing, erased_events: 1 })
  assert.deepEqual(await rowsWith(service, /Xaveria/), [])
})

test('an erasure that races changes of the name leaves no name behind', async () => {
  const world = await makeWorld(service)
  const { contact_id } = await contactWithTraces(world)
  for (let round = 0; round < 10; round++) {
    const rename = (n: number) =>
      operators.ok('PATCH', contactPath(world, contact_id), { contact_name: `Xaveria ${round} ${n}` })
    const [erased] = await Promise.all([
      operators.ok('POST', `${contactPath(world, contact_id)}erase/`),
      ...[1, 2, 3].map(rename),
    ])
    assert.equal(erased.contact_name, 'Erased contact')
    const rows = await service.sql(
      `select contact_name, (select count(*)::integer from events e where e.client_id = p.client_id
           and e.event_type like 'contact.%' and e.data ->> 'contact_name' not in ('Erased contact', p.contact_name)
           and e.event_number < (select max(f.event_number) from events f where f.client_id = p.client_id
             and f.event_type = 'contact.changed' and f.data ->> 'contact_name' = 'Erased contact')) as left_behind
       from contacts p where contact_id = $1`,
      [contact_id],
    )
    assert.equal(rows[0]?.['left_behind'], 0)
  }
  await operators.ok('POST', `${contactPath(world, contact_id)}erase/`)
  assert.deepEqual(await rowsWith(service, /Xaveria/), [])
  await service.checkInvariants()
})

test('orders and adjustments that race an erasure keep no word of the contact', async () => {
  for (let round = 0; round < 10; round++) {
    const { me, shop } = await makeWorld(service)
    const keys = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const cart_id = await shop.createCart()
        await shop.add(cart_id, { item_id: 2, quantity: 1 })
        return shop.groupKey(cart_id)
      }),
    )
    const [first = '', ...others] = keys
    const ordering = { ...address, ...personal('Call Xaveria Quellmann.') }
    const place = (cart_group_key: string) =>
      service.request('PUT', '/api/v1/orders/', { key: me.key, form: { cart_group_key, ...ordering } })
    const { created_order_id } = (await place(first)).body.data
    const [line] = await shop.ok('GET', `/api/v1/orders/${created_order_id}/items/`)
    await Promise.all([
      ...others.map(place),
      service.request('PATCH', `/api/v1/orders/${created_order_id}/items/${line.order_item_id}/`, {
        key: me.key,
        form: { quantity: 2, reason: 'Xaveria Quellmann miscounted.' },
      }),
      operators.ok('POST', `/operator/v1/clients/${me.client_id}/contacts/${me.contact_id}/erase/`),
    ])
    assert.deepEqual(await rowsWith(service, /Quellmann/), [])
  }
  await service.checkInvariants()
})

test('repeating the request that created a contact does not create an erased one again', async () => {
  const world = await makeWorld(service)
  const path = `/operator/v1/clients/${world.me.client_id}/contacts/`
  const create = () =>
    service.request('POST', path, {
      key: operators.keys.admin,
      json: { contact_name: 'Xaveria Quellmann', contact_email: 'xaveria@quellmann.example' },
      headers: { 'idempotency-key': 'again' },
    })
  const { contact_id } = (await create()).body.data
  await operators.ok('POST', `${contactPath(world, contact_id)}erase/`)
  const stored = await databaseDigest(service)
  const erased = { contact_id, contact_name: 'Erased contact', contact_email: null }
  assert.deepEqual((await create()).body.data, erased)
  assert.deepEqual(await databaseDigest(service), stored)
})

test('every column with a text of its own is declared: who writes it, and when it is erased', async () => {
  const columns = await service.sql(
    `select c.table_name || '.' || c.column_name as name
     from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
     where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.table_name <> 'events_before'
       and c.data_type in ('text', 'character varying', 'json', 'jsonb', 'bytea', 'ARRAY')`,
  )
  const sent = Object.keys(orderInputFields).map((name) => `orders.${name}`) // order-input.ts says when.
  assert.deepEqual(
    columns.map(({ name }) => String(name)).toSorted(),
    [...sent, ...Object.values(otherTexts).flat()].toSorted(),
  )
  assert(personalFields.length > 0)
})

/** The other texts. The tests of erasing search all rows of all tables, so a wrong entry of the first two lists fails. */
const otherTexts = {
  'Erased at once': [
    'adjustments.reason',
    'addresses.address_name', // With the row.
    ...Object.keys(addressSchemas).map((name) => `addresses.${name}`),
    'return_requests.reason',
    'client_words.word', // Those of a contact, by a trigger.
    'contacts.contact_email',
    'contacts.contact_name',
    'events.data', // Of contact.created and contact.changed. Other data of events: the next list.
    'operator_idempotency_keys.answer', // Of create-contact. Others have ids, figures and words of the catalogue.
  ],
  'Erased when the order is done (erase_addresses.sql)': [
    'adjustments.adjustment_canceled_message', // And its copy in events.data.
    'order_history.text',
    'order_metadata.key', // With the row, of the client and of the distributor; and events of its changes.
    'order_metadata.value',
    'order_notes.note_text',
    'order_returns.reason',
    'return_requests.canceled_message',
    'return_requests.instruction',
    'orders.request_digest',
    'orders.unique_reference',
    'shipments.carrier',
    'shipments.tracking',
  ],
  'Ends with the hold, so that no order that is done has one': ['orders.hold_reason'],
  "Deleted after 24 hours: answers about the client's carts and endpoints, and digests": [
    'idempotency_keys.answer',
    'idempotency_keys.idempotency_key',
    'idempotency_keys.request_digest',
    'operator_idempotency_keys.idempotency_key',
    'operator_idempotency_keys.request_digest',
  ],
  "An operator's id, or the key of a program": [
    'adjustments.decided_by',
    'audit_entries.actor',
    'catalogue_changes.actor',
    'events.actor',
    'imports.actor',
    'operator_idempotency_keys.actor',
    'operator_keys.issued_by',
    'operator_keys.operator_name',
    'operator_keys.revoked_by',
    'operator_sessions.ended_by',
    'operator_sessions.operator_name',
    'operator_sessions.owner',
    'operator_views.owner',
    'operator_views.owner_name',
    'order_history.actor',
    'order_notes.note_author',
    'order_returns.returned_by',
    'reject_reasons.changed_by',
    'return_requests.decided_by',
    'shipments.shipped_by',
  ],
  "An operator's name and account, erased with the operator (erase_operator.sql)": [
    'operators.operator_name',
    'operators.subject',
  ],
  "The distributor's own systems": ['feed_endpoints.last_failure', 'feed_endpoints.url'],
  "The company's, of no single contact: its names for itself, its carts, campaigns and endpoints, and its invoices": [
    'cart_groups.advertising',
    'carts.cart_name',
    'clients.client_name',
    'order_documents.number', // What the link leads to is in the ERP.
    'order_documents.url',
    'orders.order_advertising',
    'webhooks.url',
  ],
  "The operators' own, about companies, endpoints and their work": [
    'audit_entries.new_value', // Ids and figures, and names of carts and saved views.
    'audit_entries.old_value',
    'audit_entries.subject',
    'clients.block_reason',
    'clients.metadata',
    'contracts.block_reason',
    'contracts.contract_name',
    'operator_views.filters',
    'operator_views.view_name',
    'reject_reasons.reasons',
    'webhooks.last_failure',
    'webhooks.paused_text',
  ],
  'The catalogue, and what imports of it contain': [
    'brands.brand_name',
    'catalogue_changes.data',
    'import_batches.columns',
    'import_batches.counts',
    'import_batches.differences',
    'import_batches.refused',
    'import_changes.changes',
    'import_errors.details',
    'imports.digest',
    'imports.file_format',
    'imports.file_name',
    'imports.import_key',
    'item_words.word',
    'items.item_barcode',
    'items.metadata',
    'items.item_title',
    'items.item_vendor_code',
    'order_items.brand_name',
    'order_items.item_barcode',
    'order_items.item_title',
    'order_items.item_vendor_code',
    'order_items.product_name',
    'price_lists.price_list_name',
    'prices.break_prices',
    'prices.break_quantities',
    'products.product_name',
    'stocks.closed_weekdays',
    'stocks.stock_name',
  ],
  'One of a few words, or chosen by the service': [
    'adjustments.adjustment_status',
    'order_documents.kind',
    'return_requests.request_status',
    'api_keys.digest',
    'api_keys.scopes',
    'audit_entries.audit_action',
    'audit_entries.request_id',
    'audit_seals.hash',
    'audit_seals.previous_hash',
    'catalogue_changes.changed',
    'catalogue_changes.request_id',
    'contracts.tax_mode',
    'currencies.currency_code',
    'events.event_type',
    'events.request_id',
    'idempotency_keys.operation',
    'import_batches.done_in',
    'import_errors.code',
    'imports.import_kind',
    'imports.import_state',
    'imports.mode',
    'imports.request_id',
    'feed_deliveries.error',
    'feed_deliveries.message_id',
    'feed_endpoints.event_types',
    'feed_endpoints.lease',
    'feed_endpoints.paused_reason',
    'feed_endpoints.previous_secret',
    'feed_endpoints.secret',
    'installed_functions.digest',
    'installed_functions.file',
    'migrations.name',
    'open_figures.state_id',
    'operator_idempotency_keys.operation',
    'operator_keys.digest',
    'operator_keys.role',
    'operator_sessions.digest',
    'operator_sessions.role',
    'operators.issuer',
    'order_history.group',
    'order_history.state_id',
    'order_notes.request_id',
    'orders.cart_group_fingerprint',
    'orders.currency_code',
    'orders.order_state_id',
    'orders.state_before_request',
    'orders.tax_mode',
    'price_lists.currency_code',
    'webhook_deliveries.error',
    'webhook_deliveries.event_type',
    'webhooks.event_types',
    'webhooks.lease',
    'webhooks.paused_reason',
    'webhooks.previous_secret',
    'webhooks.secret',
    'worker_jobs.job_name',
  ],
}
