/** One order: everything known about it, who did what, and every action that its state allows. */
import { Button, Menu } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation, useParams } from 'wouter'
import type { FullOrder } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { useKeys } from '../keyboard.ts'
import { useLive } from '../live.ts'
import { useMay } from '../me.ts'
import { lineAmount } from '../money.ts'
import { Facts } from '../parts/facts.tsx'
import { OrderActionDialog, type OrderAction } from '../parts/orders/order-actions.tsx'
import { StateBadge } from '../parts/orders/order-bits.tsx'
import { movesFrom } from '../parts/orders/order-states.ts'
import { Failed, Loading } from '../parts/orders/states.tsx'
import { openPrint, printedOf } from '../parts/printing.ts'
import { Timeline } from '../parts/orders/timeline.tsx'
import { newOrderPath } from '../routes.tsx'
import { useWords } from '../words/words.tsx'
import { whoOf } from '../who.ts'

export default function OrderPage() {
  const { order: order_id = '' } = useParams()
  const words = useWords()
  const { t } = words
  const queries = useQueryClient()
  const mayDecide = useMay('decide')
  const [action, setAction] = useState<OrderAction | null>(null)
  const [changedBy, setChangedBy] = useState<string | null>(null)
  const order = useQuery({
    queryKey: ['order', order_id],
    queryFn: ({ signal }) => api.readClientOrder({ order_id }, { signal }),
    refetchOnMount: 'always',
  })
  const id = order.data?.order_id
  const log = useQuery({
    queryKey: ['log', id],
    queryFn: ({ signal }) => api.listLog({ order_id: id ?? 0, limit: 100 }, { signal }),
    enabled: id !== undefined,
  })
  const reload = async (): Promise<void> => {
    await Promise.all([
      queries.invalidateQueries({ queryKey: ['order', order_id] }),
      queries.invalidateQueries({ queryKey: ['log', id] }),
    ])
  }
  useLive((events) => {
    const own = events.filter((event) => event.order_id === id)
    const last = own.at(-1)
    if (last === undefined) return
    setChangedBy(whoOf(last.actor, words))
    void reload()
  })
  if (order.isPending) return <Loading />
  if (order.isLoadingError) return <Failed isPage error={order.error} onRetry={() => void order.refetch()} />
  const { data } = order
  const currency = data.terms.currency_code
  return (
    <>
      <div className="page-head">
        <h1>
          {t('order', { number: String(data.order_number) })} <StateBadge state={data.order_state_id} />
          {data.hold_reason !== null && (
            <span className="badge" data-state="held">
              {t('held')}
            </span>
          )}
          {data.virtual && <span className="badge">{t('virtual')}</span>}
        </h1>
        {mayDecide && <Actions order={data} onChoose={setAction} />}
      </div>
      <p className="subtitle">
        {data.client_name}
        {data.reference !== null && <span className="dim"> · {data.reference}</span>}
        <span className="dim"> · {words.dateTime(data.order_create_datetime)}</span>
        {changedBy !== null && (
          <span role="status" className="changed-note">
            {t('changed_by', { who: changedBy })}
          </span>
        )}
      </p>
      {data.hold_reason !== null && <p className="notice">{data.hold_reason}</p>}
      {data.adjustments.some(({ adjustment_status }) => adjustment_status === 'WAIT') && (
        <section className="notice">
          <h2>{t('requests')}</h2>
          <ul className="plain">
            {data.adjustments
              .filter(({ adjustment_status }) => adjustment_status === 'WAIT')
              .map((adjustment) => {
                const { order_item_id, quantity_before, requested_quantity, reason } = adjustment.request
                const line = data.items.find((item) => item.order_item_id === order_item_id)
                return (
                  <li key={adjustment.adjustment_id} className="request">
                    <span>
                      {line?.order_item.item_vendor_code} {words.number(quantity_before)} →{' '}
                      {words.number(requested_quantity)} {reason !== null && <q className="dim">{reason}</q>}
                    </span>
                    {mayDecide && (
                      <span className="decide">
                        <Button
                          size="compact-sm"
                          onClick={() =>
                            setAction({
                              kind: 'accept',
                              adjustment_id: adjustment.adjustment_id,
                              before: quantity_before,
                              after: requested_quantity,
                            })
                          }
                        >
                          {t('accept')}
                        </Button>
                        <Button
                          size="compact-sm"
                          variant="default"
                          onClick={() =>
                            setAction({
                              kind: 'reject',
                              adjustment_id: adjustment.adjustment_id,
                              before: quantity_before,
                            })
                          }
                        >
                          {t('reject')}
                        </Button>
                      </span>
                    )}
                  </li>
                )
              })}
          </ul>
        </section>
      )}
      <div className="order-page">
        <div>
          <Lines
            order={data}
            {...(mayDecide && data.order_state_id !== 'zayavka-na-otmen' ? { onChange: setAction } : {})}
          />
          <section>
            <h2>{t('timeline')}</h2>
            <Timeline order={data} log={log.data?.data ?? []} />
          </section>
        </div>
        <aside>
          <Facts
            facts={[
              [t('total'), words.money(data.order_total, currency)],
              [t('discount'), words.money(data.order_discount, currency)],
              [t('shipping'), words.money(data.order_shipping, currency)],
              [
                t('tax'),
                `${words.money(data.order_tax, currency)} (${words.number(data.terms.tax_percent)} %, ${t(data.terms.tax_mode === 'included' ? 'tax_included' : 'tax_added')})`,
              ],
              [t('ship_date'), data.order_shipping_datetime === null ? '–' : words.day(data.order_shipping_datetime)],
              [t('stock'), data.order_stock.stock_name],
              [t('contract'), data.order_contract.contract_name],
              [t('contact'), data.order_contact.contact_name],
              [
                t('address'),
                data.address.street === ''
                  ? `${t('erased')}, ${data.address.country_code}`
                  : [
                      ...[data.address.company, data.address.recipient].filter((part) => part !== null),
                      [data.address.street, data.address.home, data.address.room]
                        .filter((part) => part !== null)
                        .join(' '),
                      `${data.address.zip} ${data.address.city}, ${data.address.country_code}`,
                      ...[data.address.phone, data.address.email].filter((part) => part !== null),
                    ].join('\n'),
              ],
              ...(data.comment === null ? [] : ([[t('comment'), data.comment]] as const)),
            ]}
          />
        </aside>
      </div>
      {action !== null && (
        <OrderActionDialog order={data} action={action} onClose={() => setAction(null)} onDone={reload} />
      )}
    </>
  )
}

/** The next step is a button of its own; everything else that the state allows is in the menu. */
function Actions({ order, onChoose }: { order: FullOrder; onChoose: (action: OrderAction) => void }) {
  const words = useWords()
  const { t } = words
  const [, navigate] = useLocation()
  const { picks } = printedOf([order])
  const slips = order.shipments.length > 0 ? [order.order_id] : []
  useKeys([{ keys: 'p', label: t('print'), run: () => openPrint(slips.length > 0 ? { slips } : { picks }) }])
  const state = order.order_state_id
  const held = order.hold_reason !== null
  const anyShipped = order.items.some(({ order_item_shipped }) => order_item_shipped > 0)
  const anyOpen = order.items.some(({ order_item_open }) => order_item_open > 0)
  const isEarly = state === 'new' || state === 'processing'
  const isOpen = isEarly || state === 'fulfilling'
  const [forward, ...others] = held
    ? []
    : movesFrom[state].filter((to) => to === 'completed' || !anyShipped || to === 'shipped')
  const moves = others.map((to): [string, OrderAction] => [
    t('move_to', { state: words.state(to) }),
    { kind: 'move', to },
  ])
  const more: (readonly [string, OrderAction])[] = [
    ...(state === 'fulfilling' && !held && anyOpen ? [[t('ship'), { kind: 'ship' }] as const] : []),
    ...(state === 'fulfilling' && anyShipped && anyOpen ? [[t('close_open'), { kind: 'close' }] as const] : []),
    ...moves,
    ...(isOpen
      ? [held ? ([t('release'), { kind: 'release' }] as const) : ([t('hold'), { kind: 'hold' }] as const)]
      : []),
    ...(isEarly ? [[t('reschedule'), { kind: 'reschedule' }] as const, [t('add_line'), { kind: 'add' }] as const] : []),
    ...(order.virtual && isOpen ? [[t('clear_virtual'), { kind: 'virtual' }] as const] : []),
    ...(anyShipped ? [[t('returned'), { kind: 'return' }] as const] : []),
    ...(state === 'canceled' ? [[t('undo_cancellation'), { kind: 'undo' }] as const] : []),
    [t('note'), { kind: 'note' }],
  ]
  return (
    <div className="page-actions">
      {state === 'zayavka-na-otmen' && (
        <>
          <Button onClick={() => onChoose({ kind: 'accept-cancellation' })}>{t('accept')}</Button>
          <Button variant="default" onClick={() => onChoose({ kind: 'reject-cancellation' })}>
            {t('reject')}
          </Button>
        </>
      )}
      {forward !== undefined && (
        <Button onClick={() => onChoose({ kind: 'move', to: forward })}>
          {t('move_to', { state: words.state(forward) })}
        </Button>
      )}
      <Menu>
        <Menu.Target>
          <Button variant="default">{t('actions')}</Button>
        </Menu.Target>
        <Menu.Dropdown>
          {more.map(([label, action]) => (
            <Menu.Item key={label} onClick={() => onChoose(action)}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Divider />
          {slips.length > 0 && <Menu.Item onClick={() => openPrint({ slips })}>{t('slip')}</Menu.Item>}
          {picks.length > 0 && <Menu.Item onClick={() => openPrint({ picks })}>{t('pick_list')}</Menu.Item>}
          <Menu.Item onClick={() => navigate(`${newOrderPath}?from=${order.order_id}`)}>{t('order_again')}</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </div>
  )
}

function Lines({ order, onChange }: { order: FullOrder; onChange?: (action: OrderAction) => void }) {
  const words = useWords()
  const { t, number, money } = words
  const isChangeable = onChange !== undefined && /^(new|processing|fulfilling)$/.test(order.order_state_id)
  return (
    <section>
      <h2>{t('lines')}</h2>
      <div className="table-place" tabIndex={0} role="region" aria-label={t('lines')}>
        <table className="rows lines">
          <thead>
            <tr>
              <th>{t('item')}</th>
              <th className="num">{t('price')}</th>
              <th className="num">{t('ordered')}</th>
              <th className="num">{t('shipped')}</th>
              <th className="num">{t('open')}</th>
              <th className="num">{t('amount')}</th>
              {isChangeable && (
                <th>
                  <span className="hidden">{t('actions')}</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {order.items.map((line) => (
              <tr key={line.order_item_id}>
                <td data-label={t('item')}>
                  {line.order_item.item_vendor_code}
                  <div className="dim">{line.order_item.item_title}</div>
                </td>
                <td data-label={t('price')} className="num">
                  {money(line.order_item_price)}
                </td>
                <td data-label={t('ordered')} className="num">
                  {number(line.order_item_quantity)}
                </td>
                <td data-label={t('shipped')} className="num">
                  {number(line.order_item_shipped)}
                </td>
                <td data-label={t('open')} className="num">
                  {number(line.order_item_open)}
                </td>
                <td data-label={t('amount')} className="num nowrap">
                  {money(lineAmount(line), order.terms.currency_code)}
                </td>
                {isChangeable && (
                  <td>
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={t('change_line_title', { article: line.order_item.item_vendor_code })}
                      onClick={() => onChange({ kind: 'line', line })}
                    >
                      {t('change_line')}
                    </Button>
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
