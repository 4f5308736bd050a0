/** Pick lists and packing slips on A4, in the language of the operator: printed as soon as they are loaded. */
import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, type ReactNode } from 'react'
import { useSearch } from 'wouter'
import type { FullOrder, Item, PickedOrder } from '@parts-ordering/client/operator'
import { api } from '../api.ts'
import { Failed, Loading, Nothing } from '../parts/orders/states.tsx'
import { useWords } from '../words/words.tsx'

const picksMax = 1_000 // More than a stock picks in a day.
const readAtOnce = 4

interface Sheets {
  readonly picks: readonly PickedOrder[]
  readonly slips: readonly FullOrder[]
}

export default function PrintPage() {
  const { t } = useWords()
  const search = useSearch()
  const sheets = useQuery({
    queryKey: ['print', search],
    queryFn: ({ signal }) => readSheets(new URLSearchParams(search), signal),
    staleTime: Infinity, // What is on paper does not change.
  })
  const isReady = sheets.isSuccess && sheets.data.picks.length + sheets.data.slips.length > 0
  useEffect(() => {
    if (!isReady) return undefined
    const close = (): void => void (window.opener !== null && window.close())
    addEventListener('afterprint', close)
    window.print()
    return () => removeEventListener('afterprint', close)
  }, [isReady])
  if (sheets.isPending) return <Loading />
  if (sheets.isLoadingError) return <Failed isPage error={sheets.error} onRetry={() => void sheets.refetch()} />
  const { picks, slips } = sheets.data
  return (
    <>
      <div className="page-head no-print">
        <h1>{t('print')}</h1>
        {isReady && <Button onClick={() => window.print()}>{t('print')}</Button>}
      </div>
      {!isReady && <Nothing title={t('print_none')} hint={t('print_none_hint')} />}
      {picks.length > 0 && (
        <div className="sheet">
          <h2>{t('pick_list')}</h2>
          {picks.map((order) => (
            <Pick key={order.order_id} order={order} />
          ))}
        </div>
      )}
      {slips.map((order) => (
        <Slip key={order.order_id} order={order} />
      ))}
    </>
  )
}

async function readSheets(search: URLSearchParams, signal: AbortSignal): Promise<Sheets> {
  const idsOf = (name: string): string[] => (search.get(name) ?? '').split(',').filter((id) => id !== '')
  const stock = search.get('stock')
  const picks: PickedOrder[] = []
  if (stock !== null)
    for await (const order of api.listPickList({ stock_id: Number(stock), limit: 500 }, { signal }))
      if (picks.push(order) === picksMax) break
  const [picked, shipped] = [await readOrders(idsOf('picks'), signal), await readOrders(idsOf('slips'), signal)]
  return {
    picks: [...picks, ...picked.map(pickOf).filter(({ lines }) => lines.length > 0)],
    slips: shipped.filter(({ shipments }) => shipments.length > 0),
  }
}

async function readOrders(ids: readonly string[], signal: AbortSignal): Promise<FullOrder[]> {
  const orders: FullOrder[] = []
  for (let at = 0; at < ids.length; at += readAtOnce)
    orders.push(
      ...(await Promise.all(
        ids.slice(at, at + readAtOnce).map((order_id) => api.readClientOrder({ order_id }, { signal })),
      )),
    )
  return orders
}

const pickOf = (order: FullOrder): PickedOrder => ({
  order_id: order.order_id,
  order_number: order.order_number,
  client_name: order.client_name,
  shipping_date: order.order_shipping_datetime,
  comment: order.comment,
  lines:
    order.order_state_id !== 'fulfilling' || order.virtual || order.hold_reason !== null
      ? []
      : order.items
          .filter(({ order_item_open }) => order_item_open > 0)
          .map(({ order_item_id, order_item_open, order_item }) => ({
            order_item_id,
            quantity: order_item_open,
            item: order_item,
          })),
})

function Pick({ order }: { order: PickedOrder }) {
  const { t, number, day } = useWords()
  return (
    <section>
      <h3>
        {t('order', { number: String(order.order_number) })} <span>{order.client_name}</span>
      </h3>
      <PrintFacts
        facts={[
          [t('ship_date'), order.shipping_date === null ? null : day(order.shipping_date)],
          [t('comment'), order.comment],
        ]}
      />
      <Goods
        head={t('quantity')}
        rows={order.lines.map((line) => ({ ...line, quantities: [number(line.quantity)] }))}
        isTicked
      />
    </section>
  )
}

/** Of the last shipment. */
function Slip({ order }: { order: FullOrder }) {
  const { t, number, dateTime, day } = useWords()
  const { address } = order
  const shipment = order.shipments.at(-1)
  if (shipment === undefined) return null
  const lineOf = new Map(order.items.map((line) => [line.order_item_id, line]))
  return (
    <div className="sheet">
      <h2>{t('slip_of', { number: `${order.order_number}-${shipment.shipment_id}` })}</h2>
      <div className="sheet-head">
        <p>
          {[
            address.company ?? order.client_name,
            address.recipient ?? order.order_contact.contact_name,
            address.street === ''
              ? t('erased')
              : [address.street, address.home, address.room].filter((part) => part !== null).join(' '),
            `${address.zip} ${address.city}`,
            address.country_code,
          ].join('\n')}
        </p>
        <PrintFacts
          facts={[
            [t('order', { number: String(order.order_number) }), day(order.order_create_datetime)],
            [t('reference'), order.reference],
            [t('shipment'), dateTime(shipment.shipment_datetime)],
            [t('from_stock'), order.order_stock.stock_name],
            [t('carrier'), shipment.carrier],
            [t('tracking'), shipment.tracking],
            [t('address_phone'), address.phone],
          ]}
        />
      </div>
      <PrintFacts facts={[[t('comment'), order.comment]]} />
      <Goods
        head={t('ordered')}
        others={[t('in_shipment'), t('open')]}
        rows={shipment.lines.flatMap(({ order_item_id, quantity }) => {
          const line = lineOf.get(order_item_id)
          if (line === undefined) return []
          const { order_item: item, order_item_quantity, order_item_open } = line
          return [{ order_item_id, item, quantities: [order_item_quantity, quantity, order_item_open].map(number) }]
        })}
      />
    </div>
  )
}

function PrintFacts({ facts }: { facts: readonly (readonly [string, string | null])[] }) {
  const known = facts.filter(([, value]) => value !== null)
  if (known.length === 0) return null
  return (
    <dl>
      {known.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

function Goods({
  head,
  others = [],
  rows,
  isTicked = false,
}: {
  head: string
  others?: readonly string[]
  rows: readonly { order_item_id: number; item: Item; quantities: readonly string[] }[]
  /** With a box to tick. */
  isTicked?: boolean
}): ReactNode {
  const { t } = useWords()
  return (
    <table>
      <thead>
        <tr>
          {isTicked && <th>{t('picked')}</th>}
          <th>{t('article')}</th>
          <th>{t('barcode')}</th>
          <th>{t('item_name')}</th>
          {[head, ...others].map((one) => (
            <th key={one} className="num">
              {one}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ order_item_id, item, quantities }) => (
          <tr key={order_item_id}>
            {isTicked && (
              <td>
                <span className="tick" />
              </td>
            )}
            <td>
              <strong>{item.item_vendor_code}</strong>
            </td>
            <td>{item.item_barcode}</td>
            <td>
              {item.brand.brand_name} {item.item_title}
            </td>
            {quantities.map((quantity, n) => (
              // oxlint-disable-next-line react/no-array-index-key -- What is printed never changes.
              <td key={n} className="num">
                {quantity}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
