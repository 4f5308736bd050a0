/** What waits, what is late, what is short: each figure opens its list. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../api.ts'
import { useLive } from '../live.ts'
import { DayCharts } from '../parts/charts.tsx'
import { Failed, Loading } from '../parts/orders/states.tsx'
import { useWords } from '../words/words.tsx'

const openStates = ['new', 'processing', 'fulfilling'] as const
const countedMax = 100 // A page; more are shown as "100+".
const refreshMs = 15_000

interface Figure {
  readonly count: number
  readonly more: boolean
}

const lengthOf = ({ data, next_cursor }: { data: unknown[]; next_cursor: string | null }): Figure => ({
  count: data.length,
  more: next_cursor !== null,
})

export default function Today() {
  const { t, age, state, dateFromToday } = useWords()
  const [weekAgo, yesterday, today] = [-7, -1, 0].map(dateFromToday)
  const counts = useQuery({ queryKey: ['counts'], queryFn: () => api.readCounts(), refetchInterval: refreshMs })
  const late = useQuery({
    queryKey: ['today', 'late'],
    queryFn: async () =>
      lengthOf(await api.listClientOrders({ state: openStates, ship_to: yesterday, limit: countedMax })),
    refetchInterval: refreshMs,
  })
  const due = useQuery({
    queryKey: ['today', 'due'],
    queryFn: async () =>
      lengthOf(await api.listClientOrders({ state: openStates, ship_from: today, ship_to: today, limit: countedMax })),
    refetchInterval: refreshMs,
  })
  const oldest = useQuery({ queryKey: ['today', 'oldest'], queryFn: () => api.listInbox({ limit: 1 }) })
  const limits = useQuery({
    queryKey: ['today', 'limits'],
    queryFn: async () =>
      lengthOf(await api.listLog({ event_type: 'contract.limit_low', date_from: weekAgo, limit: countedMax })),
  })
  const webhooks = useQuery({
    queryKey: ['today', 'webhooks'],
    queryFn: async () => lengthOf(await api.listClientWebhooks({ paused: true, limit: countedMax })),
  })
  const imports = useQuery({
    queryKey: ['today', 'imports'],
    queryFn: async () => {
      const { data } = await api.listImports({ limit: 20 })
      return { count: data.filter((one) => one.import_state === 'failed').length, more: false }
    },
  })
  useLive((events) => {
    if (events.length > 0) void counts.refetch()
  })
  if (counts.isPending) return <Loading />
  if (counts.isLoadingError) return <Failed isPage error={counts.error} onRetry={() => void counts.refetch()} />
  const { inbox, held, short, orders, stocks } = counts.data
  const waiting = sumOf(inbox)
  const [first] = oldest.data?.data ?? []
  const open = openStates.join(',')
  return (
    <>
      <div className="page-head">
        <h1>{t('today')}</h1>
      </div>
      <div className="figures">
        <Tile
          href="/inbox"
          label={t('waiting')}
          hint={
            first === undefined || waiting.count === 0
              ? t('waiting_hint')
              : t('oldest', { age: age(first.age_seconds) })
          }
          figure={waiting}
          urgent
        />
        <Tile
          href={`/orders?state=${open}&ship_to=${yesterday}`}
          label={t('late')}
          hint={t('late_hint')}
          figure={late.data}
          urgent
        />
        <Tile
          href={`/orders?state=${open}&ship_from=${today}&ship_to=${today}`}
          label={t('due_today')}
          figure={due.data}
        />
        <Tile href="/orders?short=true" label={t('short')} hint={t('short_hint')} figure={short} urgent />
        <Tile href="/orders?held=true" label={t('held')} hint={t('on_hold_hint')} figure={held} />
        <Tile
          href={`/activity?event_type=contract.limit_low&date_from=${weekAgo}`}
          label={t('limits_low')}
          hint={t('limits_low_hint')}
          figure={limits.data}
        />
        <Tile href="/webhooks?paused=true" label={t('webhooks_paused')} figure={webhooks.data} />
        <Tile href="/imports?state=failed" label={t('imports_failed')} figure={imports.data} />
      </div>
      <div className="charts">
        <section>
          <h2>{t('by_state')}</h2>
          <Bars
            bars={openStates.map((one) => ({
              label: state(one),
              href: `/orders?state=${one}`,
              figure: orders.find(({ state_id }) => state_id === one) ?? { count: 0, more: false },
            }))}
          />
        </section>
        <section>
          <h2>{t('by_stock')}</h2>
          <Bars
            bars={stocks.map(({ stock_id, stock_name, orders: of }) => ({
              label: stock_name,
              href: `/orders?stock_id=${stock_id}&state=${open}`,
              figure: sumOf(of.filter(({ state_id }) => (openStates as readonly string[]).includes(state_id))),
            }))}
          />
        </section>
      </div>
      <DayCharts />
    </>
  )
}

const sumOf = (figures: readonly Figure[]): Figure => ({
  count: figures.reduce((sum, { count }) => sum + count, 0),
  more: figures.some(({ more }) => more),
})

function Tile({
  href,
  label,
  hint,
  figure,
  urgent = false,
}: {
  href: string
  label: string
  hint?: string
  figure: Figure | undefined
  urgent?: boolean
}) {
  const { number } = useWords()
  const content = (
    <>
      <span className="figure">{figure === undefined ? '…' : `${number(figure.count)}${figure.more ? '+' : ''}`}</span>
      <span>{label}</span>
      {hint !== undefined && <span className="dim">{hint}</span>}
    </>
  )
  const isUrgent = (urgent && figure !== undefined && figure.count > 0) || undefined
  return (
    <Link className="tile" data-urgent={isUrgent} href={href}>
      {content}
    </Link>
  )
}

function Bars({ bars }: { bars: readonly { label: string; href: string; figure: Figure }[] }) {
  const { number, t } = useWords()
  const most = Math.max(1, ...bars.map(({ figure }) => figure.count))
  if (bars.length === 0) return <p className="dim">{t('none')}</p>
  return (
    <ul className="bars">
      {bars.map(({ label, href, figure }) => (
        <li key={href}>
          <Link href={href}>
            <span className="clip">{label}</span>
            <span className="bar" aria-hidden>
              <span style={{ width: `${(figure.count / most) * 100}%` }} />
            </span>
            <span className="num">
              {number(figure.count)}
              {figure.more ? '+' : ''}
            </span>
          </Link>
        </li>
      ))}
    </ul>
  )
}
