/**
 * From a request to values: parses JSON objects, forms and queries into texts by name, checks each text by its field, and
 * says where a field belongs that was sent elsewhere. All problems are reported at once.
 */
import { readText, trimmed, type Field, type Fields, type Place } from './fields.ts'
import { printable } from '../vocabulary/printable.ts'
import { refusalError, type Details, type RefusalCode, type RefusalError } from '../vocabulary/refusals.ts'

interface Input {
  readonly accepted: Readonly<Record<Place, Fields>>
  readonly sent: Readonly<Record<Place, Sent>>
}

type Values = Record<string, unknown>

/** Adds all problems to `problems`. */
export function readInput(input: Input, problems: RefusalError[]): Record<'params' | 'query' | 'form', Values> {
  const { accepted, sent } = input
  return {
    params: readFields(accepted.path, sent.path, problems, 'path'),
    query: readFields(accepted.query, withoutStrays('query', input, problems), problems, 'query'),
    form: readFields(accepted.body, withoutStrays('body', input, problems), problems),
  }
}

/** What was sent in one place, without the fields that do not belong there. Of these, only unknown ones are left. */
function withoutStrays(place: 'query' | 'body', input: Input, problems: RefusalError[]): Sent {
  const { accepted, sent } = input
  const strays = [...sent[place].keys()].filter((name) => !Object.hasOwn(accepted[place], name))
  if (strays.length === 0) return sent[place]
  const left = new Map(sent[place])
  for (const name of strays) {
    const other = place === 'query' ? 'body' : 'query'
    if (Object.hasOwn(accepted.path, name)) checkRepeated(name, place, input, problems)
    else if (Object.hasOwn(accepted[other], name))
      addProblem(problems, 'field_misplaced', { field: name, place, belongs: other })
    else if (place === 'body' || !isIgnored(name, accepted.query)) continue
    left.delete(name)
  }
  return left
}

/**
 * Cache busters and tracking parameters, which libraries and links add, are ignored everywhere. An operation without
 * parameters ignores all: there is no filter that could be misspelt.
 */
const isIgnored = (name: string, known: Fields): boolean =>
  name.startsWith('_') || name.startsWith('utm_') || Object.keys(known).length === 0

/** A parameter of the path that the query or the body repeats must have the same value. */
function checkRepeated(
  name: string,
  place: 'query' | 'body',
  { accepted, sent }: Input,
  problems: RefusalError[],
): void {
  const texts = sent[place].get(name) ?? []
  const field = accepted.path[name] as Field<unknown>
  const [inPath = ''] = sent.path.get(name) ?? []
  const [repeated] = texts
  if (texts.length > 1) addProblem(problems, 'field_repeated', { field: name })
  else if (
    repeated === undefined ||
    (repeated !== inPath && readText(field, repeated, 'path') !== readText(field, inPath, 'path'))
  )
    addProblem(problems, 'field_invalid', {
      field: name,
      value: printable(repeated ?? '…'),
      rule: `the same as in the path, '${printable(inPath)}'`,
    })
}

/** The fields of a request: each name with all of its texts. A text that is not percent-encoded UTF-8 is undefined. */
export type Sent = ReadonlyMap<string, readonly (string | undefined)[]>

/** Parses `sent` by `fields`. Adds all problems to `problems`. */
export function readFields(
  fields: Fields,
  sent: Sent,
  problems: RefusalError[],
  place: Place = 'body',
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const unknown = [...sent.keys()].filter((name) => !Object.hasOwn(fields, name))
  addUnknown(unknown, { place, known: Object.keys(fields) }, problems)
  const refused = problems.map(({ field }) => field)
  for (const [name, field] of Object.entries(fields)) {
    if (refused.includes(name)) continue // Already reported: it does not have the right JSON type.
    const texts = sent.get(name) ?? ['']
    const [raw] = texts
    const other = field.unless !== undefined && isSent(sent.get(field.unless)) ? field.unless : undefined
    if (other !== undefined) {
      if (isSent(texts))
        addProblem(problems, 'field_invalid', {
          field: name,
          value: printable(raw ?? '…'),
          rule: `absent, as ${other} is sent`,
        })
    } else if (texts.length > 1) addProblem(problems, 'field_repeated', { field: name })
    else if (raw === undefined)
      addProblem(problems, 'field_invalid', { field: name, value: '…', rule: 'percent-encoded UTF-8' })
    else {
      const value = readField(name, field, raw, problems, place)
      if (value !== undefined) values[name] = value
    }
  }
  return values
}

const isSent = (texts: readonly (string | undefined)[] = []): boolean =>
  texts.some((text) => text === undefined || trimmed(text) !== '')

/** Parses one text. An empty text is undefined, and a problem if the field is required. */
export function readField(
  name: string,
  field: Field<unknown>,
  raw: string,
  problems: RefusalError[],
  place?: Place,
): unknown {
  if (trimmed(raw) === '') {
    if (field.required) addProblem(problems, 'field_missing', { field: name })
    return undefined
  }
  const value = readText(field, raw, place)
  if (value === undefined)
    addProblem(problems, 'field_invalid', { field: name, value: printable(raw), rule: field.rule })
  return value
}

export const problemsMax = 20 // Enough for a person to fix at once. Without a limit, 11 KB of bad names gave 1 MB.

/** Adds an error to those of a request's input. After the first 20 it only notes that there are more. */
export function addProblem<C extends RefusalCode>(problems: RefusalError[], code: C, details: Details<C>): void {
  if (problems.length < problemsMax) problems.push(refusalError(code, details))
  else if (problems.length === problemsMax) problems.push(refusalError('errors_omitted', { listed: problemsMax }))
}

/** Reports names that no field has. The known names are listed once. */
export function addUnknown(
  names: readonly string[],
  { place, known }: { place: Place; known: string[] },
  problems: RefusalError[],
): void {
  for (const [at, name] of names.entries())
    addProblem(problems, 'field_unknown', {
      field: printable(name),
      ...(place === 'query' ? { place } : {}),
      ...(at === 0 ? { known } : {}),
    })
}

/** Parses a JSON object, or says what the text is. Null is the same as absent; a name that appears twice is a problem. */
export function parseJson(body: string, fields: Fields, problems: RefusalError[]): Sent | NoObject {
  if (body === '') return new Map()
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return 'not valid JSON'
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return 'not a JSON object'
  const repeated = repeatedName(body)
  if (repeated !== undefined) addProblem(problems, 'field_repeated', { field: printable(repeated) })
  return membersAsTexts(parsed, fields, problems)
}

type NoObject = 'not valid JSON' | 'not a JSON object'

/** The members of a JSON object as texts. A number or a flag may be a text too: `readFields` checks it, and the name. */
export function membersAsTexts(parsed: object, fields: Fields, problems: RefusalError[]): Sent {
  const sent = new Map<string, (string | undefined)[]>()
  for (const [name, value] of Object.entries(parsed)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field !== undefined && value === null) continue
    const text = textOf(value)
    if (field === undefined || isOfType(value, field.schema.type)) sent.set(name, [text])
    else addProblem(problems, 'field_invalid', { field: name, value: printable(text), rule: jsonRule(field) })
  }
  return sent
}

const jsonRule = ({ rule, schema: { type } }: Field<unknown>): string =>
  type === 'string' || type === 'array' || type === 'object' ? `a JSON ${type}` : rule

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value)
  return typeof value === 'string' || typeof value === (type === 'integer' ? 'number' : type)
}

function textOf(value: unknown): string {
  if (typeof value === 'string' || typeof value === 'number') return String(value)
  try {
    return JSON.stringify(value)
  } catch {
    return '…' // Nested so deeply that it can be parsed but not serialised.
  }
}

/** Of a form: `metadata[key]=value` is a member of the field `metadata`, if that takes an object. */
export function withMembers(sent: Sent, fields: Fields, problems: RefusalError[]): Sent {
  const left = new Map(sent)
  const objects = new Map<string, [string, string][]>()
  for (const [name, texts] of sent) {
    const [, of = '', key = ''] = /^(\w+)\[(.*)\]$/s.exec(name) ?? []
    if (!Object.hasOwn(fields, of) || fields[of]?.schema.type !== 'object') continue
    left.delete(name)
    const [text] = texts
    if (texts.length > 1) addProblem(problems, 'field_repeated', { field: printable(name) })
    else if (text === undefined)
      addProblem(problems, 'field_invalid', { field: printable(name), value: '…', rule: 'percent-encoded UTF-8' })
    else objects.set(of, [...(objects.get(of) ?? []), [key, text]])
  }
  for (const [name, members] of objects)
    left.set(name, [...(left.get(name) ?? []), JSON.stringify(Object.fromEntries(members))])
  return left
}

/** Parses `a=1&b=2`, as in a form or a query. */
export function parsePairs(encoded: string, problems: RefusalError[]): Sent {
  const sent = new Map<string, (string | undefined)[]>()
  for (const pair of encoded.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decode(at === -1 ? pair : pair.slice(0, at))
    if (name === undefined) {
      const reason = `the field name '${printable(pair)}' is not percent-encoded UTF-8`
      addProblem(problems, 'malformed_request', { reason })
      continue
    }
    const value = decode(at === -1 ? '' : pair.slice(at + 1))
    const earlier = sent.get(name)
    if (earlier) earlier.push(value)
    else sent.set(name, [value])
  }
  return sent
}

function decode(encoded: string): string | undefined {
  if (!/[%+]/.test(encoded)) return encoded
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

const quote = 0x22
const comma = 0x2c
const bracket = 0x5b
const backslash = 0x5c
const bracketEnd = 0x5d
const brace = 0x7b
const braceEnd = 0x7d

/**
 * The first member name that an object of a JSON text has twice; undefined if there is none. The text must be valid JSON.
 * `JSON.parse` keeps the last of them, where another program that saw the same text may have kept the first.
 */
export function repeatedName(json: string): string | undefined {
  /** The names of each object that is open, outermost first; undefined for an array. */
  const open: (Set<string> | undefined)[] = []
  let names: Set<string> | undefined
  let isName = false // Whether the next string is the name of a member.
  for (let at = 0; at < json.length; at++) {
    const sign = json.charCodeAt(at)
    if (sign === quote) {
      const end = closingQuote(json, at)
      if (isName && names !== undefined) {
        const text = json.slice(at + 1, end)
        const name = text.includes('\\') ? (JSON.parse(`"${text}"`) as string) : text
        if (names.has(name)) return name
        names.add(name)
        isName = false
      }
      at = end
    } else if (sign === comma) isName = names !== undefined
    else if (sign === brace || sign === bracket) {
      open.push(names)
      names = sign === brace ? new Set() : undefined
      isName = sign === brace
    } else if (sign === braceEnd || sign === bracketEnd) names = open.pop()
  }
  return undefined
}

function closingQuote(json: string, from: number): number {
  for (let at = json.indexOf('"', from + 1); ; at = json.indexOf('"', at + 1)) {
    let slashes = 0
    while (json.charCodeAt(at - 1 - slashes) === backslash) slashes++
    if (slashes % 2 === 0) return at
  }
}
