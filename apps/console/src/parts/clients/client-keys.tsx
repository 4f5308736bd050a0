/** The keys of a client: issued to a contact and shown once, revoked for good. Only admins may list them. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { ClientKey, OperatorClient } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'
import { FieldsDialog } from '../fields-dialog.tsx'
import { KeyState } from './key-state.tsx'
import { Listing, Table, usePages } from '../listing.tsx'
import { SecretDialog } from './secret.tsx'

type Open = { readonly kind: 'issue' } | { readonly kind: 'revoke'; readonly key: ClientKey }

export function ClientKeys({ client: { client_id, contacts } }: { client: OperatorClient }) {
  const { t, dateTime } = useWords()
  const queries = useQueryClient()
  const [open, setOpen] = useState<Open | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const queryKey = ['client-keys', client_id]
  const paged = usePages(queryKey, (cursor, options) => api.listClientKeys({ client_id, ...cursor }, options))
  const reload = () => queries.invalidateQueries({ queryKey })
  const contactOf = (id: number): string =>
    contacts.find(({ contact_id }) => contact_id === id)?.contact_name ?? String(id)
  return (
    <section>
      <div className="section-head">
        <h2>{t('keys')}</h2>
        <Button size="compact-sm" variant="default" onClick={() => setOpen({ kind: 'issue' })}>
          {t('key_issue')}
        </Button>
      </div>
      <Listing paged={paged} empty={t('keys_empty')}>
        <Table
          label={t('keys')}
          rows={paged.rows}
          idOf={({ key_id }) => key_id}
          columns={[
            { label: t('number'), cell: ({ key_id }) => key_id },
            { label: t('contact'), cell: ({ contact_id }) => contactOf(contact_id) },
            { label: t('issued'), cell: ({ created_at }) => dateTime(created_at) },
            {
              label: t('last_used'),
              cell: (key) => (key.last_used_at === null ? t('never') : dateTime(key.last_used_at)),
            },
            { label: t('state'), cell: (key) => <KeyState {...key} /> },
            {
              label: t('actions'),
              quiet: true,
              cell: (key) =>
                key.revoked_at === null && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t('key_revoke_of', { number: String(key.key_id) })}
                    onClick={() => setOpen({ kind: 'revoke', key })}
                  >
                    {t('key_revoke')}
                  </Button>
                ),
            },
          ]}
        />
      </Listing>
      {open?.kind === 'issue' && (
        <FieldsDialog
          title={t('key_issue')}
          submit={t('key_issue')}
          fields={[
            {
              name: 'contact_id',
              label: t('contact'),
              type: 'select',
              options: contacts.map(({ contact_id, contact_name }) => [String(contact_id), contact_name]),
            },
            { name: 'expires_on', label: t('expires_on'), type: 'date', optional: true },
          ]}
          onSubmit={async ({ contact_id, expires_on = '' }) => {
            const { key } = await api.issueClientKey({
              client_id,
              contact_id: Number(contact_id),
              ...(expires_on === '' ? {} : { expires_on }),
            })
            setSecret(key)
            await reload()
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {open?.kind === 'revoke' && (
        <FieldsDialog
          title={t('key_revoke_of', { number: String(open.key.key_id) })}
          effect={() => t('key_revoke_effect')}
          submit={t('key_revoke')}
          danger
          fields={[]}
          onSubmit={async () => {
            await api.revokeClientKey({ key_id: open.key.key_id })
            await reload()
          }}
          onClose={() => setOpen(null)}
        />
      )}
      {secret !== null && <SecretDialog title={t('key_issue')} secret={secret} onClose={() => setSecret(null)} />}
    </section>
  )
}
