/** Calls a function of the database, and throws what it refuses. */
import { printable } from '../vocabulary/printable.ts'
import type { Database } from 'pg-statements/database.ts'
import { functionStatement, type Shape, type Statement, type Values } from 'pg-statements/statement.ts'
import { nullable, plainJsonOf } from 'pg-statements/types.ts'
import { Refusal, refusalError, type RefusalCode } from '../vocabulary/refusals.ts'

/** One error of a refusal, as `refusal_error.sql` makes it. A detail called `field` names the field of the request. */
interface Refused {
  readonly code: RefusalCode
  readonly details: object
}

const refused = nullable(plainJsonOf<readonly Refused[]>())
type FunctionCall<P extends Shape, C extends Shape> = Statement<P, C & { refused: typeof refused }>

/** The call of the function that the file creates. `answer` calls the function that reads what is answered. */
export const functionCall = <P extends Shape, C extends Shape>(
  file: URL,
  { columns, ...shape }: { parameters: P; columns: C; answer?: string; name?: string },
): FunctionCall<P, C> => functionStatement(file, { ...shape, columns: { ...columns, refused } })

/** Details that only TypeScript knows, for refusals with this code. */
export type MoreDetails = { readonly [C in RefusalCode]?: (details: never) => object }

/** The row that the function returns. Throws if it refuses. */
export async function call<P extends Shape, C extends Shape>(
  db: Database,
  statement: FunctionCall<P, C>,
  values: Values<P>,
  more: MoreDetails = {},
): Promise<Values<C>> {
  const row = await db.row(statement, values)
  if (row === undefined) throw new Error(`${statement.name} returned no row.`)
  if (row.refused !== null) throw refusalOf(row.refused, more)
  return row
}

/** A key may have any characters. */
const everywhere: MoreDetails = {
  idempotency_key_used: ({ idempotency_key }: { idempotency_key: string }) => ({
    idempotency_key: printable(idempotency_key),
  }),
}

const refusalOf = (errors: readonly Refused[], more: MoreDetails): Refusal =>
  new Refusal(
    errors.map(({ code, details }) => {
      const complete = { ...everywhere, ...more }[code] as ((details: object) => object) | undefined
      return refusalError(code, { ...details, ...complete?.(details) })
    }),
  )
