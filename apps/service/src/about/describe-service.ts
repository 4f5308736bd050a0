/** What a program needs to know to be configured: the service, its limits, and what its key may do. */
import assert from 'node:assert/strict'
import Type, { type Static } from 'typebox'
import { scopes, type Actor } from '../identity/actor.ts'
import { bulkRowsMax } from '../carts/tables/bulk-rows.ts'
import { cartsPerClientMax, emptyDaysMax, linesPerCartMax } from '../carts/cart.ts'
import { articlesMax } from '../catalogue/list-items.ts'
import { quantityMax } from '../input/fields.ts'
import { pageSizeMax } from '../vocabulary/paging.ts'
import { integerOrNull, textOrNull } from '../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, datetime, int8, nullable, text } from 'pg-statements/types.ts'

const exampleInfo = {
  service_version: '0.1.0',
  time_zone: 'Europe/Berlin',
  now: '2026-11-15 09:30:00',
  client_id: 17,
  client_name: 'Garage Weber',
  contact_id: 31,
  contact_name: 'Anna Weber',
  unique_references: true,
  key: { key_id: 204, scopes: [...scopes], expires_at: null, rate_per_second: 50, rate_burst: 100 },
  limits: {
    page_size: 500,
    carts: 1_000,
    empty_cart_days: 30,
    cart_lines: 1_000,
    line_quantity: 1_000_000,
    bulk_rows: 1_000,
    articles: 100,
    shipping_days_ahead: 3650,
    events_kept_days: 90,
  },
}

export const ServiceInfo = Type.Object(
  {
    service_version: Type.String({
      description: 'The release of the service. The version of the API is in its paths.',
    }),
    time_zone: Type.String({
      description: 'The zone of all days and times in requests and responses, by its IANA name.',
    }),
    now: Type.String({ description: "The service's time, in this zone." }),
    client_id: Type.Integer({ description: 'The client that the key belongs to.' }),
    client_name: Type.String({ description: 'Its name.' }),
    contact_id: Type.Integer({
      description: 'The contact that the key belongs to: the `order_contact_id` of its orders.',
    }),
    contact_name: Type.String({ description: 'The name of the contact.' }),
    unique_references: Type.Boolean({
      description: 'Whether a second order with the `reference` of another is refused.',
    }),
    key: Type.Object(
      {
        key_id: Type.Integer({ description: 'Identifies the key when you talk to the distributor.' }),
        scopes: Type.Array(Type.String(), { description: 'What the key may do.' }),
        expires_at: textOrNull('When it expires; null if never.'),
        rate_per_second: integerOrNull('Requests per second that it may send on average; null if that is not limited.'),
        rate_burst: integerOrNull('Requests that it may send at once; null if that is not limited.'),
      },
      { description: 'The key of this request.' },
    ),
    limits: Type.Object(
      {
        page_size: Type.Integer({ description: 'The largest `limit` of a list.' }),
        carts: Type.Integer({ description: 'Carts of a client.' }),
        empty_cart_days: Type.Integer({ description: 'Days after which an empty cart is deleted.' }),
        cart_lines: Type.Integer({ description: 'Lines of a cart.' }),
        line_quantity: Type.Integer({ description: 'Pieces of a line.' }),
        bulk_rows: Type.Integer({ description: 'Rows of one bulk request.' }),
        articles: Type.Integer({ description: 'Articles in one request of the list of items.' }),
        shipping_days_ahead: Type.Integer({ description: 'How many days ahead a shipping date may be.' }),
        events_kept_days: Type.Integer({ description: 'How many days events can be read.' }),
      },
      { description: 'The largest values that the service accepts.' },
    ),
  },
  {
    $id: 'ServiceInfo',
    description: 'The service as the key of the request sees it.',
    examples: [exampleInfo],
  },
)
export type ServiceInfo = Static<typeof ServiceInfo>

const describeServiceSql = statement(new URL('describe-service.sql', import.meta.url), {
  parameters: { client_id: int8, contact_id: int8, key_id: int8 },
  columns: {
    client_name: text,
    contact_name: text,
    unique_references: bool,
    expires_at: nullable(datetime),
    now: datetime,
  },
})

export interface ServiceSettings {
  readonly serviceVersion: string
  readonly timeZone: string
  readonly rateLimit: boolean
  readonly shippingDaysAheadMax: number
  readonly eventsKeptDays: number
}

export async function describeService(
  db: Database,
  { client_id, contact_id, key_id, scopes: held, rate_per_second, rate_burst }: Actor,
  { serviceVersion, timeZone, rateLimit, shippingDaysAheadMax, eventsKeptDays }: ServiceSettings,
): Promise<ServiceInfo> {
  const row = await db.row(describeServiceSql, { client_id, contact_id, key_id })
  assert(row) // Clients, contacts and keys are never deleted.
  return {
    service_version: serviceVersion,
    time_zone: timeZone,
    now: row.now,
    client_id,
    client_name: row.client_name,
    contact_id,
    contact_name: row.contact_name,
    unique_references: row.unique_references,
    key: {
      key_id,
      scopes: [...held],
      expires_at: row.expires_at,
      rate_per_second: rateLimit ? rate_per_second : null,
      rate_burst: rateLimit ? rate_burst : null,
    },
    limits: limitsOf({ shippingDaysAheadMax, eventsKeptDays }),
  }
}

const limitsOf = ({
  shippingDaysAheadMax,
  eventsKeptDays,
}: Pick<ServiceSettings, 'shippingDaysAheadMax' | 'eventsKeptDays'>): ServiceInfo['limits'] => ({
  page_size: pageSizeMax,
  carts: cartsPerClientMax,
  empty_cart_days: emptyDaysMax,
  cart_lines: linesPerCartMax,
  line_quantity: quantityMax,
  bulk_rows: bulkRowsMax,
  articles: articlesMax,
  shipping_days_ahead: shippingDaysAheadMax,
  events_kept_days: eventsKeptDays,
})

/** What holds for every key, for the page about the installation: it needs none. */
export function describeInstallation({
  serviceVersion,
  timeZone,
  ...settings
}: Omit<ServiceSettings, 'rateLimit'>): object {
  const fields = ServiceInfo.properties.limits.properties as Readonly<Record<string, { readonly description?: string }>>
  const limits = Object.entries(limitsOf(settings)).map(([name, value]) => [
    name,
    { value, about: fields[name]?.description },
  ])
  return { service_version: serviceVersion, time_zone: timeZone, limits: Object.fromEntries(limits) }
}
