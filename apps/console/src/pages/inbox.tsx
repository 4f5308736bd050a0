/** Requests that wait for a decision, each with its effect. One key decides one request, another takes it back. */
import { Button, Kbd, Textarea } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import type { InboxEntry } from '@parts-ordering/client/operator'
import { api, codeOf, detailsOf } from '../api.ts'
import { useKeys } from '../keyboard.ts'
import { useLive } from '../live.ts'
import { useMay } from '../me.ts'
import { sumOf } from '../money.ts'
import { TableFoot, usePages } from '../parts/listing.tsx'
import { ActionDialog } from '../parts/dialog.tsx'
import { LimitBar, OrderLink } from '../parts/orders/order-bits.tsx'
import { keepReason, ReasonField, useReasons } from '../parts/orders/reasons.tsx'
import { useDrawn, useRows } from '../parts/rows.ts'
import { notify } from '../parts/notices.tsx'
import { useUndoable } from '../parts/orders/undoable.ts'
import { Selected } from '../parts/orders/selected.tsx'
import { Failed, Loading, Nothing } from '../parts/orders/states.tsx'
import { NewRowsStrip } from '../parts/orders/strip.tsx'
import { useWords, type Words } from '../words/words.tsx'
import { whoOf } from '../who.ts'

type Outcome =
  | { readonly kind: 'accepted' | 'rejected'; readonly at: 'waiting' | 'sending' | 'sent' }
  | { readonly kind: 'unusual'; readonly before: number; readonly after: number }
  | { readonly kind: 'elsewhere'; readonly who: string }
  | { readonly kind: 'refused'; readonly sentence: string }

const pageSize = 50

export const idOf = ({ adjustment_id, return_request, order_id }: InboxEntry): string =>
  return_request !== null
    ? `return ${return_request.return_request_id}`
    : adjustment_id === null
      ? `order ${order_id}`
      : `adjustment ${adjustment_id}`

/** What was shown: the total of an order to cancel, or the quantity of a line to adjust. */
const shownOf = ({ contract, items, adjustment_id }: InboxEntry): { expected?: number } => {
  const [line] = items
  if (adjustment_id === null) return { expected: -contract.change }
  return line === undefined ? {} : { expected: line.quantity_before }
}

interface Chosen {
  readonly kind: 'accepted' | 'rejected'
  readonly message: string
  /** An unusual change is meant. */
  readonly confirmed: boolean
}

function send(entry: InboxEntry, { kind, message, confirmed }: Chosen): Promise<unknown> {
  const { adjustment_id, return_request } = entry
  const isAccepted = kind === 'accepted'
  if (return_request !== null) {
    const { return_request_id } = return_request
    return isAccepted
      ? api.acceptReturnRequest({ return_request_id, instruction: message })
      : api.rejectReturnRequest({ return_request_id, message })
  }
  const order = { order_id: String(entry.order_id), ...shownOf(entry) }
  if (adjustment_id === null)
    return isAccepted ? api.acceptCancellation(order) : api.rejectCancellation({ ...order, message })
  const adjustment = { adjustment_id, ...shownOf(entry) }
  return isAccepted
    ? api.acceptAdjustment({ ...adjustment, ...(confirmed && { confirmed }) })
    : api.rejectAdjustment({ ...adjustment, message })
}

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
  const [instructing, setInstructing] = useState<InboxEntry | null>(null)
  const undoable = useUndoable()
  const isShown = useRef(true)
  useEffect(() => {
    isShown.current = true
    return () => void (isShown.current = false)
  }, [])

  const {
    list,
    rows: entries,
    onCsv,
  } = usePages(['inbox'], (cursor, options) => api.listInbox({ limit: pageSize, ...cursor }, options))
  const rows = useRows(entries, idOf, ({ order_id }) => navigate(`/orders/${order_id}`))
  const drawn = useDrawn(entries)
  const isOpen = (entry: InboxEntry): boolean => {
    const outcome = outcomes.get(idOf(entry))
    return outcome === undefined || outcome.kind === 'refused' || outcome.kind === 'unusual'
  }

  const note = (id: string, outcome: Outcome | null): void =>
    setOutcomes((before) => {
      const all = new Map(before)
      if (outcome === null) all.delete(id)
      else all.set(id, outcome)
      return all
    })

  async function decide(entry: InboxEntry, chosen: Chosen): Promise<void> {
    const id = idOf(entry)
    note(id, { kind: chosen.kind, at: 'sending' })
    try {
      await send(entry, chosen)
      note(id, { kind: chosen.kind, at: 'sent' })
      void queries.invalidateQueries({ queryKey: ['counts'] })
    } catch (error) {
      const { before, after } = detailsOf(error)
      if (codeOf(error) === 'confirmation_required' && typeof before === 'number' && typeof after === 'number')
        note(id, { kind: 'unusual', before, after })
      else if (/^(adjustment_decided|cancellation_not_requested|return_request_decided)$/.test(codeOf(error) ?? ''))
        note(id, await decidedElsewhere(entry, words, words.problem(error)))
      else note(id, { kind: 'refused', sentence: words.problem(error) })
      if (!isShown.current)
        notify(`${t('order', { number: String(entry.order_number) })}: ${t('not_decided')}`, '/inbox')
    }
  }

  /** Shows the decisions at once, and sends them when they can no longer be taken back. */
  function choose(chosen: readonly InboxEntry[], kind: Chosen['kind'], message = ''): void {
    const byId = new Map(chosen.map((entry) => [idOf(entry), entry]))
    const unusual = new Set([...byId.keys()].filter((id) => outcomes.get(id)?.kind === 'unusual'))
    for (const id of byId.keys()) note(id, { kind, at: 'waiting' })
    undoable.add([...byId.keys()], async (id) => {
      const entry = byId.get(id)
      if (entry !== undefined) await decide(entry, { kind, message, confirmed: unusual.has(id) })
    })
    if (byId.size > 1) rows.clear()
    else rows.next()
  }

  function takeBack(ids?: readonly string[]): void {
    const [first, ...others] = undoable.takeBack(ids)
    if (first === undefined) return
    for (const id of [first, ...others]) note(id, null)
    rows.setCurrent(entries.findIndex((entry) => idOf(entry) === first))
  }

  const canAccept = (entry: InboxEntry): boolean => isOpen(entry) && entry.decisions.includes('accept')

  /** One key a request: the current one is accepted at once; several are confirmed with their figures. */
  function startAccepting(chosen: readonly InboxEntry[]): void {
    const possible = chosen.filter(
      (entry) => canAccept(entry) && (chosen.length === 1 || entry.return_request === null),
    )
    const [only] = possible
    if (!mayDecide || only === undefined) return
    if (possible.length > 1) setAccepting(possible)
    else if (only.return_request !== null) setInstructing(only)
    else choose([only], 'accepted')
  }

  function startRejecting(chosen: readonly InboxEntry[]): void {
    const possible = chosen.filter(isOpen)
    if (mayDecide && possible.length > 0) setRejecting(possible)
  }

  useKeys(
    mayDecide
      ? [
          { keys: 'a', label: t('inbox_accept'), run: () => startAccepting(rows.chosen) },
          { keys: 'r', label: t('inbox_reject'), run: () => startRejecting(rows.chosen) },
          { keys: 'z', label: t('inbox_undo'), run: () => takeBack() },
        ]
      : [],
  )

  useLive((events) => {
    for (const { event_type, order_id, actor, data } of events) {
      const adjustment = data['adjustment_id']
      const back = data['return_request_id']
      const id =
        typeof adjustment === 'number'
          ? `adjustment ${adjustment}`
          : typeof back === 'number'
            ? `return ${back}`
            : `order ${order_id}`
      const isListed = entries.some((entry) => idOf(entry) === id)
      if (/^(adjustment|return_request)\.created$/.test(event_type) || data['order_state_id'] === 'zayavka-na-otmen') {
        if (!isListed) setArrived((before) => new Set(before).add(id))
      } else if (/^(adjustment\.decided|return_request\.decided|order\.state_changed)$/.test(event_type)) {
        setArrived((before) => new Set([...before].filter((one) => one !== id)))
        if (!isListed || /^sen[dt]/.test(sendingOf(outcomes.get(id)) ?? '')) continue // It is our own.
        undoable.takeBack([id])
        note(id, { kind: 'elsewhere', who: whoOf(actor, words) })
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
  if (list.isLoadingError) return <Failed isPage error={list.error} onRetry={() => void list.refetch()} />
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
                  data-at={sendingOf(outcomes.get(idOf(entry)))}
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
                    {sendingOf(outcomes.get(idOf(entry))) === 'waiting' && (
                      <Button size="compact-sm" variant="subtle" onClick={() => takeBack([idOf(entry)])}>
                        {t('undo')}
                      </Button>
                    )}
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
      {entries.length > 0 && <TableFoot list={list} shown={entries.length} onCsv={onCsv} />}
      {accepting !== null && (
        <ActionDialog
          title={t('accept_title', { n: accepting.length })}
          effect={t('accept_effect', {
            amount: words.money(sumOf(accepting.map(({ contract }) => contract.change))),
            lines: accepting.reduce((sum, { items }) => sum + items.length, 0),
          })}
          submit={t('accept')}
          onClose={() => setAccepting(null)}
          onSubmit={async () => choose(accepting, 'accepted')}
        />
      )}
      {instructing?.return_request && (
        <InstructionDialog
          onClose={() => setInstructing(null)}
          onAccept={(instruction) => choose([instructing], 'accepted', instruction)}
        />
      )}
      {rejecting !== null && (
        <RejectDialog
          count={rejecting.length}
          onClose={() => setRejecting(null)}
          onReject={(message) => choose(rejecting, 'rejected', message)}
        />
      )}
    </>
  )
}

const sendingOf = (outcome: Outcome | undefined) => (outcome !== undefined && 'at' in outcome ? outcome.at : undefined)

/** Who decided first, from the log of the order. */
async function decidedElsewhere({ order_id }: InboxEntry, words: Words, sentence: string): Promise<Outcome> {
  const { data } = await api.listLog({ order_id, limit: 20 })
  const last = data.find(({ event_type }) =>
    /^(adjustment\.decided|return_request\.decided|order\.state_changed)$/.test(event_type),
  )
  return last === undefined ? { kind: 'refused', sentence } : { kind: 'elsewhere', who: whoOf(last.actor, words) }
}

function InstructionDialog({ onAccept, onClose }: { onAccept: (instruction: string) => void; onClose: () => void }) {
  const { t } = useWords()
  const [instruction, setInstruction] = useState('')
  return (
    <ActionDialog
      title={t('accept_title', { n: 1 })}
      submit={t('accept')}
      ready={instruction.trim() !== ''}
      onClose={onClose}
      onSubmit={async () => onAccept(instruction.trim())}
    >
      <Textarea
        label={t('return_instruction')}
        value={instruction}
        onChange={({ currentTarget }) => setInstruction(currentTarget.value)}
        maxLength={500}
        rows={2}
        required
        data-autofocus
      />
    </ActionDialog>
  )
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

const kindWords = { cancellation: 'kind_cancellation', return: 'kind_return' } as const

function RequestOf({ entry: { kind, items, request, return_request } }: { entry: InboxEntry }) {
  const { t, number } = useWords()
  return (
    <>
      <strong>{t(kindWords[kind as keyof typeof kindWords] ?? 'kind_adjustment')}</strong>
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
        {return_request?.lines.slice(0, 3).map((line) => (
          <li key={line.order_item_id}>
            <span className="num">{number(line.quantity)}</span>{' '}
            <span title={line.item_title}>{line.item_vendor_code}</span>{' '}
            <span className="dim clip-inline">{line.item_title}</span>
          </li>
        ))}
        {items.length > 3 && <li className="dim">+ {items.length - 3}</li>}
      </ul>
      {(request?.reason ?? return_request?.reason) && (
        <q className="dim">{request?.reason ?? return_request?.reason}</q>
      )}
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
  if (outcome?.kind === 'unusual')
    return <span className="why">{t('unusual', { before: outcome.before, after: outcome.after })}</span>
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
