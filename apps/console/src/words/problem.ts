/** What an error means, in the language of the console. */
import { ConnectionError, UnexpectedAnswerError } from '@parts-ordering/client/operator'
import type { ErrorWords } from './errors-en.ts'

interface Coded {
  readonly code?: string
  readonly message?: string
  readonly details?: Readonly<Record<string, string | number | boolean | null | readonly string[] | undefined>>
  readonly errors?: readonly unknown[]
}

/** Of an error, or of one row of an answer. A code that is newer than this page has the service's own sentence. */
export function problemOf(
  error: unknown,
  sentences: ErrorWords,
  {
    state,
    number,
    day,
  }: Readonly<Record<'state' | 'day', (text: string) => string>> & { number: (value: number) => string },
): string {
  if (error instanceof ConnectionError) return sentences.no_answer
  if (error instanceof UnexpectedAnswerError) return sentences.unexpected_answer
  if (error instanceof TypeError) return sentences.page_missing // A page is imported when it is first shown.
  const { code = '', message, details = {}, errors = [] } = (error ?? {}) as Coded
  const sentence = (sentences as Readonly<Record<string, string>>)[code]
  const filled = sentence?.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (name === 'named') return namedBy(details)
    const value = details[name === 'state' ? 'order_state_id' : name === 'target' ? 'state_id' : name]
    if (value === undefined) return whole
    if (value === null) return '–'
    if (typeof value === 'number') return /_(id|number)$/.test(name) ? String(value) : number(value)
    if (typeof value === 'object') return value.map(state).join(', ')
    if (name === 'state' || name === 'target') return state(String(value))
    if (name.endsWith('_date')) return day(String(value))
    return name.endsWith('_reason') && !/[.!?]$/.test(String(value)) ? `${String(value)}.` : String(value)
  })
  if (filled === undefined || /\{\w+\}/.test(filled)) return message ?? String(error)
  return errors.length > 1 ? `${filled} (+${errors.length - 1})` : filled
}

const namedBy = ({ brand, article, barcode, item_id }: NonNullable<Coded['details']>): string =>
  [brand, article ?? barcode ?? item_id].filter((part) => part !== undefined).join(' ')
