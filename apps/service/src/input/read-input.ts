/** Reads the fields of a request from its path, query and body, and says where a field belongs that was sent elsewhere. */
import { readFields, readText, type Field, type Fields, type Sent } from './fields.ts'
import { printable } from '../vocabulary/printable.ts'
import { addProblem, type Place } from './problems.ts'
import type { RefusalError } from '../vocabulary/refusals.ts'

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
