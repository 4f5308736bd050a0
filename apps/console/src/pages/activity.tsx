/** Who changed what: the log with old and new values, by person, type, order and day. */
import { useState } from 'react'
import { Link } from 'wouter'
import type { LogEntry } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { Changes, eventWord } from '../parts/orders/changes.tsx'
import { useFilters, type AddressFilters } from '../parts/filters.ts'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { OrderLink } from '../parts/orders/order-bits.tsx'
import { useDrawn } from '../parts/rows.ts'
import { en } from '../words/en.ts'
import { useWords, type Words } from '../words/words.tsx'
import { whoOf } from '../who.ts'

const filterNames = ['operator_id', 'actor', 'event_type', 'order_id', 'client_id', 'date_from', 'date_to'] as const
const types = Object.keys(en)
  .filter((word) => /^event_.+\./.test(word))
  .map((word) => word.slice('event_'.length))

export default function Activity() {
  const words = useWords()
  const { t } = words
  const filters = useFilters()
  const given = Object.fromEntries(
    filterNames.map((name) => [name, filters.get(name)]).filter(([, value]) => value !== ''),
  ) as Record<string, string> // All of them are sent as text in the query.
  const paged = usePages(['log', given], (cursor, options) => api.listLog({ ...given, ...cursor }, options))
  const drawn = useDrawn(paged.rows)
  return (
    <>
      <div className="page-head">
        <h1>{t('activity')}</h1>
      </div>
      <ActivityFilters filters={filters} who={whoIsChosen(filters, paged.rows, words)} />
      <Listing
        paged={paged}
        empty={t('activity_empty')}
        hint={Object.keys(given).length > 0 ? t('orders_empty_hint') : undefined}
      >
        <Table
          label={t('activity')}
          rows={drawn}
          idOf={({ client_id, event_number }) => `${client_id} ${event_number}`}
          columns={[
            {
              label: t('activity_when'),
              cell: (entry) => <span className="nowrap">{words.dateTime(entry.event_datetime)}</span>,
            },
            {
              label: t('who'),
              cell: ({ actor, operator_id }) => (
                <Person
                  actor={actor}
                  onChoose={() =>
                    operator_id === null ? filters.set('actor', actor) : filters.set('operator_id', String(operator_id))
                  }
                />
              ),
            },
            {
              label: t('activity_what'),
              cell: (entry) => (
                <>
                  <strong>{eventWord(entry.event_type, words)}</strong>
                  <Changes changes={entry.changes} />
                </>
              ),
            },
            {
              label: t('client'),
              cell: (entry) => <Link href={`/clients/${entry.client_id}`}>{entry.client_name}</Link>,
            },
            { label: t('number'), cell: (entry) => <OrderOf entry={entry} /> },
          ]}
        />
      </Listing>
    </>
  )
}

function Person({ actor, onChoose }: { actor: string; onChoose: () => void }) {
  const words = useWords()
  const name = whoOf(actor, words)
  // The log can be searched by operators and by clients' keys.
  return (
    <button type="button" className="chip" aria-label={words.t('person_only', { name })} onClick={onChoose}>
      {name}
    </button>
  )
}

/** Whose events are listed, by name if any is; null for everybody's. */
function whoIsChosen(filters: AddressFilters, listed: readonly LogEntry[], words: Words): string | null {
  const [actor, id] = [filters.get('actor'), filters.get('operator_id')]
  if (actor !== '') return whoOf(actor, words)
  if (id === '') return null
  const own = listed.find(({ operator_id }) => String(operator_id) === id)
  return own === undefined ? words.t('operator_number', { number: id }) : whoOf(own.actor, words)
}

function OrderOf({ entry: { order_id, order_number } }: { entry: LogEntry }) {
  return order_id === null ? '–' : <OrderLink order_id={order_id} order_number={order_number ?? order_id} />
}

function ActivityFilters({ filters, who }: { filters: AddressFilters; who: string | null }) {
  const words = useWords()
  const { t } = words
  const [order, setOrder] = useState('')
  const [refused, setRefused] = useState<string | null>(null)
  const findOrder = async (): Promise<void> => {
    setRefused(null)
    if (order.trim() === '') return filters.set('order_id', '')
    try {
      const { data } = await api.listClientOrders({ search: order.trim(), limit: 10 })
      const found = data.find(({ order_number }) => String(order_number) === order.trim())
      if (found === undefined) setRefused(t('activity_no_order'))
      else filters.set('order_id', String(found.order_id))
    } catch (error) {
      setRefused(words.problem(error))
    }
  }
  return (
    <form
      className="filters fields"
      onSubmit={(event) => {
        event.preventDefault()
        void findOrder()
      }}
    >
      <label>
        <span>{t('activity_type')}</span>
        <select
          value={filters.get('event_type')}
          onChange={({ currentTarget }) => filters.set('event_type', currentTarget.value)}
        >
          <option value="">{t('any')}</option>
          {types.map((type) => (
            <option key={type} value={type}>
              {eventWord(type, words)}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>{t('activity_order')}</span>
        <input
          type="search"
          inputMode="numeric"
          value={order}
          onChange={({ currentTarget }) => {
            setOrder(currentTarget.value)
            if (currentTarget.value === '') filters.set('order_id', '')
          }}
        />
      </label>
      {(['date_from', 'date_to'] as const).map((name) => (
        <label key={name}>
          <span>{t(name === 'date_from' ? 'activity_from' : 'activity_to')}</span>
          <input
            type="date"
            value={filters.get(name)}
            onChange={({ currentTarget }) => filters.set(name, currentTarget.value)}
          />
        </label>
      ))}
      {who !== null && (
        <button
          type="button"
          className="chip"
          aria-pressed
          onClick={() => filters.set(filters.get('actor') === '' ? 'operator_id' : 'actor', '')}
        >
          {who} <span aria-hidden>×</span> <span className="hidden">{t('everybody')}</span>
        </button>
      )}
      {filters.get('order_id') !== '' && order === '' && (
        <button type="button" className="chip" aria-pressed onClick={() => filters.set('order_id', '')}>
          {t('order', { number: filters.get('order_id') })} <span aria-hidden>×</span>
        </button>
      )}
      {refused !== null && (
        <span className="refused" role="alert">
          {refused}
        </span>
      )}
    </form>
  )
}
