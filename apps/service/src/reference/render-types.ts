/** TypeScript types from the schemas of the published documents. */

export interface ClientSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly ClientSchema[]
  readonly oneOf?: readonly ClientSchema[]
  readonly items?: ClientSchema
  readonly properties?: Readonly<Record<string, ClientSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | ClientSchema
  readonly description?: string
}

export interface ClientParameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description?: string
  readonly schema: ClientSchema
}

export function typeOf(schema: ClientSchema, indent = ''): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) ?? ''
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return schema.enum.map(literal).join(' | ')
  const union = schema.anyOf ?? schema.oneOf
  if (union) return union.map((one) => typeOf(one, indent)).join(' | ')
  if (Array.isArray(schema.type))
    return schema.type.map((type: string) => typeOf({ ...schema, type }, indent)).join(' | ')
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `${group(typeOf(schema.items ?? {}, indent))}[]`
    case 'object':
      return objectType(schema, indent)
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    default:
      return 'unknown'
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: ClientSchema, indent: string): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${documented(schema.description, inner)}${inner}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(schema, inner)}`,
  )
  if (lines.length > 0) return `{\n${lines.join('\n')}\n${indent}}`
  return typeof additionalProperties === 'object'
    ? `Record<string, ${typeOf(additionalProperties, indent)}>`
    : 'Record<string, unknown>'
}

/** What a caller passes: words of a list alone or as an array, and `undefined` for what is not sent. */
export function parametersOf(parameters: readonly ClientParameter[], body: ClientSchema | undefined): string {
  const fields = [
    ...parameters.map(({ name, required = false, description, schema }) => ({ name, required, description, schema })),
    ...Object.entries(body?.properties ?? {}).map(([name, schema]) => ({
      name,
      required: body?.required?.includes(name) ?? false,
      description: schema.description,
      schema,
    })),
  ]
  const lines = fields.map(({ name, required, description, schema }) => {
    const isParameter = parameters.some((parameter) => parameter.name === name)
    // An order's path takes its id or `number-…`.
    const alone = schema.type === 'array' ? typeOf(schema.items ?? {}, '  ') : name.endsWith('_id') ? 'number' : ''
    const one = isParameter && alone !== '' && alone !== typeOf(schema) ? `${alone} | ` : ''
    const type = `${one}${schema.type === 'array' ? 'readonly ' : ''}${typeOf(schema, '  ')}`
    return `${documented(description, '  ')}  ${key(name)}${required ? '' : '?'}: ${type}${required ? '' : ' | undefined'}`
  })
  return `{\n${lines.join('\n')}\n}`
}

/** Where one of several sets of fields is required. */
export const alternativesOf = ({ anyOf = [], properties = {} }: ClientSchema = {}): string =>
  anyOf
    .map(({ required = [] }) => required.map((name) => `${key(name)}: ${typeOf(properties[name] ?? {})}`).join('; '))
    .map((fields) => `{ ${fields} }`)
    .join(' | ')

export function documented(description: string | undefined, indent = ''): string {
  return description === undefined
    ? ''
    : `${indent}/** ${description.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
}

const literal = (value: unknown): string => (typeof value === 'string' ? `'${value}'` : String(value))
const key = (name: string): string => (/^\w+$/.test(name) ? name : `'${name}'`)
const group = (type: string): string => (/ \| /.test(type) && !type.startsWith('{') ? `(${type})` : type)
