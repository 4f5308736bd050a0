/** What the errors carry in `details`, from the types in `refusals.ts`: the client's types, and a schema for the documents. */
import { readFileSync } from 'node:fs'
import { exampleError, type RefusalCode } from '../vocabulary/refusals.ts'

/** The type of each error's details, as written in `refusals.ts`. On the wire, `field` is beside the details. */
export const detailTypes = Object.fromEntries(
  [
    ...readFileSync(new URL('../vocabulary/refusals.ts', import.meta.url), 'utf8').matchAll(
      /^ {2}(\w+): kind<([^]*?)>\(/gm,
    ),
  ].map(([, code = '', type = '']) => [
    code,
    type
      .replace(/^NoDetails$|^\{ field: string \}$/, 'Record<string, never>')
      .replace(/\/\*\*.*?\*\/\s*/g, '')
      .replace(/^\{ field: string; /, '{ ')
      .replace(/\s*\n\s*/g, '; ')
      .replace('{;', '{')
      .replace(/; \}$/, ' }'),
  ]),
) as Record<RefusalCode, string>

/**
 * One schema for the details of all errors: every member with the codes that carry it. A schema for each code would be
 * several times as long.
 */
export function errorDetails(codes: readonly RefusalCode[], words: ReadonlySet<string>): object {
  const members = new Map<string, { schemas: Set<string>; codes: RefusalCode[] }>()
  for (const code of codes)
    for (const [, name = '', type = ''] of detailTypes[code].matchAll(/(\w+)\??: ((?:\{[^}]*\}|[^;{}])+?)(?=;| \})/g)) {
      const { schemas, codes: earlier } = members.get(name) ?? { schemas: new Set(), codes: [] }
      members.set(name, {
        schemas: schemas.add(JSON.stringify(schemaOf(name, type, words))),
        codes: [...earlier, code],
      })
    }
  const properties = [...members]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => {
      const schemas = [...member.schemas].map((schema) => JSON.parse(schema) as object)
      const description = `Of ${member.codes.map((code) => `\`${code}\``).join(', ')}.`
      return [name, { ...(schemas.length === 1 ? schemas[0] : { anyOf: schemas }), description }]
    })
  return {
    type: 'object',
    description: 'The values in the message. Each error has the members of its code.',
    properties: Object.fromEntries(properties),
    examples: [exampleError('out_of_stock').details],
  }
}

/** Members that are words of a list, whose schema the document has. */
const lists: Readonly<Record<string, string>> = {
  order_state_id: 'OrderState',
  state_id: 'OrderState',
  adjustment_status: 'AdjustmentStatus',
  request_status: 'ReturnRequestStatus',
  kind: 'DocumentKind',
  role: 'Role',
  import_state: 'ImportState',
}

function schemaOf(name: string, type: string, words: ReadonlySet<string>): object {
  const list = lists[name]
  if (list !== undefined && words.has(list)) return { $ref: `#/components/schemas/${list}` }
  const orNull = type.endsWith(' | null')
  const plain = type.replace(/ \| null$/, '').replace(/^readonly /, '')
  if (plain.endsWith('[]')) return { type: 'array', items: itemsOf(plain) }
  const kind = plain === 'number' ? (isWhole(name) ? 'integer' : 'number') : plain === 'boolean' ? 'boolean' : 'string'
  return { type: orNull ? [kind, 'null'] : kind, ...(kind === 'integer' ? { format: 'int64' } : {}) }
}

const itemsOf = (type: string): object =>
  type === 'number[]' // Of ids.
    ? { type: 'integer', format: 'int64' }
    : { type: /[{o]bject|^\{/.test(type) ? 'object' : 'string' }

/** Ids and counts; other numbers may be amounts of money. */
const isWhole = (name: string): boolean => /(^|_)id$|^replaced_by$/.test(name)
