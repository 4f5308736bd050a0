/** A route as an operation of the OpenAPI document. */
import { guidesOf } from './guides.ts'
import type { Publisher } from './publish-schema.ts'
import { headersOfDeprecated } from './response-headers.ts'
import { requiredScopes, roleNames, roles } from '../identity/actor.ts'
import { responseSchema } from '../http/routing/describe-route.ts'
import { bodyFormats, type BodyFormat } from '../http/routing/read-request.ts'
import type { Route } from '../http/routing/route.ts'
import type { Field, Fields } from '../input/fields.ts'
import { tableMedia, type TableShape } from '../input/table-body.ts'
import { refusals, type RefusalCode } from '../vocabulary/refusals.ts'

export function describeOperation(route: Route, format: BodyFormat, publish: Publisher['publish']): object {
  const { params = {}, query = {}, takesIdempotencyKey } = route
  const scopes = requiredScopes(route)
  const parameters = [
    ...parametersOf(params, 'path', publish),
    ...parametersOf(query, 'query', publish),
    ...(takesIdempotencyKey === true ? [idempotencyKey] : []),
  ]
  const content = contentOf(route, format, publish)
  return {
    tags: [route.tag],
    summary: route.summary,
    description: descriptionOf(route),
    operationId: route.operationId,
    ...(route.deprecated === undefined ? {} : { deprecated: true }),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(content === undefined ? {} : { requestBody: { required: true, content } }),
    responses: {
      200: {
        description: route.paged === true ? 'Success, with one page of the list.' : 'Success.',
        headers: headersOf(route),
        content: {
          'application/json': { schema: publish(responseSchema(route)) },
          // Not the file of a client's list: generated clients would return a JSON object or a text.
          ...(route.csv === true && route.file === undefined ? csvContent : {}),
          ...(route.page === undefined ? {} : pageContent),
        },
      },
      ...ownFailures(route.refusals, publish),
      '4XX': { $ref: '#/components/responses/Refused' },
      '5XX': { $ref: '#/components/responses/Failed' },
    },
    ...(scopes.length === 0 ? {} : { security: [{ apiKey: scopes }] }),
    ...(route.trace === undefined ? {} : { 'x-trace': route.trace }),
  }
}

const pageContent = {
  'text/html': { schema: { type: 'string', description: 'With `Accept: text/html`: a page to print on A4.' } },
}

const csvContent = {
  'text/csv': {
    schema: {
      type: 'string',
      description:
        'With `Accept: text/csv`: the whole list from the `cursor` on, or with a `limit` one page of it. The first line names the columns, which are the members of a row; `a.b` is the member `b` of the object `a`. A list within a row is written as JSON. A text that a spreadsheet would take for a formula, because it begins with `=`, `+`, `-` or `@`, has an apostrophe before it; so has each part of a text after a comma, semicolon, tab, `|` or line break.',
    },
  },
}

/** The reference's own sentence about keys comes last, so that a summary of the first sentence stays useful. */
function descriptionOf(route: Route): string {
  const { description, rowCodes, permission, deprecated, trace } = route
  const scopes = requiredScopes(route).map((scope) => `\`${scope}\``)
  const refusedRows =
    rowCodes &&
    `A row may be refused with ${rowCodes.map((code) => `\`${code}\``).join(', ')}, or with an error of its fields.`
  const needed =
    scopes.length > 0
      ? `Needs the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.join(' and ')}.`
      : permission !== undefined
        ? `Needs the role ${roleNames.filter((role) => roles[role].includes(permission)).join(', ')}.`
        : 'Any valid key may use it.'
  const guides = guidesOf(route.operationId).map(({ title, path }) => `[${title}](${path})`)
  const inGuides = guides.length === 0 ? undefined : `Guides: ${guides.join(', ')}.`
  const notice =
    deprecated &&
    `Deprecated since ${deprecated.since}. It works until ${deprecated.sunset} at least. [What to use instead](${deprecated.link}).`
  return [description, notice, refusedRows, needed, trace && `Trace: ${trace}.`, inGuides]
    .filter((text) => text !== undefined)
    .join('\n\n')
}

function parametersOf(fields: Fields, place: 'path' | 'query', publish: Publisher['publish']): object[] {
  return Object.entries(fields).map(([name, { required, schema }]) => {
    const { description, examples, ...rest } = schema as { type: string; description?: string; examples?: unknown[] }
    return {
      name,
      in: place,
      required,
      description,
      ...(rest.type === 'array' ? { style: 'form', explode: false } : {}), // One text, separated by commas.
      schema: publish(rest),
      ...exampleOf(examples?.[0], required),
    }
  })
}

/** The page sends examples of required parameters only; those of the others are shown, and sent if they are ticked. */
const exampleOf = (value: unknown, required: boolean): object =>
  value === undefined ? {} : required ? { example: value } : { examples: { filled: { value, 'x-disabled': true } } }

const idempotencyKey = { $ref: '#/components/parameters/IdempotencyKey' }

/** The body by media type. */
function contentOf(
  { form, rows, table, partial }: Route,
  format: BodyFormat,
  publish: Publisher['publish'],
): object | undefined {
  if (table !== undefined) return tableContent(table, publish)
  const fields = form ?? rows
  if (fields === undefined) return undefined
  const schema = publish({ ...objectSchema(fields), ...(partial === true ? { minProperties: 1 } : {}) })
  return Object.fromEntries(bodyFormats[format].media.map((media) => [media, { schema, ...exampleOfBody(fields) }]))
}

/** Where fields exclude each other, an example of each field would not make an example of the body. */
function exampleOfBody(fields: Fields): { example?: object } {
  const others = new Set(Object.values(fields).map((field) => field.unless))
  const shown = Object.entries(fields).filter(([name]) => !others.has(name))
  if (shown.length === Object.keys(fields).length) return {}
  return { example: Object.fromEntries(shown.map(([name, field]) => [name, fieldExample(field)])) }
}

/** Requests are closed: an unknown field is refused. */
function objectSchema(fields: Fields): object {
  const needed = Object.entries(fields).filter(([, field]) => field.required)
  const required = needed.flatMap(([name, field]) => (field.unless === undefined ? [name] : []))
  const replaced = needed.filter(([, field]) => field.unless !== undefined)
  const others = new Set(replaced.map(([, field]) => field.unless))
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    ...(replaced.length > 0
      ? {
          anyOf: [{ required: replaced.map(([name]) => name) }, ...[...others].map((other) => ({ required: [other] }))],
        }
      : {}),
  }
}

/** JSON is described as rows, CSV as a text. */
function tableContent({ fields, order, rowsMax }: TableShape, publish: Publisher['publish']): object {
  const example = Object.fromEntries(order.map((name) => [name, fieldExample(fields[name])]))
  const rows = {
    type: 'array',
    items: objectSchema(fields),
    minItems: 1,
    maxItems: rowsMax,
    description: 'The rows. The array may also be sent without the object around it.',
    examples: [[example]],
  }
  const json = publish({ type: 'object', additionalProperties: false, properties: { rows }, required: ['rows'] })
  const text = (separator: string): object => ({
    schema: {
      type: 'string',
      description: 'The first line names the columns, in any order. Without it, the columns are those of the example.',
      examples: [[Object.keys(example), Object.values(example)].map((line) => line.join(separator)).join('\n')],
    },
  })
  return { [tableMedia.json]: { schema: json }, [tableMedia.csv]: text(';'), [tableMedia.tsv]: text('\t') }
}

const fieldExample = (field: Field<unknown> | undefined): unknown =>
  (field?.schema['examples'] as unknown[] | undefined)?.[0]

const header = (name: string): object => ({ $ref: `#/components/headers/${name}` })

function headersOf({ paged, permission, cacheSeconds, deprecated }: Route): object {
  return {
    'X-Request-Id': header('X-Request-Id'),
    ...(permission === undefined
      ? { RateLimit: header('RateLimit'), 'RateLimit-Policy': header('RateLimit-Policy') }
      : {}),
    ...(paged === true ? { Link: header('Link') } : {}),
    ...(deprecated === undefined ? {} : headersOfDeprecated(deprecated)),
    ...(cacheSeconds === undefined ? {} : { ETag: header('ETag'), 'Cache-Control': header('Cache-Control') }),
  }
}

/** By status, the codes that the route declares. The introduction explains those that many operations share. */
function ownFailures(codes: readonly RefusalCode[], publish: Publisher['publish']): object {
  const byStatus = Object.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, of = []]) => {
      const description = of.map((code) => `- \`${code}\`: ${refusals[code].meaning}`).join('\n')
      return [status, failureResponse(of, { description, publish })]
    }),
  )
}

interface FailureParts {
  readonly description: string
  readonly headers?: object
  readonly publish: Publisher['publish']
}

export function failureResponse(
  codes: readonly RefusalCode[],
  { description, headers = {}, publish }: FailureParts,
): object {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description,
    headers: { 'X-Request-Id': header('X-Request-Id'), ...headers },
    content: {
      'application/json': { schema: publish({ $ref: 'Failure#' }), examples: Object.fromEntries(examples) },
    },
  }
}
