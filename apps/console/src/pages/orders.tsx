/** All orders: filters in the address, keyset paging, and actions on several at once. */
import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useSearchParams } from 'wouter'
import type { ListClientOrdersParams, ListPage, OperatorOrder } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useLive } from '../live.ts'
import { useMay } from '../me.ts'
import { TableFoot, usePages } from '../parts/listing.tsx'
import { BulkDialog, type BulkAction } from '../parts/orders/bulk.tsx'
import { OrderLink, StateBadge } from '../parts/orders/order-bits.tsx'
import { moveTargets, stateIds, type StateId } from '../parts/orders/order-states.ts'
import { useDrawn, useRows } from '../parts/rows.ts'
import { Selected } from '../parts/orders/selected.tsx'
import { PrintMenu } from '../parts/orders/print-menu.tsx'
import { Failed, Loading, Nothing } from '../parts/orders/states.tsx'
import { NewRowsStrip } from '../parts/orders/strip.tsx'
import { Views } from '../parts/orders/views.tsx'
import { useWords } from '../words/words.tsx'
import { whoOf } from '../who.ts'

const pageSize = 50
const sorts = ['created', 'ship_date', 'total', 'changed'] as const
const flags = ['held', 'short', 'virtual'] as const
const filterNames = [
  'state',
  'stock_id',
  'client_id',
  'search',
  'sku_code',
  'order_number',
  'contract_id',
  'date_from',
  'date_to',
  'changed_since',
  'ship_from',
  'ship_to',
  'sort',
  ...flags,
] as const

/** The filters in the address, as the API takes them. */
export function filtersOf(search: URLSearchParams): ListClientOrdersParams {
  const given = Object.fromEntries(
    filterNames.map((name) => [name, search.get(name)]).filter(([, value]) => value !== null && value !== ''),
  ) as Record<string, string>
  return given // All of them are sent as text in the query.
}

type Pages = InfiniteData<ListPage<OperatorOrder>, string | null>

export default function Orders() {
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [search, setSearch] = useSearchParams()
  const mayDecide = useMay('decide')
  const filters = filtersOf(search)
  const queryKey = ['orders', filters]
  const [changed, setChanged] = useState<ReadonlyMap<number, string>>(new Map())
  const [arrived, setArrived] = useState<ReadonlySet<number>>(new Set())
  const [bulk, setBulk] = useState<BulkAction | null>(null)

  const {
    list,
    rows: orders,
    onCsv,
  } = usePages(queryKey, (cursor, options) => api.listClientOrders({ ...filters, limit: pageSize, ...cursor }, options))
  const rows = useRows(
    orders,
    ({ order_id }) => order_id,
    ({ order_id }) => navigate(`/orders/${order_id}`),
  )
  const drawn = useDrawn(orders)

  useLive((events) => {
    const own = new Map<number, string>()
    for (const { event_type, order_id, actor, data } of events) {
      if (order_id === null) continue
      if (orders.some((order) => order.order_id === order_id)) {
        own.set(order_id, whoOf(actor, words))
        const { order_state_id, order_total, hold_reason } = data as Partial<OperatorOrder>
        queries.setQueryData<Pages>(queryKey, (pages) =>
          patched(pages, order_id, {
            ...(order_state_id === undefined ? {} : { order_state_id }),
            ...(order_total === undefined ? {} : { order_total }),
            ...(hold_reason === undefined ? {} : { hold_reason }),
          }),
        )
      } else if (event_type === 'order.created') setArrived((before) => new Set(before).add(order_id))
    }
    if (own.size > 0) setChanged((before) => new Map([...before, ...own]))
  })

  const setFilter = (name: string, value: string): void => {
    rows.clear()
    setSearch((before) => {
      const next = new URLSearchParams(before)
      if (value === '') next.delete(name)
      else next.set(name, value)
      return next
    })
  }

  const refresh = async (): Promise<void> => {
    setArrived(new Set())
    setChanged(new Map())
    rows.clear()
    await queries.resetQueries({ queryKey })
  }

  const hasFilters = Object.keys(filters).length > 0
  return (
    <>
      <div className="page-head">
        <h1>{t('orders')}</h1>
        {orders.length > 0 && (
          <div className="page-actions">
            {mayDecide && (
              <>
                <Selected rows={rows} />
                <Menu>
                  <Menu.Target>
                    <Button size="sm">{t('move')}</Button>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {moveTargets.map((to) => (
                      <Menu.Item key={to} onClick={() => setBulk({ kind: 'move', to })}>
                        {words.state(to)}
                      </Menu.Item>
                    ))}
                  </Menu.Dropdown>
                </Menu>
                <Button size="sm" variant="default" onClick={() => setBulk({ kind: 'move', to: 'shipped' })}>
                  {t('ship')}
                </Button>
                <Button size="sm" variant="default" onClick={() => setBulk({ kind: 'hold' })}>
                  {t('hold')}
                </Button>
              </>
            )}
            <PrintMenu orders={rows.chosen} />
          </div>
        )}
      </div>
      <Views
        filters={new URLSearchParams(filters as Record<string, string>)}
        onPick={(picked) => {
          rows.clear()
          setSearch(picked)
        }}
      />
      <Filters filters={search} onChange={setFilter} onClear={hasFilters ? () => setSearch({}) : undefined} />
      <NewRowsStrip count={arrived.size} onShow={() => void refresh()} />
      {list.isPending ? (
        <Loading />
      ) : list.isLoadingError ? (
        <Failed error={list.error} onRetry={() => void list.refetch()} />
      ) : orders.length === 0 && !list.hasNextPage ? (
        <Nothing title={t('orders_empty')} {...(hasFilters ? { hint: t('orders_empty_hint') } : {})} />
      ) : (
        <>
          <div className="table-place" tabIndex={0} role="region" aria-label={t('orders')}>
            <table className="rows orders">
              <thead>
                <tr>
                  {mayDecide && (
                    <th className="mark">
                      <input
                        type="checkbox"
                        aria-label={t('select_all')}
                        checked={orders.length > 0 && rows.marked.size === orders.length}
                        onChange={({ currentTarget }) => rows.markAll(currentTarget.checked)}
                      />
                    </th>
                  )}
                  <th>{t('number')}</th>
                  <th>{t('client')}</th>
                  <th>{t('state')}</th>
                  <th>{t('stock')}</th>
                  <th className="num">{t('lines')}</th>
                  <th>{t('ship_date')}</th>
                  <th className="num">{t('total')}</th>
                  <th>{t('created')}</th>
                </tr>
              </thead>
              <tbody>
                {drawn.map((order, index) => (
                  <tr
                    key={order.order_id}
                    data-row={index}
                    aria-current={index === rows.current || undefined}
                    data-marked={rows.isMarked(order) || undefined}
                    data-changed={changed.has(order.order_id) || undefined}
                    onClick={() => rows.setCurrent(index)}
                  >
                    {mayDecide && (
                      <td className="mark">
                        <input
                          type="checkbox"
                          aria-label={t('select_row', { number: String(order.order_number) })}
                          checked={rows.isMarked(order)}
                          onChange={() => rows.toggle(order)}
                        />
                      </td>
                    )}
                    <td data-label={t('number')}>
                      <OrderLink {...order} />
                      {order.reference !== null && <div className="dim clip">{order.reference}</div>}
                    </td>
                    <td data-label={t('client')}>
                      <div className="clip">{order.client_name}</div>
                    </td>
                    <td data-label={t('state')}>
                      <StateBadge state={order.order_state_id} />
                      {order.hold_reason !== null && (
                        <span className="badge" data-state="held">
                          {t('held')}
                        </span>
                      )}
                      {order.virtual && <span className="badge">{t('virtual')}</span>}
                      {changed.has(order.order_id) && (
                        <div className="dim">{t('changed_by', { who: changed.get(order.order_id) ?? '' })}</div>
                      )}
                    </td>
                    <td data-label={t('stock')}>{order.order_stock.stock_name}</td>
                    <td data-label={t('lines')} className="num">
                      {words.number(order.items.length)}
                    </td>
                    <td data-label={t('ship_date')} className="nowrap">
                      {order.order_shipping_datetime === null ? '–' : words.day(order.order_shipping_datetime)}
                    </td>
                    <td data-label={t('total')} className="num nowrap">
                      {words.money(order.order_total, order.terms.currency_code)}
                    </td>
                    <td data-label={t('created')} className="nowrap">
                      {words.dateTime(order.order_create_datetime)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <TableFoot list={list} shown={orders.length} onCsv={onCsv} />
        </>
      )}
      {bulk !== null && (
        <BulkDialog
          action={bulk}
          orders={rows.chosen}
          onClose={() => setBulk(null)}
          onDone={(changedOrders) => {
            for (const order of changedOrders)
              queries.setQueryData<Pages>(queryKey, (pages) => patched(pages, order.order_id, order))
            // What was shipped stays selected: its slips are printed next.
            if (bulk.kind === 'hold' || bulk.to !== 'shipped') rows.clear()
          }}
        />
      )}
    </>
  )
}

/** The pages with some fields of one order replaced. The row stays where it is. */
function patched(pages: Pages | undefined, order_id: number, fields: Partial<OperatorOrder>): Pages | undefined {
  return (
    pages && {
      ...pages,
      pages: pages.pages.map((page) => ({
        ...page,
        data: page.data.map((order) => (order.order_id === order_id ? { ...order, ...fields } : order)),
      })),
    }
  )
}

function Filters({
  filters,
  onChange,
  onClear,
}: {
  filters: URLSearchParams
  onChange: (name: string, value: string) => void
  onClear: (() => void) | undefined
}) {
  const words = useWords()
  const { t } = words
  const states = (filters.get('state') ?? '').split(',').filter((state) => state !== '')
  const counts = useQuery({ queryKey: ['counts'], queryFn: () => api.readCounts() })
  const stocks = useQuery({
    queryKey: ['stocks'],
    queryFn: () => api.listAllStocks({ limit: 100 }),
    staleTime: 300_000,
  })
  const toggle = (state: StateId): void =>
    onChange('state', (states.includes(state) ? states.filter((one) => one !== state) : [...states, state]).join(','))
  const countOf = (state: StateId): string => {
    const found = counts.data?.orders.find(({ state_id }) => state_id === state)
    return found === undefined ? '' : `${words.number(found.count)}${found.more ? '+' : ''}`
  }
  const select = (name: string, label: string, options: readonly (readonly [string, string])[]) => (
    <label>
      <span>{label}</span>
      <select value={filters.get(name) ?? ''} onChange={({ currentTarget }) => onChange(name, currentTarget.value)}>
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
  /** Filters that come from a link or a view: they can only be removed here. */
  const withoutField = [
    ['search', ''],
    ['sku_code', t('article')],
    ['order_number', t('number')],
    ['client_id', t('client')],
    ['contract_id', t('contract')],
    ['date_from', t('filter_placed_from')],
    ['date_to', t('filter_placed_to')],
    ['changed_since', t('sort_changed')],
  ] as const
  const yesOrNo = [
    ['', t('any')],
    ['true', t('yes')],
    ['false', t('no')],
  ] as const
  return (
    <div className="filters">
      <div className="chips" role="group" aria-label={t('filter_state')}>
        {stateIds.map((state) => (
          <button
            key={state}
            type="button"
            className="chip"
            aria-pressed={states.includes(state)}
            onClick={() => toggle(state)}
          >
            {words.state(state)} <span className="dim">{countOf(state)}</span>
          </button>
        ))}
      </div>
      <div className="fields">
        {select('stock_id', t('filter_stock'), [
          ['', t('any')],
          ...(stocks.data?.data ?? []).map(({ stock_id, stock_name }) => [String(stock_id), stock_name] as const),
        ])}
        <label>
          <span>{t('filter_ship_from')}</span>
          <input
            type="date"
            value={filters.get('ship_from') ?? ''}
            onChange={({ currentTarget }) => onChange('ship_from', currentTarget.value)}
          />
        </label>
        <label>
          <span>{t('filter_ship_to')}</span>
          <input
            type="date"
            value={filters.get('ship_to') ?? ''}
            onChange={({ currentTarget }) => onChange('ship_to', currentTarget.value)}
          />
        </label>
        {select('held', t('filter_held'), yesOrNo)}
        {select('short', t('filter_short'), yesOrNo)}
        {select('virtual', t('filter_virtual'), yesOrNo)}
        {select('sort', t('filter_sort'), [
          ['', t('sort_created')],
          ...sorts.slice(1).map((sort) => [sort, t(`sort_${sort}`)] as const),
        ])}
        {withoutField
          .filter(([name]) => (filters.get(name) ?? '') !== '')
          .map(([name, label]) => (
            <button key={name} type="button" className="chip" aria-pressed onClick={() => onChange(name, '')}>
              {label === '' ? '' : `${label}: `}
              {filters.get(name)} ×
            </button>
          ))}
        {onClear !== undefined && (
          <Button variant="subtle" size="sm" onClick={onClear}>
            {t('filter_clear')}
          </Button>
        )}
      </div>
      {stocks.isLoadingError && <p className="refused">{words.problem(stocks.error)}</p>}
    </div>
  )
}
