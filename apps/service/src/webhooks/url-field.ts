import { readUrl, urlLengthMax, urlRule, type AddressPolicy } from './public-address.ts'
import type { Field } from '../input/fields.ts'

/** The URL of an endpoint, normalised. */
export const urlField = (
  policy: AddressPolicy,
  { what, example }: { what: string; example: string },
): Field<string> => ({
  required: true,
  schema: {
    type: 'string',
    format: 'uri',
    maxLength: urlLengthMax,
    description: `The URL to send ${what} to: ${urlRule}.`,
    examples: [example],
  },
  rule: urlRule,
  read: (text) => readUrl(text, policy)?.href,
})
