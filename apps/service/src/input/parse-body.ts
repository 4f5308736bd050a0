/** Parses JSON objects, forms and queries into texts by name, which `readFields` then checks by the same rules. */
import type { Field, Fields, Sent } from './fields.ts'
import { printable } from '../vocabulary/printable.ts'
import { addProblem } from './problems.ts'
import { repeatedName } from './repeated-name.ts'
import type { RefusalError } from '../vocabulary/refusals.ts'

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
  type === 'string' || type === 'array' ? `a JSON ${type}` : rule

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
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
