/** What the distributor keeps with an order, a client or an item under keys of its own. */
import { call, functionCall } from '../functions/call.ts'
import { metadataKeysMax, type Metadata } from '../input/metadata.ts'
import type { Database } from 'pg-statements/database.ts'
import { int4, int8, jsonOf, text } from 'pg-statements/types.ts'

const change = { changes: jsonOf<Metadata>(), keys_max: int4, actor: text, request_id: text }
const columns = { answer: jsonOf<Metadata>() }

const changeOrderMetadataSql = functionCall(new URL('change_order_metadata.sql', import.meta.url), {
  parameters: { order_id: int8, ...change },
  columns,
})

const changeClientMetadataSql = functionCall(new URL('change_client_metadata.sql', import.meta.url), {
  parameters: { client_id: int8, ...change },
  columns,
})

const changeItemMetadataSql = functionCall(new URL('change_item_metadata.sql', import.meta.url), {
  parameters: { item_id: int8, ...change },
  columns,
})

interface MetadataChange {
  readonly metadata: Metadata
  readonly actor: string
  readonly request_id: string
}
type Changed = Promise<{ metadata: Metadata }>

const valuesOf = ({ metadata, actor, request_id }: MetadataChange) => ({
  changes: metadata,
  keys_max: metadataKeysMax,
  actor,
  request_id,
})

export async function changeOrderMetadata(db: Database, input: MetadataChange & { order_id: number }): Changed {
  const { answer } = await call(db, changeOrderMetadataSql, { order_id: input.order_id, ...valuesOf(input) })
  return { metadata: answer }
}

export async function changeClientMetadata(db: Database, input: MetadataChange & { client_id: number }): Changed {
  const { answer } = await call(db, changeClientMetadataSql, { client_id: input.client_id, ...valuesOf(input) })
  return { metadata: answer }
}

export async function changeItemMetadata(db: Database, input: MetadataChange & { item_id: number }): Changed {
  const { answer } = await call(db, changeItemMetadataSql, { item_id: input.item_id, ...valuesOf(input) })
  return { metadata: answer }
}
