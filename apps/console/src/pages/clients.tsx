/** All clients, with what they owe of their limits, and a form that creates one with everything it needs to order. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { NewClientDialog } from '../parts/clients/client-new.tsx'
import { useFilters } from '../parts/filters.ts'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { LimitBar } from '../parts/orders/order-bits.tsx'
import { useDrawn, useRows } from '../parts/rows.ts'
import { SearchField } from '../parts/search-field.tsx'
import { useWords } from '../words/words.tsx'

export default function Clients() {
  const { t } = useWords()
  const [, navigate] = useLocation()
  const filters = useFilters()
  const search = filters.get('search')
  const mayAdminister = useMay('administer')
  const [isCreating, setCreating] = useState(false)
  const paged = usePages(['clients', search], (cursor, options) =>
    api.listClients({ ...(search.trim() === '' ? {} : { search }), ...cursor }, options),
  )
  const rows = useRows(
    paged.rows,
    ({ client_id }) => client_id,
    ({ client_id }) => navigate(`/clients/${client_id}`),
  )
  const drawn = useDrawn(paged.rows)
  return (
    <>
      <div className="page-head">
        <h1>{t('clients')}</h1>
        <div className="page-actions">
          <Link href="/webhooks">{t('webhooks')}</Link>
          {mayAdminister && (
            <Button size="sm" onClick={() => setCreating(true)}>
              {t('client_new')}
            </Button>
          )}
        </div>
      </div>
      <div className="filters fields">
        <SearchField
          label={t('find')}
          hint={t('clients_search')}
          value={search}
          onChange={(value) => filters.set('search', value)}
        />
      </div>
      <Listing paged={paged} empty={t('clients_empty')} hint={search === '' ? undefined : t('clients_empty_hint')}>
        <Table
          label={t('clients')}
          rows={drawn}
          idOf={({ client_id }) => client_id}
          current={rows.current}
          onCurrent={rows.setCurrent}
          columns={[
            { label: t('number'), cell: ({ client_id }) => client_id },
            {
              label: t('client'),
              cell: ({ client_id, client_name, block_reason }) => (
                <>
                  <Link href={`/clients/${client_id}`}>{client_name}</Link>{' '}
                  {block_reason !== null && (
                    <span className="badge" data-state="held">
                      {t('blocked')}
                    </span>
                  )}
                </>
              ),
            },
            {
              label: t('effect_limit'),
              cell: ({ contracts }) => (
                <ul className="plain contracts">
                  {contracts.map(({ contract_id, contract_name, contract_limit, exposure, currency_code }) => (
                    <li key={contract_id}>
                      <span className="clip">{contract_name}</span>
                      <LimitBar limit={contract_limit} used={exposure} change={0} />
                      <span className="dim">{currency_code}</span>
                    </li>
                  ))}
                </ul>
              ),
            },
          ]}
        />
      </Listing>
      {isCreating && <NewClientDialog onClose={() => setCreating(false)} />}
    </>
  )
}
