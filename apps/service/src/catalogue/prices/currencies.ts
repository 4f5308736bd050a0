/** Currencies and their rates. */
import Type, { type Static } from 'typebox'
import type { Database } from 'pg-statements/database.ts'
import { settle } from 'pg-statements/settle.ts'
import { shortStatement, statement } from 'pg-statements/statement.ts'
import { int4, numeric, text } from 'pg-statements/types.ts'
import { Refusal } from '../../vocabulary/refusals.ts'

export const Currency = Type.Object(
  {
    currency_code: Type.String({ description: 'As in ISO 4217.' }),
    minor_digits: Type.Integer({ description: 'Decimal places to which amounts are rounded.' }),
    rate: Type.Number({ description: 'The value of one unit in the base currency, whose own rate is 1.' }),
  },
  { $id: 'Currency', examples: [{ currency_code: 'CHF', minor_digits: 2, rate: 1.07 }] },
)
export type Currency = Static<typeof Currency>

const columns = { currency_code: text, minor_digits: int4, rate: numeric }

const putCurrencySql = statement(new URL('put-currency.sql', import.meta.url), {
  parameters: { ...columns, actor: text, request_id: text },
  columns,
})
const readCurrencySql = shortStatement('read-currency', {
  sql: 'select minor_digits::integer as minor_digits from currencies where currency_code = :currency_code',
  parameters: { currency_code: text },
  columns: { minor_digits: int4 },
})
/** Not paged: the world has fewer than two hundred. */
const listCurrenciesSql = shortStatement('list-currencies', {
  sql: `select currency_code, minor_digits::integer as minor_digits, rate from currencies
    order by currency_code
    limit 500`,
  parameters: {},
  columns,
})

/** The decimal places of a currency cannot change: totals have been rounded to them. */
export async function putCurrency(
  db: Database,
  currency: Currency & { actor: string; request_id: string },
): Promise<Currency> {
  const { currency_code, minor_digits } = currency
  return settle(
    db,
    { statement: putCurrencySql, contended: `currency ${currency_code}` },
    () => db.row(putCurrencySql, currency),
    async () => {
      const found = await db.row(readCurrencySql, { currency_code })
      if (found !== undefined && found.minor_digits !== minor_digits)
        throw new Refusal('currency_digits_fixed', { currency_code, minor_digits: found.minor_digits })
    },
  )
}

export const listCurrencies = (db: Database): Promise<Currency[]> => db.rows(listCurrenciesSql, {})
