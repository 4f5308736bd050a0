/** One action on several orders: its effect first, and what became of each order that was refused. */
import { TextInput } from '@mantine/core'
import { useState } from 'react'
import type { OperatorOrder } from '@parts-ordering/client/operator'
import { api } from '../../api.ts'
import { useWords, type Words } from '../../words/words.tsx'
import { ActionDialog } from '../dialog.tsx'
import { Modal } from '../modal.tsx'
import { movesFrom, type MoveTarget } from './order-states.ts'

export type BulkAction = { readonly kind: 'move'; readonly to: MoveTarget } | { readonly kind: 'hold' }

type Changed = Pick<OperatorOrder, 'order_id'> & Partial<OperatorOrder>

interface Result {
  readonly done: readonly Changed[]
  readonly refused: readonly { order_number: number; sentence: string }[]
}

export function BulkDialog({
  action,
  orders,
  onDone,
  onClose,
}: {
  action: BulkAction
  orders: readonly OperatorOrder[]
  onDone: (changed: readonly Changed[]) => void
  onClose: () => void
}) {
  const words = useWords()
  const { t } = words
  const [text, setText] = useState('')
  const [result, setResult] = useState<Result | null>(null)
  const name = action.kind === 'hold' ? t('hold') : t('move_to', { state: words.state(action.to) })
  const needsText = action.kind === 'hold' || action.to === 'canceled'
  const possible =
    action.kind === 'hold' ? orders : orders.filter((order) => movesFrom[order.order_state_id].includes(action.to))

  if (result !== null)
    return (
      <Modal onClose={onClose} title={name}>
        <p>{t('bulk_done', { n: result.done.length })}</p>
        <p>{t('bulk_failed', { n: result.refused.length })}</p>
        <ul>
          {result.refused.map(({ order_number, sentence }) => (
            <li key={order_number}>
              {order_number}: {sentence}
            </li>
          ))}
        </ul>
      </Modal>
    )
  return (
    <ActionDialog
      title={t('bulk_title', { action: name, n: orders.length })}
      effect={
        action.kind === 'hold'
          ? t('effect_hold')
          : `${t('effect_moves', { n: possible.length, state: words.state(action.to) })} ${t(`effect_${action.to}`)}`
      }
      submit={name}
      danger={needsText}
      ready={!needsText || text.trim() !== ''}
      onClose={() => result === null && onClose()}
      onSubmit={async () => {
        const outcome = await (action.kind === 'hold'
          ? hold(orders, text.trim(), words)
          : move(orders, action.to, text.trim(), words))
        onDone(outcome.done)
        if (outcome.refused.length > 0) setResult(outcome)
        // A refusal keeps the dialog open with what happened to each order.
        if (outcome.refused.length > 0) throw new Error('')
      }}
    >
      <TextInput
        label={t(needsText ? 'remark_required' : 'remark')}
        description={needsText ? undefined : t('optional')}
        value={text}
        onChange={({ currentTarget }) => setText(currentTarget.value)}
        maxLength={500}
        required={needsText}
        data-autofocus
      />
    </ActionDialog>
  )
}

async function move(
  orders: readonly OperatorOrder[],
  to: MoveTarget,
  text: string,
  { problem }: Words,
): Promise<Result> {
  const results = await api.moveOrders({
    order_ids: orders.map(({ order_id }) => order_id),
    state_id: to,
    ...(text === '' ? {} : { text }),
  })
  const refused = results.filter(({ moved }) => moved !== true)
  return {
    done: results.flatMap(({ moved, order_id }) =>
      moved === true && order_id !== null ? [{ order_id, order_state_id: to }] : [],
    ),
    refused: refused.map(({ order_id, errors }) => ({
      order_number: orders.find((order) => order.order_id === order_id)?.order_number ?? 0,
      sentence: problem(errors[0]),
    })),
  }
}

/** The API holds one order at a time. */
async function hold(orders: readonly OperatorOrder[], reason: string, { problem }: Words): Promise<Result> {
  const done: Changed[] = []
  const refused: { order_number: number; sentence: string }[] = []
  for (const { order_id, order_number } of orders) {
    try {
      await api.holdOrder({ order_id: String(order_id), reason })
      done.push({ order_id, hold_reason: reason })
    } catch (error) {
      refused.push({ order_number, sentence: problem(error) })
    }
  }
  return { done, refused }
}
