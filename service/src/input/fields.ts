/**
 * Strict fields: what a form, a query or a path may carry. Each kind of field reads one text and either returns its value
 * or names the rule that the text breaks; the same kind describes itself in the reference.
 * Ajv's coercion is not used: it takes `1e2`, `0x10` and ` 3` for numbers.
 */
import { printable } from './printable.ts'
import { refusalError, type RefusalError } from '../refusals.ts'

export interface Field<T> {
  readonly required: boolean
  /** JSON schema for the reference. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Completes the sentence "The value … must be …". */
  readonly rule: string
  /** Undefined when the text breaks the rule. */
  readonly read: (text: string) => T | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>
type Read<F> = F extends Field<infer T> ? T : never
export type FieldValues<F extends Fields> = { [K in keyof F]: Read<F[K]> }

export const idMax = Number.MAX_SAFE_INTEGER // JSON numbers and JavaScript are exact up to here.
export const nameLengthMax = 200 // Fits a line of any screen; long texts have no place in names and addresses.
export const quantityMax = 1_000_000 // More of one part in one line is a typing error.

export function integer(options: { min: number; max: number; description: string; example: number }): Field<number> {
  const { min, max, description, example } = options
  return {
    required: true,
    schema: { type: 'integer', minimum: min, maximum: max, description, examples: [example] },
    rule:
      max === idMax
        ? `a ${min === 0 ? '' : 'positive '}whole number below 2^53 in plain decimal digits`
        : `a whole number from ${min} to ${max} in plain decimal digits`,
    read: (text) => {
      if (!/^[0-9]{1,16}$/.test(text)) return undefined
      const value = Number(text)
      return value >= min && value <= max ? value : undefined
    },
  }
}

export const id = (description: string, example: number): Field<number> =>
  integer({ min: 1, max: idMax, description, example })

/** A line of text: trimmed, normalised to NFC, without control characters, never empty. */
export function text(options: { max?: number; description: string; example: string }): Field<string> {
  const { max = nameLengthMax, description, example } = options
  return {
    required: true,
    schema: { type: 'string', minLength: 1, maxLength: max, description, examples: [example] },
    rule: `1 to ${max} characters of text without control characters`,
    read: (raw) => {
      if (/\p{Cc}/u.test(raw)) return undefined
      const value = raw.normalize('NFC').trim()
      return value !== '' && (value.length <= max || fitsInCharacters(value, max)) ? value : undefined
    },
  }
}

/** Characters are code points; a text of more UTF-16 units than twice the limit cannot fit. */
function fitsInCharacters(value: string, max: number): boolean {
  return value.length <= 2 * max && Array.from(value).length <= max
}

/** A calendar day that exists, as `YYYY-MM-DD`. */
export function day(options: { description: string; example: string }): Field<string> {
  return {
    required: true,
    schema: { type: 'string', format: 'date', description: options.description, examples: [options.example] },
    rule: 'a calendar day as YYYY-MM-DD',
    read: (raw) => (/^(?!0000)\d{4}-\d\d-\d\d$/.test(raw) && isCalendarDay(raw) ? raw : undefined),
  }
}

function isCalendarDay(text: string): boolean {
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text
  } catch {
    return false
  }
}

/** One of a few words. */
export function choice<T extends string>(words: readonly T[], options: { description: string; example: T }): Field<T> {
  return {
    required: true,
    schema: { type: 'string', enum: words, description: options.description, examples: [options.example] },
    rule: `one of ${words.join(', ')}`,
    read: (raw) => words.find((word) => word === raw),
  }
}

/** Several of a few words, in JSON; each once. */
export function choices<T extends string>(
  words: readonly T[],
  { description, example }: { description: string; example: T[] },
): Field<T[]> {
  return {
    required: true,
    schema: {
      type: 'array',
      items: { type: 'string', enum: words },
      minItems: 1,
      uniqueItems: true,
      description,
      examples: [example],
    },
    rule: `a list of different words out of ${words.join(', ')}`,
    read: (text) => {
      const list = listOf(text)
      const fits = list.every((one) => (words as readonly unknown[]).includes(one))
      return fits && list.length > 0 && new Set(list).size === list.length ? (list as T[]) : undefined
    },
  }
}

/** Yes or no, in JSON. */
export function flag({ description, example }: { description: string; example: boolean }): Field<boolean> {
  return {
    required: true,
    schema: { type: 'boolean', description, examples: [example] },
    rule: 'true or false',
    read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  }
}

/** An amount from 0, in JSON, with so many digits after the point at most. */
export function amount(options: { max: number; digits: number; description: string; example: number }): Field<number> {
  const { max, digits, description, example } = options
  const form = new RegExp(`^\\d{1,15}(\\.\\d{1,${digits}})?$`)
  return {
    required: true,
    schema: { type: 'number', minimum: 0, maximum: max, description, examples: [example] },
    rule: `a number from 0 to ${max} with at most ${digits} digits after the point`,
    read: (text) => (form.test(text) && Number(text) <= max ? Number(text) : undefined),
  }
}

/** The elements of a JSON array; none of anything else. */
function listOf(text: string): unknown[] {
  try {
    const list = JSON.parse(text) as unknown
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** A list of ids, in JSON; each once. */
export function ids(options: { max: number; description: string; example: number[] }): Field<number[]> {
  const { max, description, example } = options
  return {
    required: true,
    schema: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: idMax },
      minItems: 1,
      maxItems: max,
      uniqueItems: true,
      description,
      examples: [example],
    },
    rule: `a list of 1 to ${max} different positive whole numbers below 2^53`,
    read: (text) => {
      const list = listOf(text)
      const fits = list.every((one) => Number.isSafeInteger(one) && (one as number) > 0)
      return fits && list.length >= 1 && list.length <= max && new Set(list).size === list.length
        ? (list as number[])
        : undefined
    },
  }
}

/** Days of the week by number, in JSON; at least one is left out. */
export function weekdays(options: { description: string; example: number[] }): Field<number[]> {
  const { description, example } = options
  return {
    required: true,
    schema: {
      type: 'array',
      items: { type: 'integer', minimum: 1, maximum: 7 },
      maxItems: 6,
      uniqueItems: true,
      description,
      examples: [example],
    },
    rule: 'a list of at most 6 different numbers from 1 to 7',
    read: (raw) => {
      const list = listOf(raw)
      const fits =
        raw.startsWith('[') && list.every((one) => Number.isInteger(one) && Number(one) >= 1 && Number(one) <= 7)
      return fits && list.length <= 6 && new Set(list).size === list.length ? (list as number[]) : undefined
    },
  }
}

/** Three capital letters, as in ISO 4217. */
export const currencyCode = (description: string): Field<string> => ({
  required: true,
  schema: { type: 'string', pattern: '^[A-Z]{3}$', description, examples: ['EUR'] },
  rule: 'three capital letters as in ISO 4217',
  read: (raw) => (/^[A-Z]{3}$/.test(raw) ? raw : undefined),
})

export const optional = <T>(field: Field<T>): Field<T | undefined> => ({ ...field, required: false })

/** What was sent: each name with all of its texts; a text that is not percent-encoded UTF-8 is undefined. */
export type Sent = ReadonlyMap<string, readonly (string | undefined)[]>

/** Reads `sent` by `fields`. All problems are reported at once, into `problems`. */
export function readFields(fields: Fields, sent: Sent, problems: RefusalError[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of sent.keys()) {
    if (!Object.hasOwn(fields, name)) {
      problems.push(refusalError('field_unknown', { field: printable(name), known: Object.keys(fields) }))
    }
  }
  const refused = problems.map(({ field }) => field)
  for (const [name, field] of Object.entries(fields)) {
    if (refused.includes(name)) continue // It was not even of the right type.
    const texts = sent.get(name) ?? ['']
    const [raw] = texts
    if (texts.length > 1) problems.push(refusalError('field_repeated', { field: name }))
    else if (raw === undefined)
      problems.push(refusalError('field_invalid', { field: name, value: '…', rule: 'percent-encoded UTF-8' }))
    else {
      const value = readField(name, field, raw, problems)
      if (value !== undefined) values[name] = value
    }
  }
  return values
}

/** Reads one text. Nothing at all is undefined, which is a problem where the field is required. */
export function readField(name: string, field: Field<unknown>, raw: string, problems: RefusalError[]): unknown {
  if (raw === '') {
    if (field.required) problems.push(refusalError('field_missing', { field: name }))
    return undefined
  }
  const value = field.read(raw)
  if (value === undefined)
    problems.push(refusalError('field_invalid', { field: name, value: printable(raw), rule: field.rule }))
  return value
}
