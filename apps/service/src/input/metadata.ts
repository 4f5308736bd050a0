/** Metadata: texts that clients and the distributor keep with an order, a client or an item, under keys of their own. */
import Type from 'typebox'
import { text, type Field } from './fields.ts'

export const metadataKeysMax = 20 // As many as most interfaces of shops and payments take.
const valueLengthMax = 500
const keyForm = /^[A-Za-z0-9_.-]{1,40}$/
const value = text({ max: valueLengthMax, description: 'The value.', example: null })

export type Metadata = Readonly<Record<string, string>>
export const exampleMetadata = { job: '2026-118', machine: 'TGX 18.480' }

/** In answers. */
export const metadataOf = (description: string) =>
  Type.Unsafe<Metadata>({
    type: 'object',
    additionalProperties: { type: 'string' },
    description,
    examples: [exampleMetadata],
  })

interface MetadataOptions {
  readonly description: string
  /** Whether a key with an empty value is kept, which means that it is to be removed. */
  readonly empty: 'kept' | 'left out'
}

/** A JSON object of texts; in a form also as `metadata[key]=value` (`withMembers` in read-input.ts). */
export const metadata = ({ description, empty }: MetadataOptions): Field<Metadata> => ({
  required: true,
  schema: {
    type: 'object',
    additionalProperties: { type: 'string', maxLength: valueLengthMax },
    propertyNames: { pattern: keyForm.source },
    maxProperties: metadataKeysMax,
    description,
    examples: [exampleMetadata],
  },
  rule: `at most ${metadataKeysMax} keys of 1 to 40 letters, digits, dots, dashes and underscores, each with a text: ${value.rule}`,
  read: (raw) => {
    const members = membersOf(raw)?.map(([key, one]) => [key, readValue(key, one)] as const)
    if (members === undefined || members.some(([, one]) => one === undefined)) return undefined
    const read = members.filter(([, one]) => empty === 'kept' || one !== '')
    return read.length > metadataKeysMax ? undefined : (Object.fromEntries(read) as Metadata)
  },
})

function membersOf(raw: string): [string, unknown][] | undefined {
  try {
    const object: unknown = JSON.parse(raw)
    return raw.startsWith('{') ? Object.entries(Object(object)) : undefined
  } catch {
    return undefined
  }
}

/** Undefined unless both are good. */
function readValue(key: string, given: unknown): string | undefined {
  if (typeof given !== 'string' || !keyForm.test(key)) return undefined
  return given.trim() === '' ? '' : value.read(given)
}

export interface MetadataPair {
  readonly key: string
  readonly value: string
}

/** For a query: orders with exactly this key and value. */
export const metadataPair = (description: string): Field<MetadataPair> => ({
  required: true,
  schema: {
    type: 'string',
    pattern: '^[A-Za-z0-9_.-]{1,40}:',
    maxLength: 41 + valueLengthMax,
    description,
    examples: ['job:2026-118'],
  },
  rule: 'a key, a colon and a value',
  read: (raw) => {
    const at = raw.indexOf(':')
    const key = raw.slice(0, Math.max(at, 0))
    const read = readValue(key, raw.slice(at + 1))
    return read === undefined || read === '' ? undefined : { key, value: read }
  },
})
