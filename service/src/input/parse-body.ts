/** Parses JSON objects, forms and queries into texts by name, which `readFields` then checks by the same rules. */
import type { Fields, Sent } from './fields.ts'
import { printable } from './printable.ts'
import { refusalError, type RefusalError } from '../refusals.ts'

/** Parses a JSON object. Null is the same as absent. */
export function parseJson(body: string, fields: Fields, problems: RefusalError[]): Sent {
  if (body === '') return new Map()
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    parsed = undefined
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    problems.push(refusalError('malformed_request', { reason: 'the body is not a JSON object' }))
    return new Map()
  }
  const sent = new Map<string, (string | undefined)[]>()
  for (const [name, value] of Object.entries(parsed)) {
    const type = Object.hasOwn(fields, name) ? fields[name]?.schema.type : undefined
    if (type === undefined) sent.set(name, ['']) // `readFields` reports it as unknown.
    else if (value !== null && !isOfType(value, type)) {
      const rule = `a JSON ${type === 'integer' ? 'number' : type}`
      problems.push(refusalError('field_invalid', { field: name, value: printable(textOf(value)), rule }))
    } else if (value !== null) sent.set(name, [textOf(value)])
  }
  return sent
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'integer') return Number.isSafeInteger(value)
  return typeof value === type
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
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
      problems.push(
        refusalError('malformed_request', {
          reason: `the field name '${printable(pair)}' is not percent-encoded UTF-8`,
        }),
      )
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
  try {
    return decodeURIComponent(encoded.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}
