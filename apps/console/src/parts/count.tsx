/** A count with its reason. Afterwards it shows the orders that the stock can no longer serve. */
import { Button } from '@mantine/core'
import { useRef, useState } from 'react'
import type { OperatorItem, StockCount } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useWords } from '../words/words.tsx'
import { FieldsDialog } from './fields-dialog.tsx'
import { Table } from './listing.tsx'
import { Modal } from './modal.tsx'
import { OrderLink } from './orders/order-bits.tsx'

export function CountDialog({
  item_id,
  level: { stock_id, stock_name, on_hand, reserved },
  onDone,
  onClose,
}: {
  item_id: number
  level: OperatorItem['stock_levels'][number]
  onDone: () => Promise<void>
  onClose: () => void
}) {
  const { t, number } = useWords()
  const isCounted = useRef(false)
  const [result, setResult] = useState<StockCount | null>(null)
  const title = t('count_of', { name: stock_name })
  if (result !== null)
    return (
      <Modal title={title} onClose={onClose}>
        <div className="dialog">
          <p className="effect" role="status">
            {t('count_done', { before: result.on_hand_before, after: result.on_hand })}
          </p>
          {result.affected_orders.length === 0 ? (
            <p>{t('count_none_affected')}</p>
          ) : (
            <>
              <strong>{t('count_affected')}</strong>
              <Table
                label={t('count_affected')}
                rows={result.affected_orders}
                idOf={({ order_item_id }) => order_item_id}
                columns={[
                  { label: t('number'), cell: (order) => <OrderLink {...order} /> },
                  { label: t('client'), cell: ({ client_name }) => client_name },
                  { label: t('open'), num: true, cell: ({ open }) => number(open) },
                  { label: t('missing'), num: true, cell: ({ short }) => number(short) },
                ]}
              />
            </>
          )}
          <div className="dialog-buttons">
            <Button onClick={onClose}>{t('done')}</Button>
          </div>
        </div>
      </Modal>
    )
  return (
    <FieldsDialog
      title={title}
      effect={({ counted }) =>
        t('count_effect', {
          before: on_hand,
          after: counted === '' ? '?' : Number(counted),
          reserved,
        })
      }
      submit={t('count')}
      fields={[
        { name: 'counted', label: t('counted'), type: 'number', step: '1' },
        { name: 'reason', label: t('count_reason') },
      ]}
      onSubmit={async ({ counted, reason = '' }) => {
        const count = await api.countStock({
          stock_id,
          item_id,
          on_hand: Number(counted),
          reason: reason.trim(),
          expected: on_hand,
        })
        isCounted.current = true
        setResult(count)
        await onDone()
      }}
      onClose={() => {
        if (!isCounted.current) onClose() // Otherwise the result is shown first.
      }}
    />
  )
}
