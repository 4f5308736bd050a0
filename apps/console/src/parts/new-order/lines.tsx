/** The lines of a new order: typed or pasted, each with what it costs, what is free, and what is wrong with it. */
import { Button } from '@mantine/core'
import { useRef, type ClipboardEvent, type KeyboardEvent, type RefObject } from 'react'
import { useWords } from '../../words/words.tsx'
import type { DraftLine } from './draft.ts'
import { parseLines } from './parse-lines.ts'
import { isValid, type Quoted, type QuotedLine } from './use-quote.ts'

export function NewLines({
  lines,
  typed,
  quoted,
  stock_id,
  entry,
  onChange,
}: {
  lines: readonly DraftLine[]
  typed: string
  quoted: Quoted | undefined
  stock_id: number | undefined
  /** The field for new lines. */
  entry: RefObject<HTMLTextAreaElement | null>
  onChange: (fields: { lines?: readonly DraftLine[]; typed?: string; stock_id?: number }) => void
}) {
  const { t } = useWords()
  const table = useRef<HTMLTableElement>(null)
  const add = (text: string): void => {
    const first = Math.max(-1, ...lines.map(({ id }) => id)) + 1
    const added = parseLines(text).map((line, n) => ({ ...line, id: first + n }))
    onChange({ lines: [...lines, ...added], typed: '' })
  }
  const paste = (event: ClipboardEvent): void => {
    const text = event.clipboardData.getData('text')
    if (!/[\t\n]/.test(text.trim())) return // Part of a line that is typed.
    event.preventDefault()
    add(`${typed}${text}`)
  }
  /** Another article is another item. */
  const change = (id: number, fields: Partial<DraftLine>): void =>
    onChange({
      lines: lines.map((line) => {
        if (line.id !== id) return line
        const { item_id: _, ...others } = line
        return { ...('article' in fields ? others : line), ...fields }
      }),
    })
  /** Enter goes to the next quantity, and behind the last one to new lines. */
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    if (event.key !== 'Enter' || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    const fields = [
      ...(table.current?.querySelectorAll<HTMLInputElement>(`input[name=${event.currentTarget.name}]`) ?? []),
    ]
    const next = fields[fields.indexOf(event.currentTarget) + 1] ?? entry.current
    next?.focus()
    if (next instanceof HTMLInputElement) next.select()
  }
  return (
    <section className="new-lines">
      <h2>{t('lines')}</h2>
      {lines.length > 0 && (
        <div className="table-place" tabIndex={0} role="region" aria-label={t('lines')}>
          <table className="rows" ref={table}>
            <thead>
              <tr>
                <th>{t('article')}</th>
                <th>{t('item_name')}</th>
                <th className="num">{t('quantity')}</th>
                <th className="num">{t('price')}</th>
                <th className="num">{t('free')}</th>
                <th>{t('ships')}</th>
                <th className="num">{t('amount')}</th>
                <th>
                  <span className="hidden">{t('line_remove')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line, index) => (
                <Line
                  key={line.id}
                  line={line}
                  place={index + 1}
                  quoted={quoted?.lines.get(line.id)}
                  stock_id={stock_id}
                  onKeyDown={onKeyDown}
                  onChange={(fields) => change(line.id, fields)}
                  onStock={(stock) => onChange({ stock_id: stock })}
                  onRemove={() => {
                    onChange({ lines: lines.filter(({ id }) => id !== line.id) })
                    entry.current?.focus()
                  }}
                />
              ))}
            </tbody>
          </table>
        </div>
      )}
      <div className="entry">
        <textarea
          ref={entry}
          rows={lines.length === 0 ? 5 : 2}
          aria-label={t('lines_entry')}
          placeholder={t('lines_hint')}
          spellCheck={false}
          value={typed}
          onPaste={paste}
          onChange={({ currentTarget }) => onChange({ typed: currentTarget.value })}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || event.shiftKey || event.ctrlKey || event.metaKey) return
            event.preventDefault()
            if (typed.trim() !== '') add(typed)
          }}
        />
        <Button variant="default" disabled={typed.trim() === ''} onClick={() => add(typed)}>
          {t('lines_add')}
        </Button>
      </div>
    </section>
  )
}

function Line({
  line,
  place,
  quoted,
  stock_id,
  onKeyDown,
  onChange,
  onStock,
  onRemove,
}: {
  line: DraftLine
  place: number
  quoted: QuotedLine | { readonly joined: number } | undefined
  stock_id: number | undefined
  onKeyDown: (event: KeyboardEvent<HTMLInputElement>) => void
  onChange: (fields: Partial<DraftLine>) => void
  onStock: (stock_id: number) => void
  onRemove: () => void
}) {
  const { t, number, money, day } = useWords()
  const found = quoted !== undefined && 'places' in quoted ? quoted : undefined
  const level = found?.availability.find((one) => one.stock_id === stock_id)
  const isWrong = !isValid(line) || (found?.error ?? null) !== null
  const hint = `new-line-${line.id}`
  const price = found?.price == null ? '–' : money(found.price)
  const net = found?.net_price == null ? price : money(found.net_price)
  const packs = found !== undefined && (found.quantity_min > 1 || found.quantity_multiple > 1)
  return (
    <tr data-empty={price === '–' || undefined}>
      <td data-label={t('article')}>
        <input
          name="article"
          aria-label={t('article_of', { n: place })}
          aria-invalid={isWrong && found?.item_id == null}
          aria-describedby={hint}
          value={line.article}
          spellCheck={false}
          onKeyDown={onKeyDown}
          onChange={({ currentTarget }) => onChange({ article: currentTarget.value, brand: '' })}
        />
      </td>
      <td data-label={t('item_name')}>
        <div id={hint}>
          {found?.item_title != null && (
            <div>
              {found.item_title} <span className="dim nowrap">{found.brand_name}</span>
            </div>
          )}
          {found?.item_title == null && line.brand !== '' && <div className="dim">{line.brand}</div>}
          {quoted !== undefined && 'joined' in quoted && (
            <div className="dim">{t('line_joined', { n: quoted.joined })}</div>
          )}
          {packs && (
            <div className="dim">{t('packs', { min: found.quantity_min, multiple: found.quantity_multiple })}</div>
          )}
          {isWrong && <Wrong line={line} found={found} stock_id={stock_id} onChange={onChange} onStock={onStock} />}
        </div>
      </td>
      <td data-label={t('quantity')} className="num">
        <input
          name="quantity"
          className="num"
          inputMode="numeric"
          aria-label={t('quantity_of', { n: place })}
          aria-invalid={isWrong && found?.item_id != null}
          aria-describedby={hint}
          value={line.quantity}
          onKeyDown={onKeyDown}
          onChange={({ currentTarget }) => onChange({ quantity: currentTarget.value.trim() })}
        />
      </td>
      <td data-label={t('price')} className="num nowrap">
        <div>
          {net}
          {net !== price && (
            <div className="dim">
              <s>{price}</s>
            </div>
          )}
        </div>
      </td>
      <td data-label={t('free')} className="num nowrap">
        {level === undefined ? '–' : number(level.available)}
      </td>
      <td data-label={t('ships')} className="nowrap">
        {level?.earliest_shipping_date == null ? '–' : day(level.earliest_shipping_date)}
      </td>
      <td data-label={t('amount')} className="num nowrap">
        <span className={isWrong ? 'dim' : undefined}>{found?.amount == null ? '–' : money(found.amount)}</span>
      </td>
      <td>
        <button type="button" className="modal-close" aria-label={t('line_remove_of', { n: place })} onClick={onRemove}>
          ×
        </button>
      </td>
    </tr>
  )
}

/** What is wrong, and what would be right, each a button. */
function Wrong({
  line,
  found,
  stock_id,
  onChange,
  onStock,
}: {
  line: DraftLine
  found: QuotedLine | undefined
  stock_id: number | undefined
  onChange: (fields: Partial<DraftLine>) => void
  onStock: (stock_id: number) => void
}) {
  const { t, number, problem } = useWords()
  const error = isValid(line) ? found?.error : null
  const details = error?.details ?? {}
  const isShort = error?.code === 'out_of_stock'
  const quantity = isShort ? Number(details['available']) : Number(details['next_quantity'] ?? 0)
  const others = isShort
    ? (found?.availability ?? []).filter(
        (one) => one.stock_id !== stock_id && (one.back_order || one.available >= (found?.quantity ?? 0)),
      )
    : []
  const isTakeable = quantity > 0 && found?.places.length === 1 && quantity % found.quantity_multiple === 0
  return (
    <>
      <div className="refused">{error == null ? t('line_invalid') : problem(error)}</div>
      <div className="fixes">
        {isTakeable && (
          <Button size="compact-sm" variant="default" onClick={() => onChange({ quantity: String(quantity) })}>
            {t('line_take', { n: quantity })}
          </Button>
        )}
        {others.map((stock) => (
          <Button key={stock.stock_id} size="compact-sm" variant="default" onClick={() => onStock(stock.stock_id)}>
            {t('line_stock', { name: stock.stock_name, free: number(stock.available) })}
          </Button>
        ))}
        {found?.near.map(({ item_id, item_vendor_code, item_title, brand_name }) => (
          <Button
            key={item_id}
            size="compact-sm"
            variant="default"
            title={item_title}
            onClick={() => onChange({ item_id, article: item_vendor_code, brand: brand_name })}
          >
            {item_vendor_code} {brand_name}
          </Button>
        ))}
      </div>
    </>
  )
}
