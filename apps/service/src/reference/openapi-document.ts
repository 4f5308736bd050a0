/** An OpenAPI 3.1 document, generated from the routes of one side of the API. */
import { describeOperation, failureResponse } from './describe-operation.ts'
import { errorDetails } from './error-details.ts'
import { makePublisher, type Publisher } from './publish-schema.ts'
import { responseHeaders } from './response-headers.ts'
import { anyDetails, failureExample } from '../http/envelope.ts'
import { commonCodes, formatOf, refusalCodes } from '../http/routing/describe-route.ts'
import type { Route } from '../http/routing/route.ts'
import { errorCodeWords, refusals, type RefusalCode } from '../vocabulary/refusals.ts'
import { idempotencyKeyParameter } from '../retries/retry.ts'

export interface DocumentParts {
  readonly title: string
  readonly description: (commonCodes: readonly RefusalCode[]) => string
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly routes: readonly Route[]
  readonly body: 'form' | 'json'
  /** Every schema that a route may refer to, by its `$id`. */
  readonly schemas: readonly object[]
  /** The codes of the errors that a caller of these routes may meet. */
  readonly codes: readonly RefusalCode[]
  /** What a request repeated with its Idempotency-Key gets. */
  readonly retryAnswer: string
  readonly webhooks?: (publish: Publisher['publish']) => object
}

export function openapiDocument(parts: DocumentParts) {
  const { title, description, tags, routes, body, schemas, codes, retryAnswer, webhooks } = parts
  const { publish, components } = makePublisher(schemas)
  const byPath = Object.groupBy(routes, ({ path }) => path)
  const paths = Object.entries(byPath).map(([path, of = []]) => [
    path,
    Object.fromEntries(
      of.map((route) => [route.method.toLowerCase(), describeOperation(route, formatOf(route, body), publish)]),
    ),
  ])
  const common = [...new Set(routes.flatMap(commonCodes))]
  return withoutUnused({
    openapi: '3.1.0',
    info: {
      title,
      version: '1.0.0',
      description: description(common).trim(),
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'This service' }],
    security: [{ apiKey: [] }],
    tags,
    paths: Object.fromEntries(paths) as Record<string, object>,
    ...(webhooks === undefined ? {} : { webhooks: webhooks(publish) }),
    components: {
      responses: commonFailures(common, publish),
      parameters: { IdempotencyKey: idempotencyKeyParameter(retryAnswer) },
      headers: responseHeaders,
      examples: Object.fromEntries(codes.map((code) => [code, { value: failureExample(code) }])),
      securitySchemes: { apiKey },
      schemas: schemasWithErrors(components(), codes),
    },
  })
}

/** The schemas of failures, with the codes and the details of this side. */
function schemasWithErrors(
  schemas: Readonly<Record<string, object>>,
  codes: readonly RefusalCode[],
): Record<string, object> {
  const failure = JSON.stringify(schemas['Failure']).replace(
    JSON.stringify(anyDetails),
    '{"$ref":"#/components/schemas/ErrorDetails"}',
  )
  const sorted = Object.entries({
    ...schemas,
    ErrorCode: { ...schemas['ErrorCode'], enum: codes },
    ErrorDetails: errorDetails(codes, new Set(Object.keys(schemas))),
    Failure: JSON.parse(failure) as object,
  }).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(sorted)
}

/** Drops the components that nothing in the document refers to. */
function withoutUnused<D extends { components: Record<string, object> }>(document: D): D {
  const references = new Set(JSON.stringify(document).match(/#\/components\/[^"]+(?=")/g))
  const isUsed = (kind: string, name: string): boolean =>
    kind === 'securitySchemes' || references.has(`#/components/${kind}/${name}`)
  const components: Record<string, object> = {}
  for (const [kind, of] of Object.entries(document.components)) {
    const used = Object.entries(of).filter(([name]) => isUsed(kind, name))
    if (used.length > 0) components[kind] = Object.fromEntries(used)
  }
  return { ...document, components }
}

const apiKey = {
  type: 'apiKey',
  in: 'header',
  name: 'Authorization',
  description: 'The API key alone, without a scheme word.',
}

/** The errors that many operations share, for the responses `4XX` and `5XX` of each. */
function commonFailures(codes: readonly RefusalCode[], publish: Publisher['publish']): object {
  const header = (name: string): object => ({ [name]: { $ref: `#/components/headers/${name}` } })
  const isRefused = (code: RefusalCode): boolean => refusals[code].status < 500
  const refused = { ...header('WWW-Authenticate'), ...header('Allow'), ...header('Retry-After') }
  return {
    Refused: failureResponse(codes.filter(isRefused), {
      description: 'Any other refusal. The introduction explains those that many operations share, under *Errors*.',
      headers: refused,
      publish,
    }),
    Failed: failureResponse(
      codes.filter((code) => !isRefused(code)),
      {
        description: 'The service could not answer. The introduction explains why, under *Errors*.',
        headers: header('Retry-After'),
        publish,
      },
    ),
  }
}

/** Errors that no route declares, because the request has not reached one. */
const outsideRoutes: readonly RefusalCode[] = [
  'route_not_found',
  'method_not_allowed',
  'request_timed_out',
  'headers_too_large',
  'not_ready',
  'too_many_connections',
  'too_many_failed_keys',
  'shutting_down',
]

/** The codes of each side: what its routes declare, and errors of requests that reach no route. Imports have some more. */
export function codesOfSides(
  clientSide: readonly Route[],
  operatorSide: readonly Route[],
): { client: RefusalCode[]; operator: RefusalCode[] } {
  const declared = (routes: readonly Route[]): Set<RefusalCode> =>
    new Set(routes.flatMap((route) => [...refusalCodes(route), ...(route.rowCodes ?? [])]))
  const [client, operator] = [declared(clientSide), declared(operatorSide)]
  const all = errorCodeWords.words as RefusalCode[]
  return {
    client: all.filter((code) => client.has(code) || outsideRoutes.includes(code)),
    operator: all.filter((code) => operator.has(code) || !client.has(code)),
  }
}
