/** What the client has sent with an order under keys of its own, and what the distributor keeps with it. */
import { metadataOf, type Metadata } from '../input/metadata.ts'
import type { Values } from 'pg-statements/statement.ts'
import { bool, text } from 'pg-statements/types.ts'

/** Columns of a pair (m), packed in shown_orders.sql. */
export const metadataFields = { by_client: bool, key: text, value: text }

export const sentMetadata = metadataOf('What the client has sent with the order, by its own keys.')

export const metadataBy = (
  writer: 'client' | 'distributor',
  rows: readonly Values<typeof metadataFields>[],
): Metadata =>
  Object.fromEntries(
    rows.filter(({ by_client }) => by_client === (writer === 'client')).map(({ key, value }) => [key, value]),
  )
