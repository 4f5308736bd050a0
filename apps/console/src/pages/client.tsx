/** One client: contacts, contracts with limit and use, keys and webhooks, and what an admin may change. */
import { Button, Kbd } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { ClientActionDialog, type ClientAction } from '../parts/clients/client-actions.tsx'
import { ClientKeys } from '../parts/clients/client-keys.tsx'
import { Facts } from '../parts/facts.tsx'
import { Table } from '../parts/listing.tsx'
import { LimitBar } from '../parts/orders/order-bits.tsx'
import { Failed, Loading } from '../parts/orders/states.tsx'
import { Webhooks } from '../parts/clients/webhooks.tsx'
import { newOrderPath } from '../routes.tsx'
import { useWords } from '../words/words.tsx'

export default function ClientPage() {
  const client_id = Number(useParams()['client'])
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const mayAdminister = useMay('administer')
  const mayDecide = useMay('decide')
  const [action, setAction] = useState<ClientAction | null>(null)
  const client = useQuery({
    queryKey: ['client', client_id],
    queryFn: ({ signal }) => api.readClient({ client_id }, { signal }),
    refetchOnMount: 'always',
  })
  const lists = useQuery({ queryKey: ['price-lists'], queryFn: async () => (await api.listPriceLists()).data })
  if (client.isPending) return <Loading />
  if (client.isLoadingError) return <Failed isPage error={client.error} onRetry={() => void client.refetch()} />
  const { data } = client
  const listOf = (id: number) => lists.data?.find(({ price_list_id }) => price_list_id === id)
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            {data.client_name}
            {data.block_reason !== null && (
              <span className="badge" data-state="held">
                {t('blocked')}
              </span>
            )}
          </h1>
          <div className="dim subtitle">{t('client_number', { number: String(client_id) })}</div>
        </div>
        <div className="page-actions">
          {mayDecide && (
            <Button
              component={Link}
              href={`${newOrderPath}?client=${client_id}`}
              rightSection={
                <Kbd size="xs" aria-hidden>
                  c
                </Kbd>
              }
            >
              {t('order_new')}
            </Button>
          )}
          {mayAdminister &&
            (data.block_reason === null ? (
              <Button variant="default" onClick={() => setAction({ kind: 'block' })}>
                {t('block')}
              </Button>
            ) : (
              <Button variant="default" onClick={() => setAction({ kind: 'unblock' })}>
                {t('unblock')}
              </Button>
            ))}
        </div>
      </div>
      {data.block_reason !== null && (
        <p className="notice">
          <strong>{t('blocked')}:</strong> {data.block_reason}
        </p>
      )}
      <div className="order-page">
        <div>
          <section>
            <h2>{t('contracts')}</h2>
            <Table
              label={t('contracts')}
              rows={data.contracts}
              idOf={({ contract_id }) => contract_id}
              columns={[
                {
                  label: t('contract'),
                  cell: (contract) => (
                    <>
                      {contract.contract_name}{' '}
                      {contract.contract_default && <span className="badge">{t('contract_default')}</span>}
                      {contract.block_reason !== null && (
                        <>
                          <span className="badge" data-state="held">
                            {t('blocked')}
                          </span>
                          <span className="dim">{contract.block_reason}</span>
                        </>
                      )}
                    </>
                  ),
                },
                {
                  label: t('price_list'),
                  cell: ({ price_list_id }) =>
                    `${listOf(price_list_id)?.price_list_name ?? price_list_id} ${listOf(price_list_id)?.currency_code ?? ''}`,
                },
                { label: t('discount'), num: true, cell: (one) => `${words.number(one.discount_percent)} %` },
                {
                  label: t('tax'),
                  cell: (one) =>
                    `${words.number(one.tax_percent)} % ${t(one.tax_mode === 'added' ? 'tax_added' : 'tax_included')}`,
                },
                {
                  label: t('effect_limit'),
                  cell: ({ contract_limit, exposure }) => (
                    <LimitBar limit={contract_limit} used={exposure} change={0} />
                  ),
                },
                ...(mayAdminister
                  ? [
                      {
                        label: t('actions'),
                        quiet: true,
                        cell: (contract: (typeof data.contracts)[number]) => (
                          <Button
                            size="compact-sm"
                            variant="subtle"
                            aria-label={t('limit_change_of', { name: contract.contract_name })}
                            onClick={() => setAction({ kind: 'limit', contract })}
                          >
                            {t('limit_change')}
                          </Button>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          </section>
          {mayAdminister && <ClientKeys client={data} />}
          <Webhooks client_id={client_id} />
        </div>
        <aside>
          <Facts
            facts={[
              ...data.contacts.map(
                ({ contact_name, contact_email }) =>
                  [`${t('contact')}: ${contact_name}`, contact_email ?? '–'] as const,
              ),
              [t('served_by'), data.stocks.map(({ stock_name }) => stock_name).join(', ') || '–'],
              [
                t('orders'),
                <Link key="orders" href={`/orders?client_id=${client_id}`}>
                  {t('orders_of_client')}
                </Link>,
              ],
            ]}
          />
          {mayAdminister && (
            <Button variant="subtle" size="sm" onClick={() => setAction({ kind: 'contact' })}>
              {t('contact_add')}
            </Button>
          )}
        </aside>
      </div>
      {action !== null && (
        <ClientActionDialog
          client={data}
          action={action}
          onClose={() => setAction(null)}
          onDone={() => queries.invalidateQueries({ queryKey: ['client', client_id] })}
        />
      )}
    </>
  )
}
