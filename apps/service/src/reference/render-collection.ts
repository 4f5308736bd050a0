/**
 * The operations of the client's document as a collection for Bruno (https://www.usebruno.com), in `docs/collection/`. Every
 * request is filled in with the examples of the reference, which succeed in a fresh demo.
 */

interface Described {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly $ref?: string
    readonly name: string
    readonly in: string
    readonly example?: unknown
    readonly examples?: { readonly filled?: { readonly value: unknown } }
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: BodySchema }>> }
}

interface BodySchema {
  readonly properties?: Readonly<
    Record<string, { readonly examples?: readonly unknown[]; readonly 'x-days-ahead'?: number }>
  >
}

interface ClientDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
}

export const collectionFolder = 'docs/collection/'

/** `demoKey` is the key of the client of the examples. */
export function renderCollection(openapi: string, demoKey: string): Record<string, string> {
  const { tags, paths } = JSON.parse(openapi) as ClientDocument
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const files: Record<string, string> = {
    'bruno.json': `${JSON.stringify({ version: '1', name: 'Parts Ordering Service', type: 'collection', ignore: [] }, null, 2)}\n`,
    'collection.bru': collection,
    'environments/demo.bru': dictionary('vars', { url: 'http://127.0.0.1:8080', key: demoKey }),
    'environments/yours.bru': `${dictionary('vars', { url: 'https://parts.example.com' })}vars:secret [\n  key\n]\n`,
  }
  for (const [i, { name, description }] of tags.entries())
    files[`${folderOf(name)}/folder.bru`] = blocks(dictionary('meta', { name, seq: i + 1 }), text('docs', description))
  for (const [i, { path, method, operation }] of operations.entries())
    files[`${folderOf(operation.tags[0] ?? '')}/${operation.operationId}.bru`] = renderRequest(
      path,
      method,
      operation,
      i + 1,
    )
  return Object.fromEntries(Object.entries(files).map(([name, content]) => [collectionFolder + name, content]))
}

/** A script, because examples of days to come cannot be stored. */
const collection = blocks(
  dictionary('headers', { Authorization: '{{key}}' }),
  text(
    'script:pre-request',
    "bru.setVar('in_7_days', new Date(Date.now() + 7 * 24 * 60 * 60 * 1000).toISOString().slice(0, 10));",
  ),
  text(
    'docs',
    'Generated from the API reference by `npm run generate`. Choose the environment `demo` and start `npm run demo -- --fresh`: every request then succeeds as it is, once. For your own installation, choose `yours`, and enter its address and your key.',
  ),
)

function renderRequest(path: string, method: string, operation: Described, seq: number): string {
  const { parameters = [], requestBody, summary, description } = operation
  const media = Object.keys(requestBody?.content ?? {})[0]
  const kind = media === undefined ? 'none' : media === 'application/json' ? 'json' : 'formUrlEncoded'
  const fields = Object.entries(requestBody?.content[media ?? '']?.schema.properties ?? {}).map(
    ([name, { examples = [], 'x-days-ahead': days }]) =>
      [name, days === undefined ? examples[0] : `{{in_${days}_days}}`] as const,
  )
  const inPath = parameters.filter((one) => one.in === 'path').map(({ name, example }) => [name, example] as const)
  const inQuery = parameters.flatMap(({ name, in: place, examples }) =>
    place === 'query' && examples?.filled ? [[`~${name}`, [examples.filled.value].flat().join(',')] as const] : [],
  )
  return blocks(
    dictionary('meta', { name: summary, type: 'http', seq }),
    dictionary(method, {
      url: `{{url}}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
      body: kind,
      auth: 'none',
    }),
    inQuery.length > 0 && dictionary('params:query', Object.fromEntries(inQuery)),
    inPath.length > 0 && dictionary('params:path', Object.fromEntries(inPath)),
    parameters.some(({ $ref }) => $ref?.endsWith('/IdempotencyKey')) &&
      dictionary('headers', { 'Idempotency-Key': '{{$randomUUID}}' }),
    kind === 'formUrlEncoded' && dictionary('body:form-urlencoded', Object.fromEntries(fields)),
    kind === 'json' && text('body:json', JSON.stringify(Object.fromEntries(fields), null, 2)),
    dictionary('assert', { 'res.status': 'eq 200' }),
    text('docs', description.replace(/\n\nGuides: .*$/, '')), // Their addresses are those of the service.
  )
}

const folderOf = (tag: string): string => tag.toLowerCase().replaceAll(' ', '-')

function blocks(...all: (string | false)[]): string {
  return all.filter((one) => one !== false).join('\n')
}

function dictionary(name: string, entries: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(entries).map(([key, value]) => `  ${key}: ${String(value)}\n`)
  return `${name} {\n${lines.join('')}}\n`
}

function text(name: string, content: string): string {
  return `${name} {\n${content.replaceAll(/^(?=.)/gm, '  ')}\n}\n`
}
