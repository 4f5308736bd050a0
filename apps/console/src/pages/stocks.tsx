/** The stocks and the days on which they do not ship. */
import { Button } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { OperatorStock } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { FieldsDialog } from '../parts/fields-dialog.tsx'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { useWords } from '../words/words.tsx'

export default function Stocks() {
  const words = useWords()
  const { t, number } = words
  const mayAdminister = useMay('administer')
  const queries = useQueryClient()
  const [closing, setClosing] = useState<OperatorStock | null>(null)
  const paged = usePages(['stocks-list'], (cursor, options) => api.listAllStocks(cursor, options))
  return (
    <>
      <div className="page-head">
        <h1>{t('stocks_closures')}</h1>
      </div>
      <Listing paged={paged} empty={t('none')}>
        <Table
          label={t('stocks_closures')}
          rows={paged.rows}
          idOf={({ stock_id }) => stock_id}
          columns={[
            { label: t('stock'), cell: ({ stock_name }) => stock_name },
            { label: t('lead_days'), num: true, cell: ({ lead_days }) => number(lead_days) },
            {
              label: t('closed_weekdays'),
              cell: ({ closed_weekdays }) => closed_weekdays.map((day) => words.weekday(day)).join(', ') || '–',
            },
            { label: t('closures'), cell: ({ stock_id }) => <Closures stock_id={stock_id} /> },
            ...(mayAdminister
              ? [
                  {
                    label: t('actions'),
                    quiet: true,
                    cell: (stock: OperatorStock) => (
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        aria-label={t('closure_add_of', { name: stock.stock_name })}
                        onClick={() => setClosing(stock)}
                      >
                        {t('closure_add')}
                      </Button>
                    ),
                  },
                ]
              : []),
          ]}
        />
      </Listing>
      {closing !== null && (
        <FieldsDialog
          title={t('closure_add_of', { name: closing.stock_name })}
          effect={() => t('closure_effect')}
          submit={t('save')}
          fields={[{ name: 'date', label: t('day'), type: 'date' }]}
          onSubmit={async ({ date = '' }) => {
            await api.closeStock({ stock_id: closing.stock_id, date })
            await queries.invalidateQueries({ queryKey: ['closures', closing.stock_id] })
          }}
          onClose={() => setClosing(null)}
        />
      )}
    </>
  )
}

function Closures({ stock_id }: { stock_id: number }) {
  const { t, day } = useWords()
  const queries = useQueryClient()
  const mayAdminister = useMay('administer')
  const queryKey = ['closures', stock_id]
  const { list, rows } = usePages(queryKey, (cursor, options) => api.listClosures({ stock_id, ...cursor }, options))
  if (list.isPending) return '…'
  if (rows.length === 0) return <span className="dim">{t('closures_none')}</span>
  const open = async (date: string): Promise<void> => {
    await api.openStock({ stock_id, date })
    await queries.invalidateQueries({ queryKey })
  }
  return (
    <div className="chips">
      {rows.map(({ date }) =>
        mayAdminister ? (
          <button
            key={date}
            type="button"
            className="chip"
            aria-label={t('closure_open', { date: day(date) })}
            onClick={() => void open(date)}
          >
            {day(date)} <span aria-hidden>×</span>
          </button>
        ) : (
          <span key={date} className="badge">
            {day(date)}
          </span>
        ),
      )}
    </div>
  )
}
