/** Requests that wait for a decision, each with its effect. One key decides one request; nothing jumps. */
import { Button, Kbd } from '@mantine/core'
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import type { InboxEntry } from '@parts-ordering/client/operator'
import { api, codeOf, detailsOf, sentenceOf } from '../api.ts'
import { useKeys } from '../keyboard.ts'
import { useLive } from '../live.ts'
import { useMay } from '../me.ts'
import { sumOf } from '../money.ts'
import { ActionDialog } from '../parts/dialog.tsx'
import { LimitBar, OrderLink } from '../parts/orders/order-bits.tsx'
import { keepReason, ReasonField, useReasons } from '../parts/orders/reasons.tsx'
import { useDrawn, useRows } from '../parts/rows.ts'
import { Selected } from '../parts/orders/selected.tsx'
import { Failed, Loading, Nothing } from '../parts/orders/states.tsx'
import { NewRowsStrip } from '../parts/orders/strip.tsx'
import { useWords, type Words } from '../words/words.tsx'
import { whoOf } from '../who.ts'

type Outcome =
  | { readonly kind: 'deciding' }
  | { readonly kind: 'accepted' | 'rejected' }
  | { readonly kind: 'elsewhere'; readonly who: string }
  | { readonly kind: 'refused'; readonly sentence: string }

const pageSize = 50

export const idOf = ({ adjustment_id, order_id }: InboxEntry): string =>
  adjustment_id === null ? `order ${order_id}` : `adjustment ${adjustment_id}`

/** What was shown: the total of an order to cancel, or the quantity of a line to adjust. */
const shownOf = ({ contract, items, adjustment_id }: InboxEntry): { expected?: number } => {
  const [line] = items
  if (adjustment_id === null) return { expected: -contract.change }
  return line === undefined ? {} : { expected: line.quantity_before }
}

const accept = (entry: InboxEntry, confirmation: { confirmed?: true } = {}): Promise<unknown> =>
  entry.adjustment_id === null
    ? api.acceptCancellation({ order_id: String(entry.order_id), ...shownOf(entry) })
    : api.acceptAdjustment({ adjustment_id: entry.adjustment_id, ...shownOf(entry), ...confirmation })

const reject = (entry: InboxEntry, message: string): Promise<unknown> =>
  entry.adjustment_id === null
    ? api.rejectCancellation({ order_id: String(entry.order_id), message, ...shownOf(entry) })
    : api.rejectAdjustment({ adjustment_id: entry.adjustment_id, message, ...shownOf(entry) })

export default function Inbox() {
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const mayDecide = useMay('decide')
  useReasons() // They are there before the first request is rejected.
  const [outcomes, setOutcomes] = useState<ReadonlyMap<string, Outcome>>(new Map())
  const [arrived, setArrived] = useState<ReadonlySet<string>>(new Set())
  const [rejecting, setRejecting] = useState<readonly InboxEntry[] | null>(null)
  const [accepting, setAccepting] = useState<readonly InboxEntry[] | null>(null)
  const [confirming, setConfirming] = useState<{ entry: InboxEntry; before: number; after: number } | null>(null)

  const list = useInfiniteQuery({
    queryKey: ['inbox'],
    queryFn: ({ pageParam, signal }) =>
      api.listInbox({ limit: pageSize, ...(pageParam === null ? {} : { cursor: pageParam }) }, { signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchOnMount: 'always',
  })
  const entries = list.data?.pages.flatMap(({ data }) => data) ?? []
  const rows = useRows(entries, idOf, ({ order_id }) => navigate(`/orders/${order_id}`))
  const drawn = useDrawn(entries)
  const isOpen = (entry: InboxEntry): boolean => {
    const outcome = outcomes.get(idOf(entry))
    return outcome === undefined || outcome.kind === 'refused'
  }

  const note = (entry: InboxEntry | string, outcome: Outcome): void =>
    setOutcomes((before) => new Map(before).set(typeof entry === 'string' ? entry : idOf(entry), outcome))

  async function decide(entry: InboxEntry, kind: 'accepted' | 'rejected', send: () => Promise<unknown>): Promise<void> {
    note(entry, { kind: 'deciding' })
    try {
      await send()
      note(entry, { kind })
      void queries.invalidateQueries({ queryKey: ['counts'] })
    } catch (error) {
      const { before, after } = detailsOf(error)
      if (codeOf(error) === 'confirmation_required' && typeof before === 'number' && typeof after === 'number') {
        setConfirming({ entry, before, after })
        setOutcomes((all) => new Map([...all].filter(([id]) => id !== idOf(entry))))
      } else if (/^(adjustment_decided|cancellation_not_requested)$/.test(codeOf(error) ?? '')) {
        note(entry, await decidedElsewhere(entry, words, sentenceOf(error)))
      } else note(entry, { kind: 'refused', sentence: sentenceOf(error) })
    }
  }

  const canAccept = (entry: InboxEntry): boolean => isOpen(entry) && entry.decisions.includes('accept')

  /** One key a request: the current one is accepted at once; several are confirmed with their figures. */
  function startAccepting(chosen: readonly InboxEntry[]): void {
    const possible = chosen.filter(canAccept)
    const [only] = possible
    if (!mayDecide || only === undefined) return
    if (possible.length > 1) return setAccepting(possible)
    void decide(only, 'accepted', () => accept(only))
    rows.next()
  }

  function startRejecting(chosen: readonly InboxEntry[]): void {
    const possible = chosen.filter(isOpen)
    if (mayDecide && possible.length > 0) setRejecting(possible)
  }

  const decideAll = async (
    chosen: readonly InboxEntry[],
    kind: 'accepted' | 'rejected',
    send: (entry: InboxEntry) => Promise<unknown>,
  ): Promise<void> => {
    rows.clear()
    for (const entry of chosen) await decide(entry, kind, () => send(entry))
  }

  useKeys(
    mayDecide
      ? [
          { keys: 'a', label: t('inbox_accept'), run: () => startAccepting(rows.chosen) },
          { keys: 'r', label: t('inbox_reject'), run: () => startRejecting(rows.chosen) },
        ]
      : [],
  )

  useLive((events) => {
    for (const { event_type, order_id, actor, data } of events) {
      const adjustment = data['adjustment_id']
      const id = typeof adjustment === 'number' ? `adjustment ${adjustment}` : `order ${order_id}`
      const isListed = entries.some((entry) => idOf(entry) === id)
      if (event_type === 'adjustment.created' || data['order_state_id'] === 'zayavka-na-otmen') {
        if (!isListed) setArrived((before) => new Set(before).add(id))
      } else if (/^(adjustment\.decided|order\.state_changed)$/.test(event_type)) {
        setArrived((before) => new Set([...before].filter((one) => one !== id)))
        if (isListed)
          setOutcomes((before) =>
            before.has(id) && before.get(id)?.kind !== 'refused'
              ? before
              : new Map(before).set(id, { kind: 'elsewhere', who: whoOf(actor, words) }),
          )
      }
    }
  })

  const showNew = async (): Promise<void> => {
    await queries.resetQueries({ queryKey: ['inbox'] })
    setOutcomes(new Map())
    setArrived(new Set())
    rows.clear()
    rows.setCurrent(0)
  }

  if (list.isPending) return <Loading />
  if (list.isError) return <Failed isPage error={list.error} onRetry={() => void list.refetch()} />
  return (
    <>
      <div className="page-head">
        <h1>{t('inbox')}</h1>
        {mayDecide && entries.length > 0 && (
          <div className="page-actions">
            <Selected rows={rows} />
            <Button size="sm" onClick={() => startAccepting(rows.chosen)} rightSection={<Kbd size="xs">a</Kbd>}>
              {t('accept')}
            </Button>
            <Button
              size="sm"
              variant="default"
              onClick={() => startRejecting(rows.chosen)}
              rightSection={<Kbd size="xs">r</Kbd>}
            >
              {t('reject')}
            </Button>
          </div>
        )}
      </div>
      <NewRowsStrip count={arrived.size} onShow={() => void showNew()} />
      {entries.length === 0 ? (
        <Nothing title={t('inbox_empty')} hint={t('inbox_empty_hint')} />
      ) : (
        <div className="table-place" tabIndex={0} role="region" aria-label={t('inbox')}>
          <table className="rows inbox">
            <thead>
              <tr>
                {mayDecide && (
                  <th className="mark">
                    <input
                      type="checkbox"
                      aria-label={t('select_all')}
                      checked={rows.marked.size === entries.length}
                      onChange={({ currentTarget }) => rows.markAll(currentTarget.checked)}
                    />
                  </th>
                )}
                <th>{t('age')}</th>
                <th>{t('client')}</th>
                <th>{t('request')}</th>
                <th>{t('effect_stock')}</th>
                <th>{t('effect_limit')}</th>
                <th>{t('decision')}</th>
              </tr>
            </thead>
            <tbody>
              {drawn.map((entry, index) => (
                <tr
                  key={idOf(entry)}
                  data-row={index}
                  aria-current={index === rows.current || undefined}
                  data-marked={rows.isMarked(entry) || undefined}
                  data-outcome={outcomes.get(idOf(entry))?.kind}
                  onClick={() => rows.setCurrent(index)}
                >
                  {mayDecide && (
                    <td className="mark">
                      <input
                        type="checkbox"
                        aria-label={t('select_row', { number: String(entry.order_number) })}
                        checked={rows.isMarked(entry)}
                        onChange={() => rows.toggle(entry)}
                      />
                    </td>
                  )}
                  <td className="nowrap" data-label={t('age')}>
                    <time title={words.dateTime(entry.since)}>{words.age(entry.age_seconds)}</time>
                  </td>
                  <td data-label={t('client')}>
                    <div className="clip">{entry.client_name}</div>
                    <OrderLink {...entry} />
                    {entry.reference !== null && <span className="dim"> {entry.reference}</span>}
                  </td>
                  <td data-label={t('request')}>
                    <RequestOf entry={entry} />
                  </td>
                  <td data-label={t('effect_stock')} className="num">
                    <StockOf entry={entry} />
                  </td>
                  <td data-label={t('effect_limit')}>
                    <LimitBar {...entry.contract} />
                  </td>
                  <td data-label={t('decision')} className="decision">
                    <OutcomeOf entry={entry} outcome={outcomes.get(idOf(entry))} />
                    {mayDecide && isOpen(entry) && (
                      <span className="decide">
                        {canAccept(entry) && (
                          <Button size="compact-sm" variant="light" onClick={() => startAccepting([entry])}>
                            {t('accept')}
                          </Button>
                        )}
                        <Button size="compact-sm" variant="subtle" onClick={() => startRejecting([entry])}>
                          {t('reject')}
                        </Button>
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {list.hasNextPage && (
        <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
          {t('more')}
        </Button>
      )}
      {accepting !== null && (
        <ActionDialog
          title={t('accept_title', { n: accepting.length })}
          effect={t('accept_effect', {
            amount: words.money(sumOf(accepting.map(({ contract }) => contract.change))),
            lines: accepting.reduce((sum, { items }) => sum + items.length, 0),
          })}
          submit={t('accept')}
          onClose={() => setAccepting(null)}
          onSubmit={async () => void decideAll(accepting, 'accepted', (entry) => accept(entry))}
        />
      )}
      {rejecting !== null && (
        <RejectDialog
          count={rejecting.length}
          onClose={() => setRejecting(null)}
          onReject={(message) => {
            void decideAll(rejecting, 'rejected', (entry) => reject(entry, message))
            if (rejecting.length === 1) rows.next()
          }}
        />
      )}
      {confirming !== null && (
        <ActionDialog
          title={t('confirm_title')}
          effect={t('confirm_quantity', { before: confirming.before, after: confirming.after })}
          submit={t('accept')}
          danger
          onClose={() => setConfirming(null)}
          onSubmit={async () =>
            void decide(confirming.entry, 'accepted', () => accept(confirming.entry, { confirmed: true }))
          }
        />
      )}
    </>
  )
}

/** Who decided first, from the log of the order. */
async function decidedElsewhere({ order_id }: InboxEntry, words: Words, sentence: string): Promise<Outcome> {
  const { data } = await api.listLog({ order_id, limit: 20 })
  const last = data.find(({ event_type }) => /^(adjustment\.decided|order\.state_changed)$/.test(event_type))
  return last === undefined ? { kind: 'refused', sentence } : { kind: 'elsewhere', who: whoOf(last.actor, words) }
}

function RejectDialog({
  count,
  onReject,
  onClose,
}: {
  count: number
  onReject: (message: string) => void
  onClose: () => void
}) {
  const { t } = useWords()
  const [usual] = useReasons()
  const [typed, setMessage] = useState<string | null>(null)
  const message = typed ?? usual
  return (
    <ActionDialog
      title={t('reject_title', { n: count })}
      submit={t('reject')}
      danger
      ready={message.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => {
        keepReason(message.trim())
        onReject(message.trim())
      }}
    >
      <ReasonField value={message} onChange={setMessage} />
    </ActionDialog>
  )
}

function RequestOf({ entry: { kind, items, request } }: { entry: InboxEntry }) {
  const { t, number } = useWords()
  return (
    <>
      <strong>{t(kind === 'cancellation' ? 'kind_cancellation' : 'kind_adjustment')}</strong>
      <ul className="plain">
        {items.slice(0, 3).map((item) => (
          <li key={item.item_id}>
            <span className="num">
              {number(item.quantity_before)} → {number(item.quantity_after)}
            </span>{' '}
            <span title={item.item_title}>{item.item_vendor_code}</span>{' '}
            <span className="dim clip-inline">{item.item_title}</span>
          </li>
        ))}
        {items.length > 3 && <li className="dim">+ {items.length - 3}</li>}
      </ul>
      {request?.reason != null && <q className="dim">{request.reason}</q>}
    </>
  )
}

function StockOf({ entry: { items } }: { entry: InboxEntry }) {
  const { t } = useWords()
  return (
    <ul className="plain">
      {items.slice(0, 3).map(({ item_id, available, quantity_before, quantity_after }) => (
        <li key={item_id}>
          {available === null
            ? t('not_reserved')
            : t('free_after', { before: available, after: available - (quantity_after - quantity_before) })}
        </li>
      ))}
    </ul>
  )
}

function OutcomeOf({ entry, outcome }: { entry: InboxEntry; outcome: Outcome | undefined }) {
  const words = useWords()
  const { t } = words
  if (outcome?.kind === 'elsewhere') return <span className="outcome">{t('decided_by', { who: outcome.who })}</span>
  if (outcome?.kind === 'refused') return <span className="refused">{outcome.sentence}</span>
  if (outcome !== undefined) return <span className="outcome">{t(outcome.kind)}</span>
  return entry.decisions.includes('accept') ? null : <span className="why">{whyNot(entry, words)}</span>
}

/** Why accepting is not possible now: the limit, or the stock. */
function whyNot({ items, contract: { limit, used, change } }: InboxEntry, { t, money }: Words): string {
  if (limit > 0 && change > 0 && used + change > limit) return t('why_limit', { amount: money(used + change - limit) })
  const short = items.find(
    ({ available, quantity_before, quantity_after }) =>
      available !== null && quantity_after - quantity_before > available,
  )
  if (short === undefined) return t('why_other')
  return t('why_stock', { n: short.available ?? 0, needed: short.quantity_after - short.quantity_before })
}
