/** Finds a client while its name is typed. Enter takes the first one that is shown for what is typed. */
import { TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../api.ts'
import { useWords } from '../../words/words.tsx'

const shownMax = 8

export function ClientField({ onPick }: { onPick: (client_id: number) => void }) {
  const { t, money, problem } = useWords()
  const [text, setText] = useState('')
  const [current, setCurrent] = useState(0)
  const [searched] = useDebouncedValue(text.trim(), 100)
  const clients = useQuery({
    queryKey: ['client-search', searched],
    queryFn: ({ signal }) =>
      api.listClients({ ...(searched === '' ? {} : { search: searched }), limit: shownMax }, { signal }),
  })
  const isSettled = searched === text.trim()
  const found = isSettled ? (clients.data?.data ?? []) : []
  const pick = (index: number): void => {
    const client = found[index]
    if (client !== undefined) onPick(client.client_id)
  }
  return (
    <div className="client-field">
      <TextInput
        label={t('client')}
        placeholder={t('clients_search')}
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          setCurrent(0)
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') setCurrent(Math.min(found.length - 1, current + 1))
          else if (event.key === 'ArrowUp') setCurrent(Math.max(0, current - 1))
          else if (event.key === 'Enter' && !event.ctrlKey && !event.metaKey) pick(current)
          else return
          event.preventDefault()
        }}
        role="combobox"
        aria-expanded={found.length > 0}
        aria-controls="new-order-clients"
        aria-activedescendant={found.length > 0 ? `new-order-client-${current}` : undefined}
        autoComplete="off"
        autoFocus
      />
      {found.length > 0 ? (
        <div id="new-order-clients" role="listbox" aria-label={t('clients')} className="palette">
          {found.map(({ client_id, client_name, block_reason, contracts }, index) => (
            <div
              key={client_id}
              id={`new-order-client-${index}`}
              role="option"
              aria-selected={index === current}
              onClick={() => pick(index)}
            >
              <span>
                {client_name}{' '}
                {block_reason !== null && (
                  <span className="badge" data-state="held">
                    {t('blocked')}
                  </span>
                )}
              </span>
              <span className="dim nowrap">
                {contracts
                  .filter(({ contract_default, limit_left }) => contract_default && limit_left !== null)
                  .map(({ limit_left, currency_code }) =>
                    t('limit_left', { amount: money(limit_left ?? 0, currency_code) }),
                  )}
              </span>
            </div>
          ))}
        </div>
      ) : (
        <p id="new-order-clients" className="dim" role="status">
          {clients.isError
            ? problem(clients.error)
            : isSettled && clients.isSuccess
              ? t('clients_empty')
              : t('loading')}
        </p>
      )}
    </div>
  )
}
