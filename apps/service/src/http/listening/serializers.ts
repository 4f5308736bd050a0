/**
 * The serializers of answers, each built with only the schemas that it refers to. Fastify would build each with all
 * schemas, which makes up two thirds of the CPU time of a start.
 */
import fastJsonStringify from 'fast-json-stringify'

type Schema = Parameters<typeof fastJsonStringify>[0]
type Schemas = Readonly<Record<string, Schema>>

type Serializer = (answer: unknown) => string

/** For Fastify's `compilersFactory`, which passes all schemas by their `$id`. */
export const buildSerializer = (schemas: unknown) => {
  const all = schemas as Schemas
  const built = new Map<string, Serializer>() // GET and HEAD of a route have the same.
  return (route: { readonly schema?: unknown }): Serializer => {
    const schema = route.schema as Schema
    const text = JSON.stringify(schema)
    const serializer = built.get(text) ?? fastJsonStringify(schema, { schema: referredTo(schema, all) })
    built.set(text, serializer)
    return serializer
  }
}

function referredTo(schema: Schema, all: Schemas): Schemas {
  const found: Record<string, Schema> = {}
  const look = (at: Schema): void => {
    for (const [, id = ''] of JSON.stringify(at).matchAll(/"\$ref":"([^"#]+)#?"/g)) {
      const target = all[id]
      if (target === undefined || id in found) continue
      found[id] = target
      look(target)
    }
  }
  look(schema)
  return found
}
