/** What is ordered for a client, where it goes, and what it costs. */
import { Button, TextInput } from '@mantine/core'
import { useEffect, useId, useRef } from 'react'
import type { OperatorClient } from '@parts-ordering/client/operator'
import { useWords } from '../../words/words.tsx'
import { AddressChoice, useAddresses } from './address.tsx'
import type { Draft } from './draft.ts'
import { NewLines } from './lines.tsx'
import { PlaceOrder } from './place-order.tsx'
import { useQuote } from './use-quote.ts'

const ofAnotherClient: Partial<Draft> = {
  client_id: undefined,
  stock_id: undefined,
  contract_id: undefined,
  contact_id: undefined,
  address: null,
  isOwnAddress: false,
}

export function ForClient({
  client,
  draft,
  onChange,
  onDone,
}: {
  client: OperatorClient
  draft: Draft
  onChange: (fields: Partial<Draft>) => void
  /** It is placed. */
  onDone: () => void
}) {
  const { t, problem, dateFromToday } = useWords()
  const entry = useRef<HTMLTextAreaElement>(null)
  const commentId = useId()
  const { client_id } = client
  useEffect(() => entry.current?.focus(), [client_id])
  const addresses = useAddresses(client_id)
  const stock_id = draft.stock_id ?? client.stocks[0]?.stock_id
  const contract = client.contracts.find(({ contract_id, contract_default }) =>
    draft.contract_id === undefined ? contract_default : contract_id === draft.contract_id,
  )
  const quoted = useQuote({ client_id, stock_id, contract_id: draft.contract_id, lines: draft.lines })
  const blocked = client.block_reason ?? contract?.block_reason ?? null
  const isFixed = draft.unanswered !== undefined // What was sent may have been placed, as it was.
  return (
    <div className="order-page new-order">
      <fieldset disabled={isFixed}>
        <div className="new-order-client">
          <strong>{client.client_name}</strong>
          <span className="dim">{t('client_number', { number: String(client_id) })}</span>
          <Button variant="subtle" size="compact-sm" onClick={() => onChange(ofAnotherClient)}>
            {t('client_other')}
          </Button>
        </div>
        {blocked !== null && (
          <p className="notice" role="alert">
            <strong>{t('blocked')}:</strong> {blocked}
          </p>
        )}
        <NewLines
          lines={draft.lines}
          typed={draft.typed}
          quoted={quoted.data}
          stock_id={stock_id}
          entry={entry}
          onChange={onChange}
        />
        {quoted.isError && (
          <p className="refused" role="alert">
            {problem(quoted.error)}{' '}
            <Button size="compact-sm" variant="default" onClick={() => void quoted.refetch()}>
              {t('retry')}
            </Button>
          </p>
        )}
        <div className="new-order-remarks">
          <TextInput
            label={t('reference')}
            maxLength={64}
            value={draft.reference}
            onChange={({ currentTarget }) => onChange({ reference: currentTarget.value })}
          />
          <TextInput
            label={t('ship_date')}
            type="date"
            min={dateFromToday(0)}
            value={draft.shipping_date}
            onChange={({ currentTarget }) => onChange({ shipping_date: currentTarget.value })}
          />
          <div className="select">
            <label htmlFor={commentId}>{t('comment')}</label>
            <textarea
              id={commentId}
              rows={2}
              maxLength={1_000}
              value={draft.comment}
              onChange={({ currentTarget }) => onChange({ comment: currentTarget.value })}
            />
          </div>
        </div>
      </fieldset>
      <aside>
        <PlaceOrder
          draft={draft}
          stock_id={stock_id}
          address={draft.address ?? addresses.data?.[0]}
          isBlocked={blocked !== null}
          quoted={quoted.data}
          isCurrent={quoted.isCurrent}
          onChange={onChange}
          onDone={onDone}
        />
        <fieldset disabled={isFixed} className="card">
          <Choice
            label={t('stock')}
            value={stock_id}
            options={client.stocks.map((one) => [one.stock_id, one.stock_name])}
            onChange={(id) => onChange({ stock_id: id })}
          />
          <Choice
            label={t('contract')}
            value={contract?.contract_id}
            options={client.contracts.map((one) => [one.contract_id, one.contract_name])}
            onChange={(id) => onChange({ contract_id: id })}
          />
          <Choice
            label={t('contact')}
            value={draft.contact_id ?? client.contacts[0]?.contact_id}
            options={client.contacts.map((one) => [one.contact_id, one.contact_name])}
            onChange={(id) => onChange({ contact_id: id })}
          />
          {addresses.isSuccess && <AddressChoice known={addresses.data} draft={draft} onChange={onChange} />}
          {addresses.isError && <p className="refused">{problem(addresses.error)}</p>}
        </fieldset>
      </aside>
    </div>
  )
}

/** Text if there is nothing to choose. */
function Choice({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: number | undefined
  options: readonly (readonly [number, string])[]
  onChange: (value: number) => void
}) {
  const id = useId()
  if (options.length < 2)
    return (
      <div>
        <div className="dim small">{label}</div>
        {options[0]?.[1] ?? '–'}
      </div>
    )
  return (
    <div className="select">
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={({ currentTarget }) => onChange(Number(currentTarget.value))}>
        {options.map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}
