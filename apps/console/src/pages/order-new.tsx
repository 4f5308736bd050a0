/** An order for a client, while it is on the phone: `client` in the address is whose, `from` an order to repeat. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useSearch } from 'wouter'
import { api } from '../api.ts'
import { ClientField } from '../parts/new-order/client-field.tsx'
import { draftOf, emptyDraft, useDraft, type Draft, type KeptDraft } from '../parts/new-order/draft.ts'
import { ForClient } from '../parts/new-order/for-client.tsx'
import { Failed, Loading } from '../parts/orders/states.tsx'
import { useWords } from '../words/words.tsx'

export default function NewOrderPage() {
  const search = useSearch()
  return <NewOrder key={search} search={search} />
}

function NewOrder({ search }: { search: string }) {
  const params = new URLSearchParams(search)
  const [client, from] = [params.get('client'), params.get('from')]
  const keeper = useDraft(search)
  const order = useQuery({
    queryKey: ['order', from],
    queryFn: ({ signal }) => api.readClientOrder({ order_id: from ?? '' }, { signal }),
    enabled: from !== null && keeper.draft === null,
  })
  if (from !== null && keeper.draft === null) {
    if (order.isPending) return <Loading />
    if (order.isLoadingError) return <Failed isPage error={order.error} onRetry={() => void order.refetch()} />
    return <Form first={draftOf(order.data)} keeper={keeper} />
  }
  return <Form first={{ ...emptyDraft(), client_id: client === null ? undefined : Number(client) }} keeper={keeper} />
}

function Form({ first, keeper }: { first: Draft; keeper: KeptDraft }) {
  const { t, problem } = useWords()
  const [untouched] = useState(first)
  const draft = keeper.draft ?? untouched
  const change = (fields: Partial<Draft>): void => keeper.change(fields, draft)
  const client = useQuery({
    queryKey: ['client', draft.client_id],
    queryFn: ({ signal }) => api.readClient({ client_id: draft.client_id ?? 0 }, { signal }),
    enabled: draft.client_id !== undefined,
  })
  return (
    <>
      <div className="page-head">
        <h1>{t('order_new')}</h1>
        {keeper.draft !== null && draft.unanswered === undefined && (
          <div className="page-actions">
            <Button variant="subtle" size="sm" onClick={keeper.forget}>
              {t('order_new_clear')}
            </Button>
          </div>
        )}
      </div>
      {draft.client_id === undefined ? (
        <ClientField onPick={(client_id) => change({ client_id })} />
      ) : client.isPending ? (
        <Loading />
      ) : client.isLoadingError ? (
        <p className="refused" role="alert">
          {problem(client.error)}
        </p>
      ) : (
        <ForClient client={client.data} draft={draft} onChange={change} onDone={keeper.forget} />
      )}
    </>
  )
}
