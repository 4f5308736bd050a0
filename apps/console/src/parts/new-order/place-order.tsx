/** The totals, what is left of the limit, and what places the order: exactly once, at the total that is shown. */
import { Button, Kbd } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { RefusedError, type OrderForClientParams } from '@parts-ordering/client/operator'
import { api, codeOf, isSignedOut } from '../../api.ts'
import { useKeys } from '../../keyboard.ts'
import { useWords } from '../../words/words.tsx'
import { notify } from '../notices.tsx'
import { LimitBar } from '../orders/order-bits.tsx'
import { isComplete } from './address.tsx'
import type { AddressFields, Draft } from './draft.ts'
import { isValid, requestedOf, type Quoted } from './use-quote.ts'

/** After these, and after no answer, it may have been placed. */
const isUnknown = (error: unknown): boolean =>
  !(error instanceof RefusedError) ||
  /^(database_unavailable|internal_error|request_timed_out)$/.test(codeOf(error) ?? '')

export function PlaceOrder({
  draft,
  stock_id,
  address,
  isBlocked,
  quoted,
  isCurrent,
  onChange,
  onDone,
}: {
  draft: Draft
  stock_id: number | undefined
  address: AddressFields | undefined
  isBlocked: boolean
  quoted: Quoted | undefined
  isCurrent: boolean
  onChange: (fields: Partial<Draft>) => void
  onDone: () => void
}) {
  const { t, money, problem } = useWords()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isBusy, setBusy] = useState(false)
  const [refused, setRefused] = useState<unknown>(null)
  const quote = quoted?.quote
  const { unanswered, lines } = draft
  const wrongCount = lines.filter((line) => {
    const found = quoted?.lines.get(line.id)
    return !isValid(line) || (found !== undefined && 'places' in found && found.error !== null)
  }).length
  const missing = isBlocked
    ? t('missing_block')
    : lines.length === 0 || draft.typed.trim() !== ''
      ? t('missing_lines')
      : wrongCount > 0
        ? t('missing_right', { n: wrongCount })
        : (quote?.limit_left_after ?? 0) < 0
          ? t('missing_limit')
          : isComplete(address)
            ? null
            : t('missing_address')
  const isUnanswered = unanswered !== undefined && !isBusy
  const isReady = unanswered !== undefined || (missing === null && isCurrent)

  const requested = (): OrderForClientParams | undefined => {
    if (unanswered !== undefined) return unanswered
    if (!isComplete(address) || stock_id === undefined || quote === undefined) return undefined
    const { contract_id, contact_id, reference, comment } = draft
    const { zip, country_code, region_code, city, street, home, ...optional } = address
    const texts = Object.entries({ ...optional, reference, comment }).filter(([, text]) => text.trim() !== '')
    return {
      client_id: draft.client_id ?? 0,
      stock_id,
      contract_id,
      contact_id,
      lines: requestedOf(lines),
      zip,
      country_code,
      region_code,
      city,
      street,
      home,
      ...Object.fromEntries(texts),
      expected_total: quote.order_total,
    }
  }
  const place = async (): Promise<void> => {
    const order = requested()
    if (isBusy || !isReady || order === undefined || document.querySelector('dialog[open]') !== null) return
    setBusy(true)
    setRefused(null)
    onChange({ unanswered: order }) // Also if the page is closed before the answer comes.
    try {
      const { created_order_id } = await api.orderForClient(order, { idempotencyKey: draft.key })
      const path = `/orders/${created_order_id}`
      if (draft.shipping_date !== '')
        await api
          .rescheduleOrder({ order_id: String(created_order_id), shipping_date: draft.shipping_date })
          .catch((error: unknown) => notify(`${t('placed_without_day')} ${problem(error)}`, path))
      void queries.invalidateQueries({ queryKey: ['addresses', draft.client_id] })
      onDone()
      navigate(path)
    } catch (error) {
      setBusy(false)
      setRefused(error)
      onChange({ unanswered: isUnknown(error) || (unanswered !== undefined && isSignedOut(error)) ? order : undefined })
      void queries.invalidateQueries({ queryKey: ['quote'] })
    }
  }
  useKeys([{ keys: 'mod+enter', label: t('order_place'), run: () => void place() }])

  return (
    <section className="card totals" aria-label={t('total')} data-stale={!isCurrent || undefined}>
      <dl>
        {quote !== undefined && (
          <>
            <dt>{t('lines_sum', { n: quote.lines.filter(({ error }) => error === null).length })}</dt>
            <dd>{money(quote.goods)}</dd>
            {quote.order_discount !== 0 && (
              <>
                <dt>{t('discount')}</dt>
                <dd>−{money(quote.order_discount)}</dd>
              </>
            )}
            <dt>{t('tax')}</dt>
            <dd>{money(quote.order_tax)}</dd>
          </>
        )}
        <dt>{t('total')}</dt>
        <dd className="sum">{quote === undefined ? '–' : money(quote.order_total, quote.currency_code)}</dd>
      </dl>
      {quote !== undefined && quote.contract_limit !== null && quote.limit_left_after !== null && (
        <div>
          <div className="dim small">
            {quote.limit_left_after < 0
              ? t('limit_missing', { amount: money(-quote.limit_left_after) })
              : t('limit_left', { amount: money(quote.limit_left_after) })}
          </div>
          <LimitBar
            limit={quote.contract_limit}
            used={quote.contract_limit - quote.limit_left_after - quote.order_total}
            change={quote.order_total}
          />
        </div>
      )}
      {isUnanswered && <p className="notice">{t('order_unanswered')}</p>}
      {refused !== null && (
        <p className="refused" role="alert">
          {problem(refused)}
        </p>
      )}
      <Button
        fullWidth
        loading={isBusy}
        disabled={!isReady}
        onClick={() => void place()}
        rightSection={
          <Kbd size="xs" aria-hidden>
            Ctrl ↵
          </Kbd>
        }
        aria-keyshortcuts="Control+Enter"
      >
        {t(isUnanswered ? 'order_place_again' : 'order_place')}
      </Button>
      <p className="dim small" role="status">
        {unanswered === undefined && missing}
      </p>
    </section>
  )
}
