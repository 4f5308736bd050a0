/**
 * Strict fields of forms, JSON bodies, queries, paths and rows. Each kind of field parses one text and either returns
 * its value or names the rule that the text breaks; it also describes itself in the reference.
 * Ajv's coercion is not used: it accepts `1e2`, `0x10` and ` 3` as numbers.
 */

/** Where a request has a field. */
export type Place = 'path' | 'query' | 'body'

export interface Field<T> {
  readonly required: boolean
  /** Another field of the request that stands for this one: one of the two is required, and not both. */
  readonly unless?: string
  /** JSON schema for the reference. */
  readonly schema: { readonly type: string; readonly [keyword: string]: unknown }
  /** Completes the sentence "It must be …". */
  readonly rule: string
  /** Undefined when the text breaks the rule. The text has no spaces around it: see `readText`. */
  readonly read: (text: string) => T | undefined
  /** Where the rule for a path is another one: see `id`. */
  readonly readInPath?: (text: string) => T | undefined
}

export type Fields = Readonly<Record<string, Field<unknown>>>
type Read<F> = F extends Field<infer T> ? T : never
export type FieldValues<F extends Fields> = { [K in keyof F]: Read<F[K]> }

export const idMax = Number.MAX_SAFE_INTEGER // The largest integer that a JavaScript number holds exactly.
export const nameLengthMax = 200 // Fits on one line of a screen; names and addresses need no more.
export const ownNameLengthMax = 255 // Names that clients choose: as long as those of most shop systems.
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

/** In a path, an integer that cannot be an id is one that names nothing: the operation answers 404. */
export const id = (description: string, example: number): Field<number> => ({
  ...integer({ min: 1, max: idMax, description, example }),
  readInPath: (text) => (/^-?[0-9]+$/.test(text) ? Math.max(-noIdFrom, Math.min(Number(text), noIdFrom)) : undefined),
})

const noIdFrom = idMax + 1 // Exact in a double and in a bigint; larger numbers are shown as this one.

/**
 * A line of text: trimmed, normalised to NFC, not empty, without control characters, and something to see. `example` is
 * null where a value that is made up would be refused.
 */
export function text(options: { max?: number; description: string; example: string | null }): Field<string> {
  const { max = nameLengthMax, description, example } = options
  return {
    required: true,
    schema: {
      type: 'string',
      minLength: 1,
      maxLength: max,
      description,
      ...(example === null ? {} : { examples: [example] }),
    },
    rule: `1 to ${max} visible characters of text without control or directional formatting characters`,
    read: (raw) => {
      if (unsuitable.test(raw)) return undefined
      const value = raw.normalize('NFC').trim()
      return visible.test(value) && (value.length <= max || fitsInCharacters(value, max)) ? value : undefined
    },
  }
}

/**
 * Control characters, line and paragraph separators, halves of a surrogate pair, and those that reorder the text around
 * them on a screen (embeddings, overrides and isolates; the marks that Arabic and Hebrew need are allowed).
 */
const unsuitable = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u{202A}-\u{202E}\u{2066}-\u{2069}]/u

/**
 * What `text` would accept of a name that nobody here can change, as one from an identity provider: unsuitable characters
 * become spaces, and what is too long is cut off. Undefined if nothing is left to see.
 */
export function cleanText(raw: string, max = nameLengthMax): string | undefined {
  const clean = raw.replaceAll(new RegExp(unsuitable, 'gu'), ' ').normalize('NFC').replaceAll(/\s+/g, ' ').trim()
  return visible.test(clean) ? Array.from(clean).slice(0, max).join('').trim() : undefined
}

/** Zero-width characters are part of some scripts and of emoji, but nobody can see or search a text of nothing else. */
const visible = /[^\p{White_Space}\p{Default_Ignorable_Code_Point}]/u

/** Characters are code points. Each has at most two UTF-16 units, so a text with more units than that cannot fit. */
function fitsInCharacters(value: string, max: number): boolean {
  return value.length <= 2 * max && Array.from(value).length <= max
}

/** A code in capital letters, such as a country's, ignoring case. */
export function code(options: { max?: number; description: string; example: string }): Field<string> {
  const { read, ...field } = text(options)
  // ASCII only: `ß` in upper case would be the code of South Sudan.
  return { ...field, read: (raw) => read(raw)?.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase()) }
}

/** An existing calendar day, as `YYYY-MM-DD`, or its midnight, as the service writes it. */
export function day({ description, example }: { description: string; example: string }): Field<string> {
  return {
    required: true,
    schema: { type: 'string', format: 'date', description, examples: [example] },
    rule: 'a calendar day as YYYY-MM-DD, without a time of day',
    read: (raw) => {
      const { date, time = midnight } = dayAndTime(raw) ?? {}
      return time === midnight ? date : undefined
    },
  }
}

const midnight = '00:00:00'

interface TimeOptions {
  readonly description: string
  readonly example: string
}

/** The first moment of a period: a day, of which it is the start, or a time as the service writes it. */
export const timeFrom = (options: TimeOptions): Field<string> => ({
  ...dayOrTime(options),
  read: (raw) => (dayAndTime(raw) === undefined ? undefined : raw),
})

/** The end of a period that includes this day or this second. The value is the first moment after it. */
export const timeTo = (options: TimeOptions): Field<string> => ({
  ...dayOrTime(options),
  read: (raw) => {
    const { date, time } = dayAndTime(raw) ?? {}
    if (date === undefined) return undefined
    const next =
      time === undefined
        ? Temporal.PlainDate.from(date).add({ days: 1 })
        : Temporal.PlainDateTime.from(`${date}T${time}`).add({ seconds: 1 })
    return next.year > 9999 ? 'infinity' : next.toString().replace('T', ' ')
  },
})

const dayOrTime = ({ description, example }: TimeOptions): Omit<Field<string>, 'read'> => ({
  required: true,
  schema: {
    type: 'string',
    pattern: '^\\d{4}-\\d{2}-\\d{2}( \\d{2}:\\d{2}:\\d{2})?$',
    description,
    examples: [example],
  },
  rule: 'a calendar day as YYYY-MM-DD, or a time as YYYY-MM-DD HH:MM:SS',
})

/** Undefined unless the day exists. */
function dayAndTime(raw: string): { date: string; time: string | undefined } | undefined {
  const [, date = '', time] = /^(\d{4}-\d\d-\d\d)(?: ((?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d))?$/.exec(raw) ?? []
  return isCalendarDay(date) ? { date, time } : undefined
}

/** A day in the future. Any example gets old, so the reference page shows the day that is this far ahead instead. */
export function dayAhead(options: { description: string; example: string; daysAhead: number }): Field<string> {
  const field = day(options)
  return { ...field, schema: { ...field.schema, 'x-days-ahead': options.daysAhead } }
}

function isCalendarDay(text: string): boolean {
  if (text === '' || text.startsWith('0000')) return false
  try {
    return Temporal.PlainDate.from(text, { overflow: 'reject' }).toString() === text
  } catch {
    return false
  }
}

/** One of a list of words, ignoring case. */
export function choice<T extends string>(words: readonly T[], options: { description: string; example: T }): Field<T> {
  return {
    required: true,
    schema: { type: 'string', enum: words, description: options.description, examples: [options.example] },
    rule: `one of ${words.join(', ')}`,
    read: wordIn(words),
  }
}

const wordIn =
  <T extends string>(words: readonly T[]) =>
  (raw: string): T | undefined =>
    words.find((word) => word === raw || word.toLowerCase() === raw.toLowerCase())

/** For a query: one or more words of a list, separated by commas, ignoring case. Order and repetition do not matter. */
export function listed<T extends string>(words: readonly T[], options: WordsOptions<T>): Field<T[]> {
  return {
    required: true,
    schema: arrayOf(words, options),
    rule: `one or more of ${words.join(', ')}, separated by commas`,
    read: (raw) => {
      const chosen = raw.split(',').map((word) => wordIn(words)(trimmed(word)))
      return chosen.includes(undefined) ? undefined : words.filter((word) => chosen.includes(word))
    },
  }
}

interface WordsOptions<T> {
  readonly description: string
  readonly example: T[]
}

const arrayOf = <T>(words: readonly T[], { description, example }: WordsOptions<T>): Field<T[]>['schema'] => ({
  type: 'array',
  items: { type: 'string', enum: words },
  minItems: 1,
  description,
  examples: [example],
})

/** A JSON array of distinct words from a list. */
export function choices<T extends string>(words: readonly T[], options: WordsOptions<T>): Field<T[]> {
  return {
    required: true,
    schema: { ...arrayOf(words, options), uniqueItems: true },
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
export function listOf(text: string): unknown[] {
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

/** A JSON array of distinct lines of text; it may be empty. */
export function texts(options: {
  max: number
  lengthMax: number
  description: string
  example: string[]
}): Field<string[]> {
  const { max, lengthMax, description, example } = options
  const one = text({ max: lengthMax, description, example: null })
  return {
    required: true,
    schema: {
      type: 'array',
      items: { type: 'string', minLength: 1, maxLength: lengthMax },
      maxItems: max,
      uniqueItems: true,
      description,
      examples: [example],
    },
    rule: `a list of at most ${max} distinct texts, each ${one.rule}`,
    read: (raw) => {
      const list = listOf(raw)
      const read = list.map((given) => (typeof given === 'string' ? one.read(given) : undefined))
      const good = read.filter((given) => given !== undefined)
      const distinct = new Set(good).size === list.length
      return raw.startsWith('[') && distinct && list.length <= max ? good : undefined
    },
  }
}

/** A JSON array of lines of an order, each with a quantity. */
export function lineQuantities(options: { max: number; description: string; line?: number }): Field<LineQuantity[]> {
  const { max, description, line = 20_044 } = options
  return {
    required: true,
    schema: {
      type: 'array',
      items: {
        type: 'object',
        properties: {
          order_item_id: { type: 'integer', minimum: 1, maximum: idMax, description: 'The line.' },
          quantity: { type: 'integer', minimum: 1, maximum: quantityMax, description: 'How many pieces of it.' },
        },
        required: ['order_item_id', 'quantity'],
        additionalProperties: false,
      },
      minItems: 1,
      maxItems: max,
      description,
      examples: [[{ order_item_id: line, quantity: line === 20_044 ? 3 : 1 }]],
    },
    rule: `a list of 1 to ${max} distinct lines, each {"order_item_id", "quantity"} with quantities from 1 to ${quantityMax}`,
    read: (raw) => {
      const lines = listOf(raw).map(lineQuantityOf)
      const read = lines.filter((line) => line !== undefined)
      const distinct = new Set(read.map(({ order_item_id }) => order_item_id)).size === lines.length
      return distinct && lines.length >= 1 && lines.length <= max ? read : undefined
    },
  }
}

export interface LineQuantity {
  readonly order_item_id: number
  readonly quantity: number
}

/** Undefined if it is anything but an object with these two members. */
function lineQuantityOf(given: unknown): LineQuantity | undefined {
  if (typeof given !== 'object' || given === null || Object.keys(given).length !== 2) return undefined
  if (!('order_item_id' in given) || !('quantity' in given)) return undefined
  const { order_item_id, quantity } = given
  return isInteger(order_item_id, idMax) && isInteger(quantity, quantityMax) ? { order_item_id, quantity } : undefined
}

const isInteger = (value: unknown, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= max

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

/** Hours and minutes of a day. */
export const timeOfDay = ({ description, example }: { description: string; example: string }): Field<string> => ({
  required: true,
  schema: { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$', description, examples: [example] },
  rule: 'a time of the day as HH:MM, from 00:00 to 23:59',
  read: (raw) => (/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(raw) ? raw : undefined),
})

/** Three capital letters, as in ISO 4217. */
export const currencyCode = (description: string): Field<string> => ({
  required: true,
  schema: { type: 'string', pattern: '^[A-Z]{3}$', description, examples: ['EUR'] },
  rule: 'three capital letters as in ISO 4217',
  read: (raw) => (/^[A-Z]{3}$/.test(raw) ? raw : undefined),
})

/** A field for which `other` may be sent instead. */
export const unless = <T>(other: string, field: Field<T>): Field<T | undefined> => ({ ...field, unless: other })

export const optional = <T>(field: Field<T>): Field<T | undefined> => ({ ...field, required: false })

/** The value of a text, without the spaces around it. */
export const readText = <T>(field: Field<T>, raw: string, place?: Place): T | undefined =>
  (place === 'path' ? (field.readInPath ?? field.read) : field.read)(trimmed(raw))

/** Without the spaces around it. With control characters around it, such as line feeds, it stays what no field accepts. */
export function trimmed(raw: string): string {
  const value = raw.trim()
  return value.length === raw.length || unsuitable.test(raw) ? raw : value
}
