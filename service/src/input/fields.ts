/**
 * Strict fields of forms, JSON bodies, queries, paths and rows. Each kind of field parses one text and either returns
 * its value or names the rule that the text breaks; it also describes itself in the reference.
 * Ajv's coercion is not used: it accepts `1e2`, `0x10` and ` 3` as numbers.
 */
import { printable } from './printable.ts'
import { refusalError, type RefusalError } from '../refusals.ts'

export interface Field<T> {
  readonly required: boolean
  /** JSON schema for the reference. */
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  /** Completes the sentence "It must be …". */
  readonly rule: string
  /** Undefined when the text breaks the rule. */
  readonly read: (text: string) => T | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>
type Read<F> = F extends Field<infer T> ? T : never
export type FieldValues<F extends Fields> = { [K in keyof F]: Read<F[K]> }

export const idMax = Number.MAX_SAFE_INTEGER // The largest integer that a JavaScript number holds exactly.
export const nameLengthMax = 200 // Fits on one line of a screen; names and addresses need no more.
export const quantityMax = 1_000_000 // A larger quantity of one part is a typing error.

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

/** A line of text: trimmed, normalised to NFC, without control characters, not empty. */
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

/** Characters are code points. Each has at most two UTF-16 units, so a text with more units than that cannot fit. */
function fitsInCharacters(value: string, max: number): boolean {
  return value.length <= 2 * max && Array.from(value).length <= max
}

/** An existing calendar day, as `YYYY-MM-DD`. */
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

/** One of a list of words. */
export function choice<T extends string>(words: readonly T[], options: { description: string; example: T }): Field<T> {
  return {
    required: true,
    schema: { type: 'string', enum: words, description: options.description, examples: [options.example] },
    rule: `one of ${words.join(', ')}`,
    read: (raw) => words.find((word) => word === raw),
  }
}

/** A JSON array of distinct words from a list. */
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
    rule: `a list of distinct words from: ${words.join(', ')}`,
    read: (text) => {
      const list = listOf(text)
      const chosen = list.flatMap((one) => words.filter((word) => word === one))
      const distinct = new Set(chosen).size === list.length
      return distinct && chosen.length === list.length && list.length > 0 ? chosen : undefined
    },
  }
}

/** A JSON boolean. */
export function flag({ description, example }: { description: string; example: boolean }): Field<boolean> {
  return {
    required: true,
    schema: { type: 'boolean', description, examples: [example] },
    rule: 'true or false',
    read: (text) => (text === 'true' || text === 'false' ? text === 'true' : undefined),
  }
}

/** A JSON number from 0, with at most this many decimal places. */
export function amount(options: { max: number; digits: number; description: string; example: number }): Field<number> {
  const { max, digits, description, example } = options
  const form = new RegExp(`^\\d{1,15}(\\.\\d{1,${digits}})?$`)
  return {
    required: true,
    schema: { type: 'number', minimum: 0, maximum: max, description, examples: [example] },
    rule: `a number from 0 to ${max} with at most ${digits} decimal places`,
    read: (text) => (form.test(text) && Number(text) <= max ? Number(text) : undefined),
  }
}

/** The elements of a JSON array; empty for any other text. */
function listOf(text: string): unknown[] {
  try {
    const list: unknown = JSON.parse(text)
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

/** The elements of a JSON array; undefined when one is not a whole number in the range, or repeats another. */
function distinctIntegers(text: string, { min, max }: { min: number; max: number }): number[] | undefined {
  const list = listOf(text)
  const integers = list.filter((one): one is number => Number.isInteger(one))
  const fits = integers.length === list.length && integers.every((one) => one >= min && one <= max)
  return fits && new Set(list).size === list.length ? integers : undefined
}

/** A JSON array of distinct ids. */
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
    rule: `a list of 1 to ${max} distinct positive whole numbers below 2^53`,
    read: (text) => {
      const list = distinctIntegers(text, { min: 1, max: idMax })
      return list !== undefined && list.length >= 1 && list.length <= max ? list : undefined
    },
  }
}

/** A JSON array of days of the week by number; not all seven. */
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
    rule: 'a list of at most 6 distinct numbers from 1 to 7',
    read: (raw) => {
      const list = distinctIntegers(raw, { min: 1, max: 7 })
      return list !== undefined && raw.startsWith('[') && list.length <= 6 ? list : undefined
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

/** The fields of a request: each name with all of its texts. A text that is not percent-encoded UTF-8 is undefined. */
export type Sent = ReadonlyMap<string, readonly (string | undefined)[]>

/** Parses `sent` by `fields`. Adds all problems to `problems`. */
export function readFields(fields: Fields, sent: Sent, problems: RefusalError[]): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const name of sent.keys()) {
    if (!Object.hasOwn(fields, name)) {
      problems.push(refusalError('field_unknown', { field: printable(name), known: Object.keys(fields) }))
    }
  }
  const refused = problems.map(({ field }) => field)
  for (const [name, field] of Object.entries(fields)) {
    if (refused.includes(name)) continue // Already reported: it does not have the right JSON type.
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

/** Parses one text. An empty text is undefined, and a problem if the field is required. */
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
