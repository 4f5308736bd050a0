/** The one shape of every answer: `{status: "ok", data}`, or `{status: "fail", errors, request_id}`. */
import Type, { type TSchema } from 'typebox'
import { exampleError, refusals, type RefusalCode, type RefusalError } from '../refusals.ts'

export function failure(errors: readonly RefusalError[], request_id: string): object {
  return { status: 'fail', errors, request_id }
}

export const dataEnvelope = (data: TSchema): TSchema =>
  Type.Object({ status: Type.Literal('ok'), data }, { description: 'Success.' })

export const pagedEnvelope = (row: TSchema): TSchema =>
  Type.Object(
    {
      status: Type.Literal('ok'),
      data: Type.Array(row),
      paging: Type.Object({
        next_cursor: Type.Union([Type.String(), Type.Null()], {
          description: 'The cursor of the next page; null on the last one.',
        }),
      }),
    },
    { description: 'Success. With a next page, its address stands in the `Link` header too.' },
  )

const exampleFailure = (code: RefusalCode): object => failure([exampleError(code)], 'pC2k9QxZ-1f')

/** One example for each error code, to which the routes refer. */
export const failureExamples: Record<string, { value: object }> = Object.fromEntries(
  (Object.keys(refusals) as RefusalCode[]).map((code) => [code, { value: exampleFailure(code) }]),
)

/** Any failure. */
export const Failure = Type.Object(
  {
    status: Type.Literal('fail'),
    errors: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Stable; see the list of error codes.' }),
        message: Type.String({ description: 'A sentence that names the value and the rule.' }),
        field: Type.Optional(Type.String({ description: 'The field of the request that is to blame.' })),
        details: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'The figures, by name.' })),
      }),
    ),
    request_id: Type.String({ description: 'The X-Request-Id of this answer.' }),
  },
  {
    $id: 'Failure',
    examples: [exampleFailure('out_of_stock')],
  },
)

const everywhere: readonly RefusalCode[] = [
  'unauthorized',
  'internal_error',
  'overloaded',
  'busy',
  'database_unavailable',
]
const fieldRefusals: readonly RefusalCode[] = [
  'malformed_request',
  'field_missing',
  'field_unknown',
  'field_repeated',
  'field_invalid',
]

/** The failures of a route for the reference, by status, each with its codes and an example. */
export function failureResponses(route: {
  scope?: string
  permission?: string
  form?: object
  refusals: readonly RefusalCode[]
}): object {
  const codes: RefusalCode[] = [
    ...everywhere,
    ...fieldRefusals,
    ...(route.scope === undefined ? [] : (['scope_missing'] as const)),
    ...(route.permission === undefined ? (['rate_limited'] as const) : (['role_missing'] as const)),
    ...(route.form === undefined ? [] : (['unsupported_media_type', 'body_too_large'] as const)),
    ...route.refusals,
  ]
  const byStatus = Object.groupBy(codes, (code) => refusals[code].status)
  return Object.fromEntries(Object.entries(byStatus).map(([status, of = []]) => [status, failureResponse(of)]))
}

function failureResponse(codes: readonly RefusalCode[]): object {
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }])
  return {
    description: codes.map((code) => `- \`${code}\`: ${refusals[code].meaning}`).join('\n'),
    content: { 'application/json': { schema: { $ref: 'Failure#' }, examples: Object.fromEntries(examples) } },
  }
}
