/** Delivery addresses that a client saves. An order names one by its id, and copies it. */
import Type, { type Static } from 'typebox'
import { regionProblems } from '../../catalogue/countries.ts'
import { call, functionCall } from '../../functions/call.ts'
import type { Actor } from '../../identity/actor.ts'
import { ownNameLengthMax, text as textField, type FieldValues } from '../../input/fields.ts'
import { cutPage, idAfter, type Page, type PageRequest } from '../../vocabulary/paging.ts'
import { Refusal } from '../../vocabulary/refusals.ts'
import type { Database } from 'pg-statements/database.ts'
import { shortStatement } from 'pg-statements/statement.ts'
import { int4, int8, text } from 'pg-statements/types.ts'
import { addressFields, addressInputFields, addressSchemas, addressValues, exampleAddress } from '../order-input.ts'

export const addressesMax = 1_000

const nameField = textField({
  max: ownNameLengthMax,
  description: 'Your name for the address. Another address with this name is replaced.',
  example: 'Workshop North',
})

export const savedAddressFields = { address_name: nameField, ...addressInputFields }

export const SavedAddress = Type.Object(
  {
    address_id: Type.Integer({ description: 'Orders take it in place of the fields.' }),
    address_name: Type.String({ description: 'Your name for the address.' }),
    ...addressSchemas,
  },
  { $id: 'SavedAddress', examples: [{ address_id: 21, address_name: 'Workshop North', ...exampleAddress }] },
)
export type SavedAddress = Static<typeof SavedAddress>

const columns = { address_id: int8, address_name: text, ...addressFields }

const listAddressesSql = shortStatement('list-addresses', {
  sql: `select address_id, address_name, ${Object.keys(addressFields).join(', ')} from addresses d
    where client_id = :client_id and address_id > :after_id
    order by address_id limit :page_size`,
  parameters: { client_id: int8, after_id: int8, page_size: int8 },
  columns,
})

const putAddressSql = functionCall(new URL('put_address.sql', import.meta.url), {
  parameters: { client: int8, contact: int8, address_name: text, ...addressFields, addresses_max: int4 },
  columns: { address_id: int8 },
})

const deleteAddressSql = shortStatement('delete-address', {
  sql: `delete from addresses d where client_id = :client_id and address_id = :address_id
    returning address_id`,
  parameters: { client_id: int8, address_id: int8 },
  columns: { address_id: int8 },
})

export async function listAddresses(
  db: Database,
  { client_id }: Pick<Actor, 'client_id'>,
  page: PageRequest,
): Promise<Page<SavedAddress>> {
  const rows = await db.rows(listAddressesSql, {
    client_id,
    after_id: idAfter(page) ?? 0,
    page_size: page.limit + 1,
  })
  return cutPage(rows, page, ({ address_id }) => address_id)
}

export async function putAddress(
  db: Database,
  { client_id, contact_id }: Actor,
  { address_name, ...input }: FieldValues<typeof savedAddressFields>,
): Promise<SavedAddress> {
  const problems = regionProblems(input.country_code, input.region_code)
  if (problems.length > 0) throw new Refusal(problems)
  const address = addressValues(input)
  const { address_id } = await call(db, putAddressSql, {
    client: client_id,
    contact: contact_id,
    address_name,
    ...address,
    addresses_max: addressesMax,
  })
  return { address_id, address_name, ...address }
}

export async function deleteAddress(
  db: Database,
  { client_id }: Actor,
  { address_id }: { address_id: number },
): Promise<{ address_id: number }> {
  const deleted = await db.row(deleteAddressSql, { client_id, address_id })
  if (deleted === undefined) throw new Refusal('address_not_found', { address_id })
  return deleted
}
