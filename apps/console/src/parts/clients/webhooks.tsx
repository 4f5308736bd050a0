/** Webhooks and their health: of one client, or those of all. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import type { OperatorWebhook } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useMay } from '../../me.ts'
import type { WordKey } from '../../words/en.ts'
import { useWords } from '../../words/words.tsx'
import { FieldsDialog } from '../fields-dialog.tsx'
import { Listing, Table, usePages } from '../listing.tsx'
import { useDrawn } from '../rows.ts'

export function Webhooks({ client_id, onlyPaused = false }: { client_id?: number; onlyPaused?: boolean }) {
  const { t } = useWords()
  const queries = useQueryClient()
  const mayAdminister = useMay('administer')
  const [open, setOpen] = useState<OperatorWebhook | null>(null)
  const isOfAll = client_id === undefined
  const filters = { ...(!isOfAll && { client_id }), ...(onlyPaused && { paused: true }) }
  const paged = usePages(['webhooks', filters], (cursor, options) =>
    api.listClientWebhooks({ ...filters, ...cursor }, options),
  )
  const drawn = useDrawn(paged.rows)
  const number = String(open?.webhook_id ?? '')
  return (
    <section>
      {!isOfAll && <h2>{t('webhooks')}</h2>}
      {!isOfAll && paged.list.isSuccess && paged.rows.length === 0 ? (
        <p className="dim">{t('webhooks_empty')}</p>
      ) : (
        <Listing paged={paged} empty={t('webhooks_empty')}>
          <Table
            label={t('webhooks')}
            rows={drawn}
            idOf={({ webhook_id }) => webhook_id}
            columns={[
              { label: t('number'), cell: ({ webhook_id }) => webhook_id },
              ...(isOfAll
                ? [
                    {
                      label: t('client'),
                      cell: (one: OperatorWebhook) => (
                        <Link href={`/clients/${one.client_id}`}>
                          {t('client_number', { number: String(one.client_id) })}
                        </Link>
                      ),
                    },
                  ]
                : []),
              { label: t('webhook_address'), cell: ({ url }) => <span className="break">{url}</span> },
              { label: t('webhook_health'), cell: (one) => <Health webhook={one} /> },
              {
                label: t('actions'),
                quiet: true,
                cell: (one) =>
                  mayAdminister && (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={t(one.active ? 'webhook_pause_of' : 'webhook_resume_of', {
                        number: String(one.webhook_id),
                      })}
                      onClick={() => setOpen(one)}
                    >
                      {t(one.active ? 'webhook_pause' : 'webhook_resume')}
                    </Button>
                  ),
              },
            ]}
          />
        </Listing>
      )}
      {open !== null && (
        <FieldsDialog
          title={t(open.active ? 'webhook_pause_of' : 'webhook_resume_of', { number })}
          effect={() => t(open.active ? 'webhook_pause_effect' : 'webhook_resume_effect')}
          submit={t(open.active ? 'webhook_pause' : 'webhook_resume')}
          fields={open.active ? [{ name: 'text', label: t('reason') }] : []}
          onSubmit={async ({ text = '' }) => {
            const { webhook_id } = open
            await (open.active ? api.pauseClientWebhook({ webhook_id, text }) : api.resumeClientWebhook({ webhook_id }))
            await queries.invalidateQueries({ queryKey: ['webhooks'] })
          }}
          onClose={() => setOpen(null)}
        />
      )}
    </section>
  )
}

function Health({ webhook }: { webhook: OperatorWebhook }) {
  const { t, dateTime } = useWords()
  if (webhook.paused_at !== null)
    return (
      <>
        <span className="badge" data-state="held">
          {t('webhook_paused')}
        </span>
        <span className="dim">
          {t(`paused_${webhook.paused_reason ?? 'owner'}` as WordKey)} {dateTime(webhook.paused_at)}{' '}
          {webhook.paused_text}
        </span>
      </>
    )
  if (webhook.failing_since !== null)
    return (
      <span className="refused">
        {t('webhook_failing', { when: dateTime(webhook.failing_since), failure: webhook.last_failure ?? '' })}
      </span>
    )
  return (
    <span className="badge" data-state="completed">
      {t('webhook_ok')}
    </span>
  )
}
