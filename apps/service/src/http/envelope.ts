/** The shape of every answer: `{status: "ok", data}` or `{status: "fail", errors, request_id}`. */
import Type, { type TSchema } from 'typebox'
import { errorCodeWords, exampleError, type RefusalCode, type RefusalError } from '../vocabulary/refusals.ts'
import { word } from '../vocabulary/schema-parts.ts'

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
      paging: Type.Optional(
        Type.Object(
          {
            next_cursor: Type.Union([Type.String(), Type.Null()], {
              description: 'The cursor of the next page; null on the last one.',
            }),
          },
          { description: 'Absent if there is no next page and the request has neither `limit` nor `cursor`.' },
        ),
      ),
    },
    { description: 'Success. If there is a next page, the `Link` header has its address too.' },
  )

/** For the reference. */
export const failureExample = (code: RefusalCode): object => failure([exampleError(code)], 'pC2k9QxZ-1f')

/** The serialiser sends whatever an error carries; the reference shows what that is. */
export const anyDetails = Type.Object(
  {},
  { additionalProperties: true, description: 'The values in the message, by name.' },
)

/** Any failure. */
export const Failure = Type.Object(
  {
    status: Type.Literal('fail'),
    errors: Type.Array(
      Type.Object({
        code: word(errorCodeWords, 'Branch on it.'),
        message: Type.String({ description: 'A sentence for people that names the value and the rule.' }),
        field: Type.Optional(Type.String({ description: 'The field of the request that caused the error.' })),
        details: Type.Optional(anyDetails),
      }),
    ),
    request_id: Type.String({ description: 'The same as the X-Request-Id header.' }),
  },
  {
    $id: 'Failure',
    examples: [failureExample('out_of_stock')],
  },
)
