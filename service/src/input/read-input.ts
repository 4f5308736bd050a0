/** Reads the fields of a request from its path, query and body, and says where a field belongs that was sent elsewhere. */
import { readFields, type Field, type Fields, type Sent } from './fields.ts'
import { printable } from './printable.ts'
import { addProblem } from './problems.ts'
import type { RefusalError } from '../refusals.ts'

type Place = 'path' | 'query' | 'body'

interface Input {
  readonly accepted: Readonly<Record<Place, Fields>>
  readonly sent: Readonly<Record<Place, Sent>>
  /** Whether the query may repeat parameters of the path. */
  readonly mayRepeatPath: boolean
}

type Values = Record<string, unknown>

/** Adds all problems to `problems`. */
export function readInput(input: Input, problems: RefusalError[]): Record<'params' | 'query' | 'form', Values> {
  const { accepted, sent } = input
  return {
    params: readFields(accepted.path, sent.path, problems),
    query: readFields(accepted.query, withoutStrays('query', input, problems), problems, 'query'),
    form: readFields(accepted.body, withoutStrays('body', input, problems), problems),
  }
}

/** What was sent in one place, without the fields that do not belong there. Of these, only unknown ones are left. */
function withoutStrays(place: 'query' | 'body', input: Input, problems: RefusalError[]): Sent {
  const { accepted, sent, mayRepeatPath } = input
  const strays = [...sent[place].keys()].filter((name) => !Object.hasOwn(accepted[place], name))
  if (strays.length === 0) return sent[place]
  const left = new Map(sent[place])
  for (const name of strays) {
    const belongs = places.find((other) => Object.hasOwn(accepted[other], name))
    if (place === 'query' && belongs === 'path' && mayRepeatPath) checkRepeated(name, input, problems)
    else if (belongs !== undefined) addProblem(problems, 'field_misplaced', { field: name, place, belongs })
    else if (place === 'body' || !isIgnored(name)) continue
    left.delete(name)
  }
  return left
}

const places: readonly Place[] = ['path', 'query', 'body']

/** Cache busters and tracking parameters, which libraries and links add. */
const isIgnored = (name: string): boolean => name.startsWith('_') || name.startsWith('utm_')

/** A parameter of the path that the query repeats must have the same value. */
function checkRepeated(name: string, { accepted, sent }: Input, problems: RefusalError[]): void {
  const texts = sent.query.get(name) ?? []
  const { read } = accepted.path[name] as Field<unknown>
  const [inPath = ''] = sent.path.get(name) ?? []
  const [inQuery] = texts
  if (texts.length > 1) addProblem(problems, 'field_repeated', { field: name })
  else if (inQuery === undefined || (inQuery !== inPath && read(inQuery) !== read(inPath)))
    addProblem(problems, 'field_invalid', {
      field: name,
      value: printable(inQuery ?? '…'),
      rule: `the same as in the path, '${printable(inPath)}'`,
    })
}
