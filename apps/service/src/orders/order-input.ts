/**
 * What a client says about an order besides its cart group: one declaration for each field. The form, the arguments of
 * the functions that place orders, the columns of statements and what answers and events show come from it, and
 * erase-contact.test.ts proves that what is personal is erased.
 */
import { hash } from 'node:crypto'
import Type from 'typebox'
import { regionProblems } from '../catalogue/countries.ts'
import { endedIds, exampleIds } from '../vocabulary/example-ids.ts'
import { code, id, optional, text, unless, type Field, type FieldValues } from '../input/fields.ts'
import { metadata } from '../input/metadata.ts'
import type { RefusalError } from '../vocabulary/refusals.ts'
import { textOrNull } from '../vocabulary/schema-parts.ts'
import type { Values } from 'pg-statements/statement.ts'
import { int8, nullable, text as textType, type Type as ColumnType } from 'pg-statements/types.ts'

export const referenceLengthMax = 64 // Longer than the order numbers of ERP systems, and short enough for an index.
const commentLengthMax = 1_000 // A paragraph. It keeps a form of escaped characters under the limit of bodies.

/**
 * `at once`: by erase_contact.sql. `when done`: by erase_addresses.sql, since the goods must still arrive. `never`: it
 * describes no person.
 */
type Erased = 'at once' | 'when done' | 'never'

interface SentText<F extends Field<string | undefined> = Field<string | undefined>> {
  /** In the request. It is stored in the column of its name. */
  readonly field: F
  /** What it is, in answers. */
  readonly shown: string
  /** When erasing the contact who ordered erases it. What may name or describe a person is not kept for ever. */
  readonly erased: Erased
}
type SentTexts = Readonly<Record<string, SentText>>

const sent = <F extends Field<string | undefined>>(
  field: F,
  about: { shown: string; erased: Erased },
): SentText<F> => ({ field, ...about })

/** Where to deliver; shown with include=address. It may be where a person works or lives. */
const address = {
  zip: sent(text({ description: 'The postal code.', example: '10115' }), {
    shown: 'The postal code.',
    erased: 'when done',
  }),
  country_code: sent(code({ description: 'From GET /api/v1/countries/.', example: 'DE' }), {
    shown: 'See GET /api/v1/countries/.',
    erased: 'never',
  }),
  region_code: sent(
    code({ description: 'From GET /api/v1/regions/; it must belong to the country.', example: 'DE-BE' }),
    { shown: 'See GET /api/v1/regions/.', erased: 'when done' },
  ),
  city: sent(text({ description: 'The city.', example: 'Berlin' }), { shown: 'The city.', erased: 'when done' }),
  street: sent(text({ description: 'The street.', example: 'Invalidenstraße' }), {
    shown: 'The street.',
    erased: 'when done',
  }),
  home: sent(text({ description: 'The house number.', example: '116' }), {
    shown: 'The house number.',
    erased: 'when done',
  }),
  room: sent(optional(text({ description: 'The premises number.', example: '3' })), {
    shown: 'The premises number, if one was given.',
    erased: 'when done',
  }),
  recipient: sent(optional(text({ description: 'The person who receives the goods.', example: 'Jonas Weber' })), {
    shown: 'Who receives the goods, if somebody was named.',
    erased: 'when done',
  }),
  company: sent(optional(text({ description: 'The company at this address.', example: 'Weber Workshop GmbH' })), {
    shown: 'The company at this address, if one was given.',
    erased: 'when done',
  }),
  phone: sent(optional(text({ max: 50, description: 'Where the carrier can call.', example: '+49 30 1234567' })), {
    shown: 'Where the carrier can call, if a number was given.',
    erased: 'when done',
  }),
  email: sent(
    optional(text({ max: 254, description: 'Where the carrier can write to.', example: 'jonas@weber.example' })),
    { shown: 'Where the carrier can write to, if an address was given.', erased: 'when done' },
  ),
}

/** Shown with include=reference. */
const remarks = {
  reference: sent(
    optional(
      text({
        max: referenceLengthMax,
        description:
          'Your own number for the order. Orders can be listed by it. If the distributor has set that your references are unique, a second order with the same one is refused.',
        example: 'PO-2026-0815',
      }),
    ),
    { shown: "The client's own number for the order.", erased: 'when done' },
  ),
  comment: sent(
    optional(
      text({
        max: commentLengthMax,
        description: 'A remark for the people who handle the order.',
        example: 'Please call before delivery.',
      }),
    ),
    { shown: "The client's remark.", erased: 'at once' },
  ),
}

const all = { ...address, ...remarks }

type IsOptional<S extends SentText> = undefined extends FieldValues<{ it: S['field'] }>['it'] ? true : false
type Columns<S extends SentTexts> = {
  [K in keyof S]: IsOptional<S[K]> extends true ? ColumnType<string | null> : ColumnType<string>
}
type Schemas<S extends SentTexts> = {
  [K in keyof S]: IsOptional<S[K]> extends true ? ReturnType<typeof textOrNull> : Type.TString
}

const each = (texts: SentTexts, from: (one: SentText) => unknown): object =>
  Object.fromEntries(Object.entries(texts).map(([name, one]) => [name, from(one)]))

/** What is made of each text, by its name. The types say what `each` cannot know. */
const columnsOf = <S extends SentTexts>(texts: S): Columns<S> =>
  each(texts, ({ field }) => (field.required ? textType : nullable(textType))) as Columns<S>
const schemasOf = <S extends SentTexts>(texts: S): Schemas<S> =>
  each(texts, ({ field, shown }) =>
    field.required ? Type.String({ description: shown }) : textOrNull(shown),
  ) as Schemas<S>
const examplesOf = <S extends SentTexts>(texts: S): Record<keyof S, string> =>
  each(texts, ({ field }) => (field.schema['examples'] as string[])[0]) as Record<keyof S, string>

export const orderInputFields = each(all, ({ field }) => field) as {
  readonly [K in keyof typeof all]: (typeof all)[K]['field']
}
type InputValues = FieldValues<typeof orderInputFields>
type RequiredNames = { [K in keyof typeof all]: IsOptional<(typeof all)[K]> extends true ? never : K }[keyof typeof all]
export type OrderInput = Pick<InputValues, RequiredNames> & Partial<InputValues>

/** Of a saved address; when ordering, these may be sent beside an address_id and stand before what it has. */
const ownPerAddress = ['recipient', 'company', 'phone', 'email'] as const
type OwnPerAddress = (typeof ownPerAddress)[number]

/** The fields of an address, as they are saved. */
export const addressInputFields = each(address, ({ field }) => field) as {
  readonly [K in keyof typeof address]: (typeof address)[K]['field']
}

/** Null for an absent field. */
export const addressValues = (input: FieldValues<typeof addressInputFields>): Values<typeof addressFields> =>
  Object.fromEntries(Object.keys(address).map((name) => [name, input[name as keyof typeof address] ?? null])) as Values<
    typeof addressFields
  >

const placeFields = Object.fromEntries(
  Object.entries(orderInputFields).map(([name, field]) => [
    name,
    name in address && !ownPerAddress.includes(name as OwnPerAddress) ? unless('address_id', field) : field,
  ]),
) as { readonly [K in keyof InputValues]: Field<InputValues[K] | undefined> }

/** Those of an order: the fields of the address, or the id of a saved one. */
export const orderedFields = {
  address_id: optional(
    id(
      'A saved address, instead of the fields from `zip` to `room`. `recipient`, `company`, `phone` and `email` stand before those of the address.',
      exampleIds.address_id,
    ),
  ),
  ...placeFields,
}

export const placeOrderFields = {
  cart_group_key: text({
    description: 'The key of the group, from the list of cart items.',
    example: endedIds.cart_group_key,
  }),
  ...orderedFields,
  metadata: optional(
    metadata({
      description:
        'Texts of your own, such as a job or a machine, at most 20; in a form as `metadata[key]=value`. You see them with `include=metadata`, and find orders by them. They are not part of what a repeated request is recognised by.',
      empty: 'left out',
    }),
  ),
}
/** Without an address_id, the fields of the address are there. */
export type PlacedInput = Partial<OrderInput> & { readonly address_id?: number | undefined }

/** The arguments of the functions that place orders. statements.test.ts refuses one that a function does not have. */
export const orderInputParameters = { ...columnsOf(all), saved_address: nullable(int8) }

/** The input as functions take it: null for an absent field. */
export const orderInputValues = (input: PlacedInput): Values<typeof orderInputParameters> =>
  ({
    ...Object.fromEntries(Object.keys(all).map((name) => [name, input[name as keyof OrderInput] ?? null])),
    saved_address: input.address_id ?? null,
  }) as Values<typeof orderInputParameters>

/** Of an address that was sent. */
export const inputProblems = ({ country_code, region_code }: PlacedInput): RefusalError[] =>
  country_code === undefined || region_code === undefined ? [] : regionProblems(country_code, region_code)

/** The columns of statements, the schemas of answers, and examples of both. */
export const addressFields = columnsOf(address)
export const addressSchemas = schemasOf(address)
export const exampleAddress = examplesOf(address)
export const remarkFields = columnsOf(remarks)
/** Their names, for descriptions. */
export const remarkNames = new Intl.ListFormat('en').format(Object.keys(remarks).map((name) => `\`${name}\``))
export const remarkSchemas = schemasOf(remarks)
export const exampleRemarks = examplesOf(remarks)

/** The names of the fields that are erased then. */
export const fieldsErased = (when: Erased): readonly string[] =>
  Object.entries(all).flatMap(([name, { erased }]) => (erased === when ? [name] : []))

/**
 * By which a repeated request is recognised. It covers every field that is present, by name: a field added later cannot be
 * forgotten, and requests without it keep their digest.
 */
export function orderInputDigest(input: PlacedInput): Uint8Array {
  const present = Object.entries(input).filter(([, value]) => value !== undefined)
  return hash('sha256', JSON.stringify(present.sort(([a], [b]) => (a < b ? -1 : 1))), 'buffer')
}
