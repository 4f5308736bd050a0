/** What changed, with old and new values: of entries of the log and of rows of imports. */
import { en, type WordKey } from '../../words/en.ts'
import { useWords, type Words } from '../../words/words.tsx'

/** The fields that people know. The others are technical, or follow from these. */
const shownFields: Readonly<Record<string, WordKey>> = {
  order_state_id: 'state',
  order_total: 'total',
  order_shipping_date: 'ship_date',
  order_item_quantity: 'quantity',
  quantity: 'quantity',
  requested_quantity: 'quantity',
  hold_reason: 'reason',
  note_text: 'note_text',
  text: 'remark',
  reason: 'reason',
  carrier: 'carrier',
  tracking: 'tracking',
  block_reason: 'reason',
  paused_text: 'reason',
  contract_limit: 'effect_limit',
  contract_used: 'used',
  contract_name: 'contract',
  client_name: 'client',
  contact_name: 'contact',
  virtual: 'virtual',
  origin: 'webhook_address',
  rate_per_second: 'rate',
  price: 'price',
  on_hand: 'on_hand',
  stock_difference: 'difference',
  item_vendor_code: 'article',
  item_barcode: 'barcode',
  item_title: 'item_name',
  brand_name: 'brand',
  product_name: 'product',
  on_sale: 'on_sale',
}

const amounts = new Set(['order_total', 'price', 'contract_limit', 'contract_used'])
const inPercent = new Set(['price', 'on_hand'])

export interface Change {
  readonly field: string
  readonly old: unknown
  readonly new: unknown
  /** Of a line. */
  readonly article?: string
}

export const eventWord = (type: string, { t }: Words): string =>
  t((`event_${type}` in en ? `event_${type}` : 'event_other') as WordKey)

function textOf(field: string, value: unknown, words: Words): string {
  if (value === null || value === undefined || value === '') return '–'
  if (field === 'order_state_id' && typeof value === 'string') return words.state(value)
  if (amounts.has(field)) return words.money(Number(value))
  if (typeof value === 'number') return words.number(value)
  if (value === true || value === 'true') return words.t('yes')
  if (value === false || value === 'false') return words.t('no')
  if (typeof value !== 'string') return JSON.stringify(value)
  return field.endsWith('_date') ? words.day(value) : value
}

/** By how much a price or a level changes. */
function percentOf({ field, old, new: now }: Change, words: Words): string {
  const [before, after] = [Number(old), Number(now)]
  if (!inPercent.has(field) || !(before > 0) || !Number.isFinite(after) || now === null) return ''
  return ` (${words.percent((after - before) / before)})`
}

export function Changes({ changes }: { changes: readonly Change[] }) {
  const words = useWords()
  return (
    <ul className="plain changes">
      {changes.map((change, index) => {
        const word = shownFields[change.field]
        const [before, after] = [textOf(change.field, change.old, words), textOf(change.field, change.new, words)]
        return word === undefined || before === after ? null : (
          // oxlint-disable-next-line react/no-array-index-key -- What has happened never changes.
          <li key={index} className="dim">
            {change.article === undefined ? '' : `${change.article}, `}
            {words.t(word)}: {before === '–' ? after : `${before} → ${after}`}
            {percentOf(change, words)}
          </li>
        )
      })}
    </ul>
  )
}
