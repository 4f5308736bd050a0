/** Where a new order goes: to an address of the client's last orders, to one that it has saved, or to another one. */
import { TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'
import { addressNames, fieldsOf, type AddressFields, type Draft } from './draft.ts'

const ordersRead = 20
const usedMax = 3
const savedMax = 20

/** The addresses of the client's last orders, the last one first, and those that it has saved. */
export function useAddresses(client_id: number | undefined) {
  return useQuery({
    queryKey: ['addresses', client_id],
    queryFn: async ({ signal }) => {
      const of = client_id ?? 0
      const [orders, saved] = await Promise.all([
        api.listClientOrders({ client_id: of, limit: ordersRead }, { signal }),
        api.listClientAddresses({ client_id: of, limit: savedMax }, { signal }),
      ])
      const used = orders.data.filter(({ address }) => address.street !== '').map(({ address }) => fieldsOf(address))
      return [...distinct(used).slice(0, usedMax), ...saved.data.map(fieldsOf)]
    },
    enabled: client_id !== undefined,
    staleTime: 60_000,
  })
}

const emptyAddress = Object.fromEntries(addressNames.map((name) => [name, ''])) as AddressFields

const required = ['street', 'home', 'zip', 'city', 'country_code', 'region_code'] as const
export const isComplete = (address: AddressFields | undefined): address is AddressFields =>
  address !== undefined && required.every((name) => address[name].trim() !== '')

export function AddressChoice({
  known,
  draft: { address, isOwnAddress },
  onChange,
}: {
  known: readonly AddressFields[]
  draft: Pick<Draft, 'address' | 'isOwnAddress'>
  onChange: (fields: Pick<Draft, 'address' | 'isOwnAddress'>) => void
}) {
  const { t } = useWords()
  const id = useId()
  const [last] = known
  const choices = distinct(address === null || isOwnAddress ? known : [...known, address])
  const chosen = isOwnAddress ? undefined : (address ?? last)
  const isOther = chosen === undefined
  const shown = address ?? emptyAddress
  return (
    <fieldset className="card addresses">
      <legend>{t('address')}</legend>
      {choices.map((one) => (
        <label key={JSON.stringify(one)}>
          <input
            type="radio"
            name={id}
            checked={chosen !== undefined && isSame(one, chosen)}
            onChange={() => onChange({ address: one, isOwnAddress: false })}
          />
          <span>
            {[one.company, one.recipient].filter((part) => part !== '').join(', ')}
            <span className={one.company === '' && one.recipient === '' ? undefined : 'dim'}>
              {[one.street, one.home, one.room].filter((part) => part !== '').join(' ')}
              <br />
              {one.zip} {one.city}, {one.country_code}
            </span>
          </span>
        </label>
      ))}
      {choices.length > 0 && (
        <label>
          <input
            type="radio"
            name={id}
            checked={isOther}
            onChange={() => onChange({ address: chosen ?? emptyAddress, isOwnAddress: true })}
          />
          <span>{t('address_other')}</span>
        </label>
      )}
      {isOther && (
        <div className="address-fields">
          {addressNames.map((name) => (
            <TextInput
              key={name}
              label={t(`address_${name}`)}
              required={(required as readonly string[]).includes(name)}
              value={shown[name]}
              data-field={name}
              placeholder={name === 'country_code' ? 'DE' : name === 'region_code' ? 'DE-BE' : undefined}
              onChange={({ currentTarget }) =>
                onChange({ address: { ...shown, [name]: currentTarget.value }, isOwnAddress: true })
              }
            />
          ))}
        </div>
      )}
    </fieldset>
  )
}

const distinct = (addresses: readonly AddressFields[]): AddressFields[] => [
  ...new Map(addresses.map((address) => [JSON.stringify(address), address])).values(),
]

const isSame = (one: AddressFields, other: AddressFields): boolean => JSON.stringify(one) === JSON.stringify(other)
