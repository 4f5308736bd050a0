/**
 * Everything that happened to an order, newest first: the history, which lasts as long as the order, with its shipments,
 * returns, requests and notes; from the log, while it is kept, what the history does not have.
 */
import type { FullOrder, LogEntry } from '@parts-ordering/client/operator'
import { useWords, type Words } from '../../words/words.tsx'
import { whoOf } from '../../who.ts'
import { eventWord } from './changes.tsx'

interface Step {
  readonly at: string
  readonly title: string
  readonly who: string
  readonly facts?: readonly string[]
  /** A reason, a remark or a note. */
  readonly text?: string | null
}

const eventOfGroup: Readonly<Record<string, string>> = {
  'Change of status': 'order.state_changed',
  'Change of shipping date': 'order.rescheduled',
  'Change of items': 'order.items_changed',
  'Change of reservation': 'order.changed',
  Shipment: 'order.shipped',
  Note: 'order.noted',
  Return: 'order.returned',
  Hold: 'order.held',
  Release: 'order.released',
}

export function Timeline({ order, log }: { order: FullOrder; log: readonly LogEntry[] }) {
  const words = useWords()
  const steps = stepsOf(order, log, words)
  return (
    <ol className="timeline">
      {steps.map(({ at, title, who, facts = [], text }, index) => (
        <li key={steps.length - index}>
          <div>
            <strong>{title}</strong> <span>{who}</span> <time className="dim">{words.dateTime(at)}</time>
          </div>
          {facts.length > 0 && <div>{facts.join(' · ')}</div>}
          {text != null && text !== '' && <q>{text}</q>}
        </li>
      ))}
    </ol>
  )
}

function stepsOf(order: FullOrder, log: readonly LogEntry[], words: Words): Step[] {
  const { t, state, number, money, day } = words
  const who = (actor: string | null): string => (actor === null ? '–' : whoOf(actor, words, order.client_name))
  const articles = new Map(order.items.map((line) => [line.order_item_id, line.order_item.item_vendor_code]))
  const pieces = (lines: readonly { order_item_id: number; quantity: number }[]): string[] =>
    lines.map(({ order_item_id, quantity }) => `${number(quantity)} × ${articles.get(order_item_id) ?? '–'}`)
  const arrow = (before: string, after: string): string => `${before} → ${after}`
  // Each is of one entry of the history, and has its time.
  const [shipments, returns, logged] = [[...order.shipments], [...order.returns], log.toReversed()]
  const accepted = order.adjustments.filter(({ adjustment_status }) => adjustment_status === 'ACCEPTED')
  const take = <R,>(rows: R[], isOf: (row: R) => boolean): R | undefined => {
    const at = rows.findIndex(isOf)
    return at < 0 ? undefined : rows.splice(at, 1)[0]
  }

  const history = order.order_history.toReversed().map((entry, index, all): Step => {
    const { date, group, state_id, text, actor } = entry
    const type = index === 0 ? 'order.created' : (eventOfGroup[group] ?? '')
    const before = all[index - 1]?.state_id
    const { changes = [] } = take(logged, (one) => one.event_type === type && one.event_datetime === date) ?? {}
    const valueOf = (field: string) => changes.find((change) => change.field === field)
    const total = valueOf('order_total')
    const facts =
      total === undefined ? [] : [`${t('total')} ${arrow(money(Number(total.old)), money(Number(total.new)))}`]
    const step = { at: date, title: eventWord(type, words), who: who(actor), text }
    if (type === 'order.rescheduled') {
      const old = valueOf('order_shipping_date')?.old ?? null
      return { ...step, facts: [arrow(old === null ? '' : day(old), day(text)).trim()], text: '' }
    }
    if (type === 'order.returned') {
      const found = take(returns, (one) => one.return_datetime === date && one.reason === text)
      return { ...step, facts: [...pieces(found?.lines ?? []), ...(found?.restocked === true ? [t('restock')] : [])] }
    }
    if (type === 'order.items_changed') {
      const [, line, reason] = /^(\S.*?: \d+ → \d+)(?:\. (.*))?$/s.exec(text) ?? []
      const request = take(accepted, ({ request }) => request.decided_at === date)
      const lines = changes
        .filter(({ field }) => field === 'quantity')
        .map((change) => `${change.article}: ${arrow(change.old ?? '', change.new ?? '')}`)
      return {
        ...step,
        title: request === undefined ? step.title : t('request_accepted'),
        facts: [...(line === undefined ? lines : [line]), ...facts],
        text: line === undefined ? text : reason,
      }
    }
    const isShipped = group === 'Shipment' || (state_id === 'shipped' && before !== 'shipped')
    const shipment = isShipped ? take(shipments, (one) => one.shipment_datetime === date) : undefined
    const carried = [shipment?.carrier, shipment?.tracking].filter((part) => part != null)
    return {
      ...step,
      title: type === 'order.state_changed' ? moved(before, state_id) : step.title,
      facts: [...pieces(shipment?.lines ?? []), ...carried],
      text: text === carried.join(' ') ? '' : text,
    }
  })

  function moved(before: string | undefined, after: string): string {
    if (before === 'zayavka-na-otmen')
      return t(after === 'canceled' ? 'cancellation_accepted' : 'cancellation_rejected')
    return before === undefined || after === 'zayavka-na-otmen' ? state(after) : arrow(state(before), state(after))
  }

  const requests = order.adjustments.flatMap(({ adjustment_date_create, adjustment_items, ...adjustment }): Step[] => {
    const { quantity_before, requested_quantity, reason, decided_at, decided_by } = adjustment.request
    const facts = [`${adjustment_items[0]?.sku ?? '–'}: ${arrow(number(quantity_before), number(requested_quantity))}`]
    const asked = eventWord('adjustment.created', words)
    const isRejected = decided_by?.startsWith('operator') === true
    return [
      { at: adjustment_date_create, title: asked, who: order.client_name, facts, text: reason },
      ...(decided_at === null || adjustment.adjustment_status === 'ACCEPTED'
        ? []
        : [
            {
              at: decided_at,
              title: isRejected ? t('request_rejected') : eventWord('adjustment.decided', words),
              who: who(decided_by),
              facts,
              text: adjustment.adjustment_canceled_message,
            },
          ]),
    ]
  })
  const notes = order.notes.map(({ note_datetime, note_author, note_text }): Step => ({
    at: note_datetime,
    title: t('note_for_operators'),
    who: who(note_author),
    text: note_text,
  }))
  const archived = order.order_archive_datetime
  const last =
    archived === null ? [] : [{ at: archived, title: eventWord('order.archived', words), who: t('by_service') }]
  return [...history, ...requests, ...notes.toReversed(), ...last]
    .toSorted((one, other) => (one.at < other.at ? -1 : Number(one.at > other.at)))
    .toReversed()
}
