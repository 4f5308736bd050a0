/** One item: its price in every list and its level in every stock, edited in place, and counts. */
import { Button } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'wouter'
import type { OperatorItem } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useMay } from '../me.ts'
import { CountDialog } from '../parts/count.tsx'
import { Facts } from '../parts/facts.tsx'
import { InPlace } from '../parts/in-place.tsx'
import { Table } from '../parts/listing.tsx'
import { Failed, Loading } from '../parts/orders/states.tsx'
import { useWords } from '../words/words.tsx'

type Level = OperatorItem['stock_levels'][number]

export default function ItemPage() {
  const item_id = Number(useParams()['item'])
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const mayCatalogue = useMay('catalogue')
  const [counting, setCounting] = useState<Level | null>(null)
  const queryKey = ['item', item_id]
  const item = useQuery({
    queryKey,
    queryFn: ({ signal }) => api.readCatalogueItem({ item_id }, { signal }),
    refetchOnMount: 'always',
  })
  const lists = useQuery({ queryKey: ['price-lists'], queryFn: async () => (await api.listPriceLists()).data })
  const stocks = useQuery({ queryKey: ['all-stocks'], queryFn: async () => (await api.listAllStocks()).data })
  if (item.isPending || lists.isPending || stocks.isPending) return <Loading />
  const failed = [item, lists, stocks].find(({ isError }) => isError)
  if (item.isLoadingError || lists.isLoadingError || stocks.isLoadingError)
    return <Failed isPage error={failed?.error} onRetry={() => void failed?.refetch()} />
  const { data } = item
  const reload = () => queries.invalidateQueries({ queryKey })
  const priceOf = (id: number) => data.prices.find(({ price_list_id }) => price_list_id === id)?.price
  const levels: Level[] = stocks.data.map(
    ({ stock_id, stock_name }) =>
      data.stock_levels.find((level) => level.stock_id === stock_id) ?? {
        stock_id,
        stock_name,
        on_hand: 0,
        reserved: 0,
        back_order: false,
      },
  )
  return (
    <>
      <div className="page-head">
        <div>
          <h1>
            {data.item_vendor_code} {!data.on_sale && <span className="badge">{t('not_on_sale')}</span>}
          </h1>
          <div className="dim subtitle">{data.item_title}</div>
        </div>
      </div>
      <div className="order-page">
        <div>
          <section>
            <h2>{t('prices')}</h2>
            <Table
              label={t('prices')}
              rows={lists.data}
              idOf={({ price_list_id }) => price_list_id}
              columns={[
                {
                  label: t('price_list'),
                  cell: ({ price_list_name, currency_code }) => (
                    <>
                      {price_list_name} <span className="dim">{currency_code}</span>
                    </>
                  ),
                },
                {
                  label: t('price'),
                  cell: ({ price_list_id, price_list_name, currency_code }) => {
                    const price = priceOf(price_list_id)
                    if (!mayCatalogue) return price === undefined ? t('price_none') : words.money(price, currency_code)
                    return (
                      <InPlace
                        label={t('price_in', { name: price_list_name })}
                        value={price}
                        step="any"
                        onSave={async (changed, shown) => {
                          await api.putPrice({
                            price_list_id,
                            item_id,
                            price: changed,
                            ...shown,
                          })
                          await reload()
                        }}
                      />
                    )
                  },
                },
              ]}
            />
          </section>
          <section>
            <h2>{t('levels')}</h2>
            <Table
              label={t('levels')}
              rows={levels}
              idOf={({ stock_id }) => stock_id}
              columns={[
                {
                  label: t('stock'),
                  cell: ({ stock_name, back_order }) => (
                    <>
                      {stock_name} {back_order && <span className="badge">{t('back_order')}</span>}
                    </>
                  ),
                },
                {
                  label: t('on_hand'),
                  cell: ({ stock_id, stock_name, on_hand }) =>
                    mayCatalogue ? (
                      <InPlace
                        label={t('level_in', { name: stock_name })}
                        value={on_hand}
                        step="1"
                        onSave={async (changed, { expected = on_hand }) => {
                          await api.setStockLevel({ stock_id, item_id, on_hand: changed, expected })
                          await reload()
                        }}
                      />
                    ) : (
                      words.number(on_hand)
                    ),
                },
                { label: t('reserved'), num: true, cell: ({ reserved }) => words.number(reserved) },
                {
                  label: t('free'),
                  num: true,
                  cell: ({ on_hand, reserved }) =>
                    reserved > on_hand ? (
                      <span className="refused">{t('short_by', { n: reserved - on_hand })}</span>
                    ) : (
                      words.number(on_hand - reserved)
                    ),
                },
                ...(mayCatalogue
                  ? [
                      {
                        label: t('actions'),
                        quiet: true,
                        cell: (level: Level) => (
                          <Button
                            size="compact-sm"
                            variant="subtle"
                            aria-label={t('count_of', { name: level.stock_name })}
                            onClick={() => setCounting(level)}
                          >
                            {t('count')}
                          </Button>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
          </section>
        </div>
        <aside>
          <Facts
            facts={[
              [
                t('brand'),
                <Link key="brand" href={`/goods?brand_id=${data.brand.brand_id}`}>
                  {data.brand.brand_name}
                </Link>,
              ],
              [t('product'), data.product_name],
              [t('barcode'), data.item_barcode],
              [t('on_sale'), t(data.on_sale ? 'yes' : 'no')],
              [
                t('orders'),
                <Link key="orders" href={`/orders?sku_code=${encodeURIComponent(data.item_vendor_code)}`}>
                  {data.item_vendor_code}
                </Link>,
              ],
            ]}
          />
        </aside>
      </div>
      {counting !== null && (
        <CountDialog item_id={item_id} level={counting} onClose={() => setCounting(null)} onDone={reload} />
      )}
    </>
  )
}
