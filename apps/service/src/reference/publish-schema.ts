/**
 * Schemas as the API reference shows them. The routes' own schemas say how a response is serialised; what every client
 * must know of every schema is added here, so that a new schema cannot forget it:
 * - Integers have the format int64: ids are larger than 32 bits.
 * - A list of words (schema-parts.ts) is shown once, by its name, as an enum that may grow.
 * - Schemas with an `$id` are shown once, among the components, and only if the document refers to them.
 */
import assert from 'node:assert/strict'

export interface Publisher {
  readonly publish: (schema: object) => object
  /** Everything that the published schemas refer to, by name. */
  readonly components: () => Readonly<Record<string, object>>
}

interface Schema {
  readonly $id?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly title?: string
  readonly $comment?: string
  readonly $ref?: string
  readonly format?: string
  readonly description?: string
}

const growing = 'New values may be added: expect values that you do not know.'

export function makePublisher(schemas: readonly Schema[]): Publisher {
  const known = new Map(schemas.map((schema) => [schema.$id, schema]))
  const components: Record<string, object> = {}

  function publish(schema: Schema): object {
    if (schema.$ref !== undefined) return { ...schema, $ref: component(schema.$ref.replace(/#$/, ''), find) }
    if (schema.enum !== undefined && schema.title !== undefined) return publishWords(schema, schema.title)
    const published = Object.entries(schema)
      .filter(([keyword]) => keyword !== '$id')
      .map(([keyword, value]) => [keyword, publishKeyword(keyword, value)])
    const isInteger = schema.type === 'integer' && schema.format === undefined
    return { ...Object.fromEntries(published), ...(isInteger ? { format: 'int64' } : {}) }
  }

  function publishKeyword(keyword: string, value: unknown): unknown {
    switch (keyword) {
      case 'properties':
        return Object.fromEntries(Object.entries(Object(value)).map(([name, of]) => [name, publish(Object(of))]))
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return (value as object[]).map(publish)
      case 'items':
        return publish(Object(value))
      default:
        return value
    }
  }

  function publishWords({ type, enum: words, $comment, description }: Schema, title: string): object {
    const $ref = component(title, () => ({ type: 'string', enum: words, description: `${$comment} ${growing}` }))
    return type === 'string' ? { $ref, description } : { anyOf: [{ $ref }, { type: 'null' }], description }
  }

  function find(name: string): object {
    const schema = known.get(name)
    assert(schema, `No schema is called ${name}: list it in app.ts.`)
    return publish(schema)
  }

  /** The place of a component, which is made when it is first needed. */
  function component(name: string, make: (name: string) => object): string {
    if (components[name] === undefined) {
      components[name] = {} // Before it is made, because it may refer to itself.
      components[name] = make(name)
    }
    return `#/components/schemas/${name}`
  }

  const byName = (): Record<string, object> =>
    Object.fromEntries(Object.entries(components).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  return { publish, components: byName }
}
