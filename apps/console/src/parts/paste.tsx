/**
 * A column pasted from a spreadsheet: the article and its new price or level. It is sent as a file to be checked, so what
 * would change is shown first, and importing, bad rows and undoing work as for every file.
 */
import { useId, useState } from 'react'
import { useLocation } from 'wouter'
import type { ImportKind } from '@parts-ordering/client/operator'
import { useWords } from '../words/words.tsx'
import { ActionDialog } from './dialog.tsx'
import { sendFile } from './import-file.ts'
import { usePlaces } from './places.ts'

interface Target {
  readonly kind: ImportKind
  readonly label: string
  /** The columns of the file, the place in its first one. */
  readonly columns: string
  readonly place: number
}

export function PasteDialog({ onClose }: { onClose: () => void }) {
  const { t } = useWords()
  const id = useId()
  const [, navigate] = useLocation()
  const [chosen, setChosen] = useState(0)
  const [text, setText] = useState('')
  const places = usePlaces()
  const targets: Target[] = [
    ...(places.data?.lists ?? []).map(({ price_list_id, price_list_name }) => ({
      kind: 'prices' as const,
      label: t('price_in', { name: price_list_name }),
      columns: 'price_list_id\tarticle\tprice',
      place: price_list_id,
    })),
    ...(places.data?.stocks ?? []).map(({ stock_id, stock_name }) => ({
      kind: 'stock-levels' as const,
      label: t('level_in', { name: stock_name }),
      columns: 'stock_id\tarticle\ton_hand',
      place: stock_id,
    })),
  ]
  const rows = pastedRows(text)
  const target = targets[chosen]
  return (
    <ActionDialog
      title={t('paste')}
      effect={t('paste_effect', { n: rows.length })}
      submit={t('import_check')}
      ready={target !== undefined && rows.length > 0}
      onSubmit={async () => {
        if (target === undefined) return
        const lines = [target.columns, ...rows.map((row) => `${target.place}\t${row}`)]
        const file = new File([lines.join('\n')], `pasted-${target.kind}.tsv`)
        navigate(`/imports/${await sendFile({ file, kind: target.kind }, { dry_run: true, mode: 'all' })}`)
      }}
      onClose={onClose}
    >
      <div className="select">
        <label htmlFor={`${id}-target`}>{t('paste_target')}</label>
        <select
          id={`${id}-target`}
          value={chosen}
          onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
        >
          {targets.map(({ label }, index) => (
            <option key={label} value={index}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <div className="select">
        <label htmlFor={`${id}-text`}>{t('paste_cells')}</label>
        <textarea
          id={`${id}-text`}
          rows={8}
          spellCheck={false}
          placeholder={'BN-280-V\t12.50'}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          data-autofocus
        />
      </div>
    </ActionDialog>
  )
}

/** The rows without empty ones, and without a first one whose value has no digit: it is the heading of the columns. */
function pastedRows(text: string): string[] {
  const [first = '', ...others] = text.split(/\r?\n/).filter((row) => row.trim() !== '')
  return first === '' || !/\t.*\d/.test(first) ? others : [first, ...others]
}
