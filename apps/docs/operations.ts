/**
 * The operations of an OpenAPI document as pages, one for each tag: to be found by the search, to be read without the
 * script of the reference, and to be fetched by programs.
 */

interface SchemaPart {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly properties?: Readonly<Record<string, SchemaPart>>
  readonly required?: readonly string[]
  readonly items?: SchemaPart
  readonly anyOf?: readonly SchemaPart[]
}

interface Parameter {
  readonly $ref?: string
  readonly description?: string
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly schema: SchemaPart
}

interface DocumentedOperation {
  readonly tags: readonly string[]
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: SchemaPart }>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, { examples?: object }>> }>>
}

interface DocumentedApi {
  readonly info: { readonly title: string }
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly schemas: Readonly<Record<string, SchemaPart>>
  }
}

export function renderOperations(api: DocumentedApi, tags: readonly string[]): Record<string, string> {
  const isOperators = api.info.title.endsWith('operators')
  return Object.fromEntries(
    tags.map((tag) => {
      const slug = tag.toLowerCase().replaceAll(' ', '-')
      const about = api.tags.find(({ name }) => name === tag)?.description ?? ''
      const operations = Object.entries(api.paths).flatMap(([path, methods]) =>
        Object.entries(methods).flatMap(([method, operation]) =>
          operation.tags[0] === tag ? [renderOperation(api, method.toUpperCase(), path, operation, isOperators)] : [],
        ),
      )
      const title = `${tag}: operations${isOperators ? ' of operators' : ''}`
      return [slug, `# ${title}\n\n${about}\n\n${operations.join('\n\n')}\n`]
    }),
  )
}

function renderOperation(
  api: DocumentedApi,
  method: string,
  path: string,
  operation: DocumentedOperation,
  isOperators: boolean,
): string {
  const { operationId, summary, description, parameters = [], requestBody, responses, tags } = operation
  const tag = tags[0]?.toLowerCase().replaceAll(' ', '-')
  const page = isOperators ? 'operator-api' : 'api'
  const known = parameters.map((one) =>
    one.$ref === undefined ? one : (api.components.parameters[nameOf(one.$ref)] ?? one),
  )
  const rows = [
    ...known.map((one) => rowOf(one.name, one.in, one.required === true, one.schema, one.description)),
    ...bodyRows(requestBody),
  ]
  const success = responses['200']?.content?.['application/json'] as { schema?: SchemaPart } | undefined
  const data = success?.schema?.properties?.['data']
  const errors = Object.entries(responses).flatMap(([status, { content = {} }]) =>
    Object.keys(content['application/json']?.examples ?? {}).map((code) => [status, code] as const),
  )
  return [
    `## ${summary} {#${operationId}}`,
    `\`${method} ${path}\`, \`${operationId}\`. [Try it](../../${page}.md#tag/${tag}/${method}${path}).`,
    description.replace(/\n*Guides: [^\n]*$/, (guides) =>
      guides.replaceAll(/\]\(\/docs\/([^)]+)\)/g, '](../../$1.md)'),
    ),
    ...(rows.length === 0 ? [] : [`| field | in | type | meaning |\n|---|---|---|---|\n${rows.join('\n')}`]),
    ...(data === undefined ? [] : [`Returns ${typeName(data)} in \`data\`.`]),
    ...(errors.length === 0
      ? []
      : [
          `Errors of its own: ${errors.map(([status, code]) => `${status} [\`${code}\`](../errors.md#${code})`).join(', ')}.`,
        ]),
  ].join('\n\n')
}

const nameOf = ($ref: string): string => $ref.split('/').at(-1) ?? ''

/** All media types of a body have the same fields, except for rows of tables. */
function bodyRows(requestBody: DocumentedOperation['requestBody']): string[] {
  const { properties = {}, required = [] } = Object.values(requestBody?.content ?? {})[0]?.schema ?? {}
  return Object.entries(properties).map(([name, schema]) => rowOf(name, 'body', required.includes(name), schema))
}

function rowOf(
  name: string,
  place: string,
  required: boolean,
  schema: SchemaPart,
  description = schema.description,
): string {
  const text = (description ?? '').replaceAll('|', '\\|').replaceAll('\n', ' ')
  return `| \`${name}\`${required ? '' : ' (optional)'} | ${place} | ${typeName(schema)} | ${text} |`
}

function typeName({ $ref, type, items, anyOf }: SchemaPart): string {
  if ($ref !== undefined) return nameOf($ref)
  if (anyOf !== undefined) return anyOf.map(typeName).join(' or ')
  if (items !== undefined) return `array of ${typeName(items)}`
  return [type ?? 'object'].flat().join(' or ')
}
