/** A route's description for the reference, as the schema that Fastify and @fastify/swagger expect. */
import type { FastifySchema } from 'fastify'
import { dataEnvelope, pagedEnvelope } from '../envelope.ts'
import type { Fields } from '../../input/fields.ts'
import { refusals, type RefusalCode } from '../../refusals.ts'
import { idempotencyKeySchema } from '../../retries/retry.ts'
import { bodyFormats, type BodyFormat } from './read-body.ts'
import type { Route } from './route.ts'

declare module 'fastify' {
  interface FastifySchema {
    /** For the reference only. As `response`, Fastify would compile a serialiser for each: most of the start-up time. */
    failures?: object
  }
}

export function describeRoute(route: Route, format: BodyFormat): FastifySchema {
  const { params = {}, query = {}, form = {} } = route
  return {
    tags: [route.tag],
    summary: route.summary,
    operationId: route.operationId,
    consumes: [...bodyFormats[format].media],
    ...(route.description === undefined ? {} : { description: route.description }),
    ...(Object.keys(params).length > 0 ? { params: objectSchema(params) } : {}),
    ...(Object.keys(query).length > 0 ? { querystring: objectSchema(query) } : {}),
    ...(route.takesIdempotencyKey === true ? { headers: idempotencyKeySchema } : {}),
    ...(Object.keys(form).length > 0 ? { body: bodySchema(route, form) } : {}),
    ...(route.rows === undefined ? {} : { body: objectSchema(route.rows) }),
    response: { 200: route.paged === true ? pagedEnvelope(route.data) : dataEnvelope(route.data) },
    failures: failureResponses(route),
  }
}

function objectSchema(fields: Fields): object {
  const required = Object.keys(fields).filter((name) => fields[name]?.required)
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
  }
}

const bodySchema = ({ partial }: Route, form: Fields): object => ({
  ...objectSchema(form),
  ...(partial === true ? { minProperties: 1 } : {}),
})

const everywhere = ['unauthorized', 'internal_error', 'overloaded', 'busy', 'database_unavailable'] as const
const fieldCodes = ['malformed_request', 'field_missing', 'field_unknown', 'field_repeated', 'field_invalid'] as const

/** Every code that the route may answer with: its own, and those that follow from what it takes. */
export function refusalCodes(route: Route): RefusalCode[] {
  const takesBody = route.form !== undefined || route.rows !== undefined
  return [
    ...everywhere,
    ...fieldCodes,
    ...(route.scope === undefined ? [] : (['scope_missing'] as const)),
    ...(route.permission === undefined ? (['rate_limited'] as const) : (['role_missing'] as const)),
    ...(takesBody ? (['unsupported_media_type', 'body_too_large'] as const) : []),
    ...route.refusals,
  ]
}

/** By status, each with its codes and their examples. */
function failureResponses(route: Route): object {
  const byStatus = Object.groupBy(refusalCodes(route), (code) => refusals[code].status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, of = []]) => [status, failureResponse(of)]))
}

function failureResponse(codes: readonly RefusalCode[]): object {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: codes.map((code) => `- \`${code}\`: ${refusals[code].meaning}`).join('\n'),
    content: { 'application/json': { schema: { $ref: 'Failure#' }, examples: Object.fromEntries(examples) } },
  }
}
