/**
 * The fields of a request to place an order. A new field is added here: in `orderInputFields` for the form and in
 * `orderInputParameters` for the functions that place orders. The compiler refuses one without the
 * other, and `statements.test.ts` an argument that a function does not have.
 */
import { hash } from 'node:crypto'
import { endedIds } from '../example-ids.ts'
import { code, type FieldValues, optional, text } from '../input/fields.ts'
import type { Shape, Values } from 'pg-statements/statement.ts'
import { nullable, text as textType } from 'pg-statements/types.ts'

export const referenceLengthMax = 64 // Longer than the order numbers of ERP systems, and short enough for an index.
const commentLengthMax = 1_000 // A paragraph. It keeps a form of escaped characters under the limit of bodies.

/** What the client says about the order, besides the cart group. Stored with the order in columns of the same names. */
export const orderInputFields = {
  zip: text({ description: 'The postal code.', example: '10115' }),
  country_code: code({ description: 'From GET /api/v1/countries/.', example: 'DE' }),
  region_code: code({ description: 'From GET /api/v1/regions/; it must belong to the country.', example: 'DE-BE' }),
  city: text({ description: 'The city.', example: 'Berlin' }),
  street: text({ description: 'The street.', example: 'Invalidenstraße' }),
  home: text({ description: 'The house number.', example: '116' }),
  room: optional(text({ description: 'The premises number.', example: '3' })),
  reference: optional(
    text({
      max: referenceLengthMax,
      description:
        'Your own number for the order. Orders can be listed by it. If the distributor has set that your references are unique, a second order with the same one is refused.',
      example: 'PO-2026-0815',
    }),
  ),
  comment: optional(
    text({
      max: commentLengthMax,
      description: 'A remark for the people who handle the order.',
      example: 'Please call before delivery.',
    }),
  ),
}

export const placeOrderFields = {
  cart_group_key: text({
    description: 'The key of the group, from the list of cart items.',
    example: endedIds.cart_group_key,
  }),
  ...orderInputFields,
}

export const orderInputParameters = {
  zip: textType,
  country_code: textType,
  region_code: textType,
  city: textType,
  street: textType,
  home: textType,
  room: nullable(textType),
  reference: nullable(textType),
  comment: nullable(textType),
} satisfies Record<keyof OrderInput, Shape[string]>

export type OrderInput = FieldValues<typeof orderInputFields>

/** The input as functions take it: null for an absent field. */
export const orderInputValues = (input: OrderInput): Values<typeof orderInputParameters> => ({
  ...input,
  room: input.room ?? null,
  reference: input.reference ?? null,
  comment: input.comment ?? null,
})

/**
 * By which a repeated request is recognised. It covers every field that is present, by name: a field added later cannot be
 * forgotten, and requests without it keep their digest.
 */
export function orderInputDigest(input: OrderInput): Uint8Array {
  const present = Object.entries(input).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))), 'buffer')
}
