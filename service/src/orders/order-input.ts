/**
 * The fields of a request to place an order. A new field is added here: in `orderInputFields` for the form and in
 * `orderInputParameters` for place-order.sql. The compiler refuses one without the other, and the statement does not load
 * before it takes the parameter.
 */
import { hash } from 'node:crypto'
import { type FieldValues, optional, text } from '../input/fields.ts'
import type { Shape, Values } from 'pg-statements/statement.ts'
import { nullable, text as textType } from 'pg-statements/types.ts'

/** What the client says about the order, besides the cart group. Stored with the order in columns of the same names. */
const orderInputFields = {
  zip: text({ description: 'The postal code.', example: '10115' }),
  country_code: text({ description: 'From GET /api/v1/countries/.', example: 'DE' }),
  region_code: text({ description: 'From GET /api/v1/regions/; it must belong to the country.', example: 'DE-BE' }),
  city: text({ description: 'The city.', example: 'Berlin' }),
  street: text({ description: 'The street.', example: 'Invalidenstraße' }),
  home: text({ description: 'The house number.', example: '116' }),
  room: optional(text({ description: 'The premises number.', example: '3' })),
}

export const placeOrderFields = {
  cart_group_key: text({
    description: 'The key of the group, from the list of cart items.',
    example: '77-5d3c0f6a1b2e4c8d-9a8b7c6d5e4f3a2b',
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
} satisfies Record<keyof OrderInput, Shape[string]>

export type OrderInput = FieldValues<typeof orderInputFields>

/** The input as place-order.sql takes it: null for an absent field. */
export const orderInputValues = (input: OrderInput): Values<typeof orderInputParameters> => ({
  ...input,
  room: input.room ?? null,
})

/**
 * By which a repeated request is recognised. It covers every field that is present, by name: a field added later cannot be
 * forgotten, and requests without it keep their digest.
 */
export function orderInputDigest(input: OrderInput): Uint8Array {
  const present = Object.entries(input).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))), 'buffer')
}
