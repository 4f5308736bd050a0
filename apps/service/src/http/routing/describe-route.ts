/** What Fastify must know of a route: the media types that it accepts, and how its response is serialised. */
import type { FastifySchema } from 'fastify'
import type { TSchema } from 'typebox'
import { dataEnvelope, pagedEnvelope } from '../envelope.ts'
import { bodyFormats, type BodyFormat } from './read-request.ts'
import type { Route } from './route.ts'
import type { RefusalCode } from '../../vocabulary/refusals.ts'

declare module 'fastify' {
  interface FastifySchema {
    consumes?: readonly string[]
  }
}

/** Failures have no schema here: Fastify would compile a serialiser for each, which was most of the start-up time. */
export const describeRoute = (route: Route, format: BodyFormat): FastifySchema => ({
  consumes: bodyFormats[format].media,
  response: { 200: responseSchema(route) },
})

/** How the route's body is written. `side` is how the bodies of its side of the API are written. */
export const formatOf = <F extends BodyFormat>({ rows, table }: Route, side: F): F | 'rows' | 'table' =>
  rows !== undefined ? 'rows' : table !== undefined ? 'table' : side

export const responseSchema = ({ data, paged }: Route): TSchema =>
  paged === true ? pagedEnvelope(data) : dataEnvelope(data)

const everywhere = [
  'unauthorized',
  'rate_limited',
  'internal_error',
  'overloaded',
  'busy',
  'database_unavailable',
] as const
const fieldCodes = [
  'malformed_request',
  'field_missing',
  'field_unknown',
  'field_misplaced',
  'field_repeated',
  'field_invalid',
  'errors_omitted',
] as const

/** Every code that the route may answer with: its own, and those that follow from what it takes. */
export const refusalCodes = (route: Route): RefusalCode[] => [...commonCodes(route), ...route.refusals]

/** The codes that a route does not declare, because many routes have them. */
export function commonCodes(route: Route): RefusalCode[] {
  const takesBody = (route.form ?? route.rows ?? route.table) !== undefined
  return [
    ...everywhere,
    ...fieldCodes,
    ...(route.scope === undefined ? [] : (['scope_missing'] as const)),
    ...(route.permission === undefined ? [] : (['role_missing'] as const)),
    ...(route.permission === undefined || route.method === 'GET' ? [] : (['origin_not_allowed'] as const)),
    ...(takesBody ? (['unsupported_media_type', 'unsupported_content_encoding', 'body_too_large'] as const) : []),
  ]
}
