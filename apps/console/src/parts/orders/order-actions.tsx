/** The dialogs of an order's actions. Each shows its effect first; where the API has a dry run, the effect comes from it. */
import { Checkbox, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import type { FullOrder, LineChange } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useWords, type Words } from '../../words/words.tsx'
import { ActionDialog } from '../dialog.tsx'
import type { MoveTarget } from './order-states.ts'
import { keepReason, ReasonField, useReasons } from './reasons.tsx'

type Line = FullOrder['items'][number]

export type OrderAction =
  | { readonly kind: 'move'; readonly to: MoveTarget }
  | { readonly kind: 'line'; readonly line: Line }
  | { readonly kind: 'accept'; readonly adjustment_id: number; readonly before: number; readonly after: number }
  | { readonly kind: 'reject'; readonly adjustment_id: number; readonly before: number }
  | { readonly kind: 'ship' | 'return' | 'add' }
  | { readonly kind: 'close' | 'hold' | 'release' | 'reschedule' | 'note' | 'undo' | 'virtual' }
  | { readonly kind: 'accept-cancellation' | 'reject-cancellation' }

interface DialogProps {
  readonly order: FullOrder
  readonly onClose: () => void
  readonly onDone: () => Promise<void>
}

export function OrderActionDialog({ action, ...props }: DialogProps & { action: OrderAction }) {
  switch (action.kind) {
    case 'line':
      return <LineDialog {...props} line={action.line} />
    case 'add':
      return <LineDialog {...props} />
    case 'ship':
    case 'return':
      return <QuantitiesDialog {...props} kind={action.kind} />
    default:
      return <SimpleDialog {...props} action={action} />
  }
}

const sumOf = (figures: readonly number[]): number => figures.reduce((sum, figure) => sum + figure, 0)
const openOf = ({ items }: FullOrder): number => sumOf(items.map(({ order_item_open }) => order_item_open))
const returnableOf = ({ items, returns }: FullOrder): number =>
  sumOf(items.map(({ order_item_shipped }) => order_item_shipped)) -
  sumOf(returns.flatMap(({ lines }) => lines.map(({ quantity }) => quantity)))

/** Actions with at most one text field. */
function SimpleDialog({
  order,
  action,
  onClose,
  onDone,
}: DialogProps & { action: Exclude<OrderAction, { kind: 'line' } | { kind: 'ship' | 'return' | 'add' }> }) {
  const words = useWords()
  const { t } = words
  const [usual] = useReasons()
  const [typed, setText] = useState<string | null>(null)
  const text = typed ?? (action.kind.startsWith('reject') ? usual : '')
  const [internal, setInternal] = useState(true)
  const [shown] = useState(order) // As it was when the dialog opened.
  const order_id = String(order.order_id)
  const value = text.trim()
  const remark = value === '' ? {} : { text: value }
  const { title, effect, needed, label, danger, send } = describe()

  function describe(): {
    title: string
    effect?: string
    needed: boolean
    label?: string
    danger?: boolean
    send: () => Promise<unknown>
  } {
    switch (action.kind) {
      case 'move':
        return {
          title: t('move_to', { state: words.state(action.to) }),
          effect: t(`effect_${action.to}`),
          needed: action.to === 'canceled',
          label: t(action.to === 'canceled' ? 'remark_required' : 'remark'),
          danger: action.to === 'canceled',
          send: () => api.moveOrder({ order_id, state_id: action.to, ...remark }),
        }
      case 'accept':
        return {
          title: t('accept'),
          effect: `${words.number(action.before)} → ${words.number(action.after)}`,
          needed: false,
          send: () =>
            api.acceptAdjustment({ adjustment_id: action.adjustment_id, expected: action.before, confirmed: true }),
        }
      case 'reject':
        return {
          title: t('reject'),
          needed: true,
          send: () =>
            api.rejectAdjustment({ adjustment_id: action.adjustment_id, message: value, expected: action.before }),
        }
      case 'accept-cancellation':
        return {
          title: t('accept'),
          effect: t('effect_canceled'),
          needed: false,
          send: () => api.acceptCancellation({ order_id, expected: shown.order_total }),
        }
      case 'reject-cancellation':
        return {
          title: t('reject'),
          needed: true,
          send: () => api.rejectCancellation({ order_id, message: value, expected: shown.order_total }),
        }
      case 'close':
        return {
          title: t('close_open'),
          effect: t('effect_close'),
          needed: true,
          label: t('remark_required'),
          danger: true,
          send: () => api.closeOpen({ order_id, reason: value, expected: openOf(shown) }),
        }
      case 'hold':
        return {
          title: t('hold'),
          effect: t('effect_hold'),
          needed: true,
          label: t('reason'),
          send: () => api.holdOrder({ order_id, reason: value }),
        }
      case 'release':
        return {
          title: t('release'),
          effect: t('effect_release'),
          needed: false,
          send: () => api.releaseOrder({ order_id }),
        }
      case 'reschedule':
        return {
          title: t('reschedule'),
          effect: t('effect_reschedule'),
          needed: true,
          label: t('ship_date'),
          send: () => api.rescheduleOrder({ order_id, shipping_date: value }),
        }
      case 'note':
        return {
          title: t('note'),
          effect: t('effect_note'),
          needed: true,
          label: t('note_text'),
          send: () => api.addNote({ order_id, text: value, internal }),
        }
      case 'undo':
        return {
          title: t('undo_cancellation'),
          effect: t('effect_undo'),
          needed: true,
          label: t('reason'),
          send: () => api.undoCancellation({ order_id, reason: value }),
        }
      case 'virtual':
        return {
          title: t('clear_virtual'),
          effect: t('effect_virtual'),
          needed: false,
          send: () => api.clearVirtual({ order_id }),
        }
      default:
        return action satisfies never
    }
  }

  const isReject = action.kind.startsWith('reject')
  return (
    <ActionDialog
      title={title}
      {...(effect === undefined ? {} : { effect })}
      submit={title}
      danger={danger === true || isReject}
      ready={!needed || value !== ''}
      onClose={onClose}
      onSubmit={async () => {
        await send()
        if (isReject) keepReason(value)
        await onDone()
      }}
    >
      {isReject ? (
        <ReasonField value={text} onChange={setText} />
      ) : (
        label !== undefined && (
          <TextInput
            label={label}
            description={needed ? undefined : t('optional')}
            type={action.kind === 'reschedule' ? 'date' : 'text'}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
            required={needed}
            maxLength={500}
            data-autofocus
          />
        )
      )}
      {action.kind === 'note' && (
        <Checkbox
          label={t('note_internal')}
          checked={internal}
          onChange={({ currentTarget }) => setInternal(currentTarget.checked)}
        />
      )}
    </ActionDialog>
  )
}

/** Changes a line, or without one adds one. The effect is that of a dry run with what is typed. */
function LineDialog({ order, line, onClose, onDone }: DialogProps & { line?: Line }) {
  const words = useWords()
  const { t } = words
  const [article, setArticle] = useState('')
  const [quantity, setQuantity] = useState(String(line?.order_item_quantity ?? 1))
  const [reason, setReason] = useState('')
  const order_id = String(order.order_id)
  const [typed] = useDebouncedValue({ article: article.trim(), quantity }, 250)
  const isWhole = /^\d{1,7}$/.test(quantity)
  const send = (dry_run: boolean, why: string, wanted: { article: string; quantity: string }): Promise<LineChange> =>
    line === undefined
      ? api.addLine({
          order_id,
          article: wanted.article,
          quantity: Number(wanted.quantity),
          reason: why,
          dry_run,
          ...(dry_run || effect.data === undefined ? {} : { expected: effect.data.total_after }),
        })
      : api.changeLine({
          order_id,
          order_item_id: line.order_item_id,
          quantity: Number(wanted.quantity),
          reason: why,
          dry_run,
          expected: line.order_item_quantity,
        })
  const isUnchanged = line !== undefined && Number(quantity) === line.order_item_quantity
  const effect = useQuery({
    queryKey: ['dry run', order_id, line?.order_item_id, typed],
    queryFn: () => send(true, '–', typed),
    enabled: /^\d{1,7}$/.test(typed.quantity) && !isUnchanged && (line !== undefined || typed.article !== ''),
    gcTime: 0,
    staleTime: 0,
  })
  const title =
    line === undefined ? t('add_line') : t('change_line_title', { article: line.order_item.item_vendor_code })
  return (
    <ActionDialog
      title={title}
      effect={<span role="status">{effectOf(effect, order, words)}</span>}
      submit={line === undefined ? t('add_line') : t('change_line')}
      ready={isWhole && !isUnchanged && reason.trim() !== '' && (line !== undefined || article.trim() !== '')}
      onClose={onClose}
      onSubmit={async () => {
        await send(false, reason.trim(), { article: article.trim(), quantity })
        await onDone()
      }}
    >
      {line === undefined && (
        <TextInput
          label={t('article')}
          value={article}
          onChange={({ currentTarget }) => setArticle(currentTarget.value)}
          required
          data-autofocus
        />
      )}
      <TextInput
        label={t('quantity')}
        type="number"
        min={0}
        value={quantity}
        onChange={({ currentTarget }) => setQuantity(currentTarget.value)}
        required
        data-autofocus={line === undefined ? undefined : true}
      />
      <TextInput
        label={t('remark_required')}
        value={reason}
        onChange={({ currentTarget }) => setReason(currentTarget.value)}
        maxLength={200}
        required
      />
    </ActionDialog>
  )
}

function effectOf(
  { data, error, isFetching }: { data: LineChange | undefined; error: unknown; isFetching: boolean },
  { terms }: FullOrder,
  { t, money, number, problem }: Words,
): ReactNode {
  if (isFetching) return t('loading')
  if (error !== null && error !== undefined) return <span className="refused">{problem(error)}</span>
  if (data === undefined) return '–'
  if (data.state_after === 'canceled') return t('effect_line_cancels')
  return t('effect_line', {
    total_before: money(data.total_before, terms.currency_code),
    total_after: money(data.total_after, terms.currency_code),
    free: data.available_after === null ? '–' : number(data.available_after),
    limit: data.limit_left_after === null ? t('no_limit') : money(data.limit_left_after, terms.currency_code),
  })
}

/** Ships or takes back some pieces of each line. */
function QuantitiesDialog({ order, kind, onClose, onDone }: DialogProps & { kind: 'ship' | 'return' }) {
  const { t } = useWords()
  const isShip = kind === 'ship'
  const mostOf = (line: Line): number => (isShip ? line.order_item_open : line.order_item_shipped)
  const lines = order.items.filter((line) => mostOf(line) > 0)
  const [quantities, setQuantities] = useState<Readonly<Record<number, string>>>(
    Object.fromEntries(lines.map((line) => [line.order_item_id, String(isShip ? mostOf(line) : 0)])),
  )
  const [carrier, setCarrier] = useState('')
  const [tracking, setTracking] = useState('')
  const [reason, setReason] = useState('')
  const [restock, setRestock] = useState(true)
  const chosen = lines
    .map(({ order_item_id }) => ({ order_item_id, quantity: Number(quantities[order_item_id] ?? 0) }))
    .filter(({ quantity }) => quantity > 0)
  const [shown] = useState(order) // As it was when the dialog opened.
  const order_id = String(order.order_id)
  return (
    <ActionDialog
      title={t(isShip ? 'ship' : 'returned')}
      effect={t(isShip ? 'effect_ship' : 'effect_return')}
      submit={`${t(isShip ? 'ship' : 'returned')} (${t('pieces', { n: chosen.reduce((sum, { quantity }) => sum + quantity, 0) })})`}
      ready={chosen.length > 0 && (isShip || reason.trim() !== '')}
      onClose={onClose}
      onSubmit={async () => {
        await (isShip
          ? api.shipOrder({
              order_id,
              lines: chosen,
              expected: openOf(shown),
              ...(carrier.trim() === '' ? {} : { carrier: carrier.trim() }),
              ...(tracking.trim() === '' ? {} : { tracking: tracking.trim() }),
            })
          : api.returnGoods({
              order_id,
              lines: chosen,
              reason: reason.trim(),
              restock,
              expected: returnableOf(shown),
            }))
        await onDone()
      }}
    >
      {lines.map((line, index) => (
        <TextInput
          key={line.order_item_id}
          label={t('ship_quantity', { article: line.order_item.item_vendor_code })}
          description={line.order_item.item_title}
          type="number"
          min={0}
          max={mostOf(line)}
          value={quantities[line.order_item_id] ?? ''}
          onChange={({ currentTarget }) =>
            setQuantities((before) => ({ ...before, [line.order_item_id]: currentTarget.value }))
          }
          data-autofocus={index === 0 || undefined}
        />
      ))}
      {isShip ? (
        <>
          <TextInput
            label={t('carrier')}
            value={carrier}
            onChange={({ currentTarget }) => setCarrier(currentTarget.value)}
            maxLength={100}
          />
          <TextInput
            label={t('tracking')}
            value={tracking}
            onChange={({ currentTarget }) => setTracking(currentTarget.value)}
            maxLength={200}
          />
        </>
      ) : (
        <>
          <TextInput
            label={t('reason')}
            value={reason}
            onChange={({ currentTarget }) => setReason(currentTarget.value)}
            maxLength={200}
            required
          />
          <Checkbox
            label={t('restock')}
            checked={restock}
            onChange={({ currentTarget }) => setRestock(currentTarget.checked)}
          />
        </>
      )}
    </ActionDialog>
  )
}
