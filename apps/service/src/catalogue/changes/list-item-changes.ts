/** For those who keep a copy of what they may order: first all of it, then what has changed. */
import Type, { type Static } from 'typebox'
import { OfferedItem, contractNotFound, exampleOffer, itemsOf, offerColumns, type ItemInclude } from '../list-items.ts'
import type { Actor } from '../../identity/actor.ts'
import { idMax, type Field } from '../../input/fields.ts'
import { refer } from '../../vocabulary/schema-parts.ts'
import type { Database } from 'pg-statements/database.ts'
import { statement } from 'pg-statements/statement.ts'
import { bool, int4, int8, nullable, numeric, text } from 'pg-statements/types.ts'

const examplePosition = 'MC5iYjA2ZjQ4YTE0ZjAuMTIuMC4x'

export const ItemChanges = Type.Object(
  {
    items: Type.Array(refer(OfferedItem), { description: 'Items that are new or have changed, as they are now.' }),
    gone: Type.Array(Type.Integer(), {
      description: 'The ids of items that cannot be ordered any more. A copy may lack some of them.',
    }),
    replaces: Type.Union(
      [
        Type.Object({
          first_item_id: Type.Integer({ description: 'The first id of the range.' }),
          last_item_id: Type.Union([Type.Integer(), Type.Null()], {
            description: 'The last id of the range; null if it has no end.',
          }),
        }),
        Type.Null(),
      ],
      {
        description:
          'During a full pass, the range of ids of which `items` is everything: delete the other items of your copy that are in it. Otherwise null.',
      },
    ),
    after: Type.String({ description: 'The position after this page: store it together with the page.' }),
    more: Type.Boolean({ description: 'Whether the next page has something already.' }),
  },
  {
    $id: 'ItemChanges',
    description: 'A page of what has to be changed in a copy of the items.',
    examples: [{ items: [exampleOffer], gone: [1031], replaces: null, after: examplePosition, more: false }],
  },
)
export type ItemChanges = Static<typeof ItemChanges>

const listItemChangesSql = statement(new URL('list-item-changes.sql', import.meta.url), {
  parameters: {
    client_id: int8,
    contract_id: nullable(int8),
    net: bool,
    breaks: bool,
    included: text,
    generation: nullable(int4),
    terms_digest: nullable(text),
    position: nullable(int8),
    item_id: nullable(int8),
    full: bool,
    page_size: int8,
  },
  columns: {
    generation: int4,
    newest: int8,
    full: bool,
    position: int8,
    after_item: int8,
    terms_digest: text,
    seen: int8,
    last_position: nullable(int8),
    last_item: nullable(int8),
    ...offerColumns,
    item_id: nullable(int8),
    price: nullable(numeric),
  },
})

/** How far a reader is. During a full pass, `position` is where the changes begin that are read after it. */
interface Position {
  readonly generation: number
  readonly terms_digest: string
  readonly position: number
  /** The last item of the position, or of the full pass. */
  readonly item_id: number
  readonly full: boolean
}

const form = /^(\d{1,9})\.([0-9a-f]{12})\.(\d{1,15})\.(\d{1,16})\.([01])$/

const written = ({ generation, terms_digest, position, item_id, full }: Position): string =>
  Buffer.from([generation, terms_digest, position, item_id, Number(full)].join('.')).toString('base64url')

function readPosition(raw: string): Position | undefined {
  const [, generation, terms_digest = '', position, item_id, full] =
    form.exec(Buffer.from(raw, 'base64url').toString('latin1')) ?? []
  const read = {
    generation: Number(generation),
    terms_digest,
    position: Number(position),
    item_id: Number(item_id),
    full: full === '1',
  }
  return Number.isSafeInteger(read.item_id) && written(read) === raw ? read : undefined
}

export const afterPosition: Field<Position | undefined> = {
  required: false,
  schema: {
    type: 'string',
    maxLength: 100,
    description: 'The `after` of the page before. Without it, a full pass begins.',
    examples: [examplePosition],
  },
  rule: 'the `after` of an earlier answer',
  read: readPosition,
}

interface Asked {
  readonly after?: Position | undefined
  readonly contract_id?: number | undefined
  readonly include?: readonly ItemInclude[] | undefined
  readonly limit: number
}

export async function listItemChanges(db: Database, { client_id }: Actor, asked: Asked): Promise<ItemChanges> {
  const { after, contract_id, include, limit } = asked
  const rows = await db.rows(listItemChangesSql, {
    client_id,
    contract_id: contract_id ?? null,
    net: include?.includes('net') === true,
    breaks: include?.includes('price_breaks') === true,
    included: (include ?? []).toSorted().join(' '),
    generation: after?.generation ?? null,
    terms_digest: after?.terms_digest ?? null,
    position: after?.position ?? null,
    item_id: after?.item_id ?? null,
    full: after?.full ?? false,
    page_size: limit,
  })
  const [state] = rows
  if (state === undefined) throw contractNotFound(contract_id)
  const offered = rows.filter((row): row is typeof row & { price: number } => row.price !== null)
  const { generation, newest, full, position, terms_digest, last_position, last_item } = state
  const more = state.seen === limit && last_position !== null && last_item !== null
  const at = { generation, terms_digest }
  const next = more
    ? { ...at, position: last_position, item_id: last_item, full }
    : { ...at, position: full ? position : newest, item_id: idMax, full: false }
  return {
    items: itemsOf(offered, include),
    gone: full ? [] : rows.flatMap(({ item_id, price }) => (item_id !== null && price === null ? [item_id] : [])),
    replaces: full ? { first_item_id: state.after_item + 1, last_item_id: more ? last_item : null } : null,
    after: written(next),
    more: more || (full && newest > position),
  }
}

/** Names what can be read now: the position after which a full pass would read the changes. */
export const versionOfItems = async (db: Database, actor: Actor, asked: Omit<Asked, 'limit'>): Promise<string> =>
  (await listItemChanges(db, actor, { contract_id: asked.contract_id, include: asked.include, limit: 0 })).after
