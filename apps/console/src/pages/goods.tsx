/** The goods: found by article, barcode or title, of one brand, or only those that are short. */
import { Button } from '@mantine/core'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import type { OperatorItem } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { useFilters } from '../parts/filters.ts'
import { Listing, Table, usePages } from '../parts/listing.tsx'
import { PasteDialog } from '../parts/paste.tsx'
import { useDrawn, useRows } from '../parts/rows.ts'
import { SearchField } from '../parts/search-field.tsx'
import { useWords } from '../words/words.tsx'

export default function Goods() {
  const words = useWords()
  const { t } = words
  const [, navigate] = useLocation()
  const filters = useFilters()
  const [search, brand_id, isShort] = [filters.get('search'), filters.get('brand_id'), filters.get('short') === 'true']
  const mayCatalogue = useMay('catalogue')
  const [isPasting, setPasting] = useState(false)
  const [brands, setBrands] = useState<Readonly<Record<string, string>>>({})
  const paged = usePages(['goods', search, brand_id, isShort], (cursor, options) =>
    api.listCatalogueItems(
      {
        ...(search.trim() === '' ? {} : { search }),
        ...(brand_id === '' ? {} : { brand_id: Number(brand_id) }),
        ...(isShort ? { short: true } : {}),
        ...cursor,
      },
      options,
    ),
  )
  const rows = useRows(
    paged.rows,
    ({ item_id }) => item_id,
    ({ item_id }) => navigate(`/goods/${item_id}`),
  )
  const drawn = useDrawn(paged.rows)
  const brandName = brands[brand_id] ?? paged.rows[0]?.brand.brand_name ?? brand_id
  return (
    <>
      <div className="page-head">
        <h1>{t('goods')}</h1>
        <div className="page-actions">
          <Link href="/stocks">{t('stocks_closures')}</Link>
          {mayCatalogue && (
            <Button size="sm" variant="default" onClick={() => setPasting(true)}>
              {t('paste')}
            </Button>
          )}
        </div>
      </div>
      <div className="filters fields">
        <SearchField
          label={t('find')}
          hint={t('goods_search')}
          value={search}
          onChange={(value) => filters.set('search', value)}
        />
        <button
          type="button"
          className="chip"
          aria-pressed={isShort}
          onClick={() => filters.set('short', isShort ? '' : 'true')}
        >
          {t('goods_short')}
        </button>
        {brand_id !== '' && (
          <button type="button" className="chip" aria-pressed onClick={() => filters.set('brand_id', '')}>
            {brandName} <span aria-hidden>×</span> <span className="hidden">{t('all_brands')}</span>
          </button>
        )}
      </div>
      <Listing paged={paged} empty={t('goods_empty')}>
        <Table
          label={t('goods')}
          rows={drawn}
          idOf={({ item_id }) => item_id}
          current={rows.current}
          onCurrent={rows.setCurrent}
          columns={[
            {
              label: t('article'),
              cell: (item) => (
                <>
                  <Link href={`/goods/${item.item_id}`}>{item.item_vendor_code}</Link>{' '}
                  {!item.on_sale && <span className="badge">{t('not_on_sale')}</span>}
                  <div className="dim">{item.item_title}</div>
                </>
              ),
            },
            {
              label: t('brand'),
              cell: ({ brand }) => (
                <button
                  type="button"
                  className="chip"
                  aria-label={t('brand_only', { name: brand.brand_name })}
                  onClick={() => {
                    setBrands({ [brand.brand_id]: brand.brand_name })
                    filters.set('brand_id', String(brand.brand_id))
                  }}
                >
                  {brand.brand_name}
                </button>
              ),
            },
            { label: t('barcode'), cell: ({ item_barcode }) => item_barcode },
            { label: t('prices'), num: true, cell: (item) => <Prices item={item} /> },
            { label: t('free'), num: true, cell: (item) => <Free item={item} /> },
          ]}
        />
      </Listing>
      {isPasting && <PasteDialog onClose={() => setPasting(false)} />}
    </>
  )
}

function Prices({ item: { prices } }: { item: OperatorItem }) {
  const { t, money } = useWords()
  if (prices.length === 0) return <span className="refused">{t('price_none')}</span>
  const amounts = prices.map(({ price }) => price)
  const isSame = new Set(prices.map(({ currency_code }) => currency_code)).size === 1
  const [first] = prices
  if (!isSame || amounts.length === 1) return money(first?.price ?? 0, first?.currency_code)
  return `${money(Math.min(...amounts))} – ${money(Math.max(...amounts), first?.currency_code)}`
}

function Free({ item: { stock_levels } }: { item: OperatorItem }) {
  const { t, number } = useWords()
  const free = stock_levels.reduce((sum, level) => sum + Math.max(0, level.on_hand - level.reserved), 0)
  const short = stock_levels.reduce((sum, level) => sum + Math.max(0, level.reserved - level.on_hand), 0)
  const isBackOrder = stock_levels.some((level) => level.back_order)
  return (
    <>
      {number(free)} {isBackOrder && <span className="badge">{t('back_order')}</span>}
      {short > 0 && <div className="refused">{t('short_by', { n: short })}</div>}
    </>
  )
}
