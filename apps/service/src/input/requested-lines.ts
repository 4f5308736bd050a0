/** The lines that an operator orders for a client. */
import { id, integer, listOf, optional, quantityMax, text, type Field, type FieldValues } from './fields.ts'

const requestedLineFields = {
  item_id: optional(id('The item; or `article`.', 1024)),
  article: optional(
    text({ description: 'The article; case, spaces, dashes, dots and slashes do not matter.', example: 'JF-11024' }),
  ),
  brand: optional(
    text({ description: 'The name of the brand, if several brands have the article.', example: 'Bremsen Nord' }),
  ),
  quantity: integer({ min: 1, max: quantityMax, description: 'Number of pieces.', example: 4 }),
}
export type RequestedLine = Partial<FieldValues<typeof requestedLineFields>> & { readonly quantity: number }

/** A JSON array of lines to order, each an item by id or article, with a quantity. */
export function requestedLines(options: { max: number; description: string }): Field<RequestedLine[]> {
  const { max, description } = options
  const properties = Object.fromEntries(Object.entries(requestedLineFields).map(([name, { schema }]) => [name, schema]))
  return {
    required: true,
    schema: {
      type: 'array',
      items: { type: 'object', properties, required: ['quantity'], additionalProperties: false },
      minItems: 1,
      maxItems: max,
      description,
      examples: [[{ article: 'JF-11024', quantity: 4 }]],
    },
    rule: `a list of 1 to ${max} lines, each {"item_id" or "article", "quantity"} and, if need be, "brand"`,
    read: (raw) => {
      const given = listOf(raw)
      const lines = given.map(requestedLineOf).filter((line) => line !== undefined)
      return lines.length === given.length && lines.length >= 1 && lines.length <= max ? lines : undefined
    },
  }
}

/** Undefined unless it is an object with valid members, one of which names the item. */
function requestedLineOf(given: unknown): RequestedLine | undefined {
  if (typeof given !== 'object' || given === null) return undefined
  const members = new Map(Object.entries(given))
  const numbers = ['item_id', 'quantity']
  for (const [name, value] of members) {
    if (!Object.hasOwn(requestedLineFields, name)) return undefined
    if (typeof value !== (numbers.includes(name) ? 'number' : 'string')) return undefined
  }
  const member = <T>(name: string, field: Field<T>): T | undefined =>
    members.has(name) ? field.read(String(members.get(name))) : undefined
  const item_id = member('item_id', requestedLineFields.item_id)
  const article = member('article', requestedLineFields.article)
  const brand = member('brand', requestedLineFields.brand)
  const quantity = member('quantity', requestedLineFields.quantity)
  const read = Object.values({ item_id, article, brand, quantity }).filter((value) => value !== undefined)
  if (quantity === undefined || (item_id ?? article) === undefined || read.length !== members.size) return undefined
  return { item_id, article, brand, quantity }
}
