/** A client in one form: client, contact, contract and stocks; then the key of the contact, shown once. */
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'
import { FieldsDialog, type Values } from '../fields-dialog.tsx'
import { Modal } from '../modal.tsx'
import { usePlaces } from '../places.ts'
import { SecretDialog } from './secret.tsx'
import { Loading } from '../orders/states.tsx'

interface Created {
  readonly client_id: number
  readonly contact_id: number
}

export function NewClientDialog({ onClose }: { onClose: () => void }) {
  const { t, problem } = useWords()
  const [, navigate] = useLocation()
  const created = useRef<Created | null>(null)
  const secret = useRef<string | null>(null)
  const [issued, setIssued] = useState<string | null>(null)
  const choices = usePlaces()
  // If only the key failed, the next press must not create a second client.
  const create = async (values: Values): Promise<void> => {
    const { client_id, contact_id } = (created.current ??= await api.createClient(paramsOf(values)))
    secret.current = (await api.issueClientKey({ client_id, contact_id })).key
    setIssued(secret.current)
  }
  const leave = (): void => {
    onClose()
    if (created.current !== null) navigate(`/clients/${created.current.client_id}`)
  }
  if (issued !== null) return <SecretDialog title={t('client_new')} secret={issued} onClose={leave} />
  if (choices.data === undefined)
    return (
      <Modal title={t('client_new')} onClose={onClose}>
        {choices.isLoadingError ? <p className="refused">{problem(choices.error)}</p> : <Loading />}
      </Modal>
    )
  const { lists, stocks } = choices.data
  return (
    <FieldsDialog
      title={t('client_new')}
      effect={() => t('client_create_effect')}
      submit={t('client_create')}
      onSubmit={create}
      onClose={() => {
        if (secret.current === null) leave() // Otherwise the key is shown first.
      }}
      fields={[
        { name: 'client_name', label: t('client') },
        { name: 'contact_name', label: t('contact') },
        { name: 'contact_email', label: t('email'), type: 'email', optional: true },
        { name: 'contract_name', label: t('contract') },
        {
          name: 'price_list_id',
          label: t('price_list'),
          type: 'select',
          options: lists.map((one) => [String(one.price_list_id), `${one.price_list_name} (${one.currency_code})`]),
        },
        { name: 'contract_limit', label: t('limit_field'), type: 'number', step: '0.01', value: '0' },
        { name: 'tax_percent', label: t('tax_percent'), type: 'number', step: '0.01', value: '0' },
        {
          name: 'tax_mode',
          label: t('tax_mode'),
          type: 'select',
          options: [
            ['included', t('tax_included')],
            ['added', t('tax_added')],
          ],
        },
        {
          name: 'stock_ids',
          label: t('served_by'),
          type: 'checks',
          options: stocks.map(({ stock_id, stock_name }) => [String(stock_id), stock_name]),
        },
      ]}
    />
  )
}

const paramsOf = (values: Values): Parameters<typeof api.createClient>[0] => ({
  client_name: values['client_name'] ?? '',
  contact_name: values['contact_name'] ?? '',
  ...(values['contact_email'] ? { contact_email: values['contact_email'] } : {}),
  contract_name: values['contract_name'] ?? '',
  price_list_id: Number(values['price_list_id']),
  contract_limit: Number(values['contract_limit']),
  tax_percent: Number(values['tax_percent']),
  tax_mode: values['tax_mode'] === 'added' ? 'added' : 'included',
  stock_ids: (values['stock_ids'] ?? '').split(',').map(Number),
})
