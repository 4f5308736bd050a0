/** The two OpenAPI documents, as they are checked in. */
import { readFileSync } from 'node:fs'

export interface Schema {
  readonly $ref?: string
  readonly type?: string | string[]
  readonly format?: string
  readonly enum?: unknown[]
  readonly description?: string
  readonly examples?: unknown[]
  readonly properties?: Record<string, Schema>
  readonly additionalProperties?: boolean
  readonly items?: Schema
  readonly anyOf?: Schema[]
  readonly oneOf?: Schema[]
}
export interface Response {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Record<string, object>
  readonly content?: Record<string, { schema: Schema; examples?: Record<string, object> }>
}
export interface DocumentedOperation {
  readonly summary?: string
  readonly description?: string
  readonly operationId: string
  readonly tags: string[]
  readonly parameters?: {
    $ref?: string
    name: string
    in: string
    description?: string
    example?: unknown
    examples?: Record<string, { value: unknown }>
    schema: Schema
  }[]
  readonly requestBody?: { content: Record<string, { schema: Schema; example?: Record<string, unknown> }> }
  readonly responses: Record<string, Response>
}
export interface Document {
  readonly openapi: string
  readonly info: { description: string }
  readonly tags: { name: string }[]
  readonly paths: Record<string, Record<string, DocumentedOperation>>
  readonly webhooks?: Record<string, { post: DocumentedOperation }>
  readonly components: {
    readonly schemas: Record<string, Schema>
    readonly responses: Record<string, Response>
    readonly parameters: Record<string, object>
  }
}

const read = (file: string): Document =>
  JSON.parse(readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')) as Document
export const documents = { client: read('openapi.json'), operator: read('operator-openapi.json') }

export const operationsOf = ({ paths }: Document): DocumentedOperation[] =>
  Object.values(paths).flatMap((methods) => Object.values(methods))

/** Without room for additions: for checking that a response has no field that its schema does not know. */
export function closed<T>(value: T): T {
  if (Array.isArray(value)) return value.map(closed) as T
  if (typeof value !== 'object' || value === null) return value
  const copy = Object.fromEntries(Object.entries(value).map(([name, of]) => [name, closed(of)])) as Schema
  const isObject = copy.type === 'object' && copy.properties !== undefined && copy.additionalProperties === undefined
  return { ...copy, ...(isObject ? { additionalProperties: false } : {}) } as T
}
