/** What an admin changes about a client: the limit of a contract, a block, a contact. */
import type { ContractTerms, OperatorClient } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'
import { FieldsDialog } from '../fields-dialog.tsx'

export type ClientAction =
  | { readonly kind: 'block' | 'unblock' | 'contact' }
  | { readonly kind: 'limit'; readonly contract: ContractTerms }

export function ClientActionDialog({
  client: { client_id },
  action,
  onDone,
  onClose,
}: {
  client: OperatorClient
  action: ClientAction
  onDone: () => Promise<void>
  onClose: () => void
}) {
  const { t, money } = useWords()
  const limitText = (limit: number): string => (limit === 0 ? t('no_limit') : money(limit))
  switch (action.kind) {
    case 'limit': {
      const { contract_id, contract_name, contract_limit, exposure } = action.contract
      return (
        <FieldsDialog
          title={t('limit_change_of', { name: contract_name })}
          effect={({ limit }) =>
            t('limit_effect', {
              used: money(exposure),
              before: limitText(contract_limit),
              after: limitText(Number(limit)),
            })
          }
          submit={t('save')}
          fields={[
            {
              name: 'limit',
              label: t('limit_field'),
              type: 'number',
              step: '0.01',
              value: String(contract_limit),
            },
          ]}
          onSubmit={async ({ limit }, confirmation) => {
            await api.changeContract({
              client_id,
              contract_id,
              contract_limit: Number(limit),
              expected: contract_limit,
              ...confirmation,
            })
            await onDone()
          }}
          onClose={onClose}
        />
      )
    }
    case 'block':
      return (
        <FieldsDialog
          title={t('block')}
          effect={() => t('block_effect')}
          submit={t('block')}
          danger
          fields={[{ name: 'reason', label: t('reason') }]}
          onSubmit={async ({ reason = '' }) => {
            await api.blockClient({ client_id, reason: reason.trim() })
            await onDone()
          }}
          onClose={onClose}
        />
      )
    case 'unblock':
      return (
        <FieldsDialog
          title={t('unblock')}
          effect={() => t('unblock_effect')}
          submit={t('unblock')}
          fields={[]}
          onSubmit={async () => {
            await api.unblockClient({ client_id })
            await onDone()
          }}
          onClose={onClose}
        />
      )
    default:
      return (
        <FieldsDialog
          title={t('contact_add')}
          submit={t('save')}
          fields={[
            { name: 'name', label: t('name') },
            { name: 'email', label: t('email'), type: 'email', optional: true },
          ]}
          onSubmit={async ({ name = '', email = '' }) => {
            await api.createContact({
              client_id,
              contact_name: name,
              ...(email === '' ? {} : { contact_email: email }),
            })
            await onDone()
          }}
          onClose={onClose}
        />
      )
  }
}
