/** Small charts of the last days, each with a table for those who do not see it. A bar opens its list. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { api } from '../api.ts'
import { useWords } from '../words/words.tsx'

const width = 300 // Of the drawing; it is scaled to its place.
const height = 80
const refreshMs = 300_000 // The worker counts every 10 minutes.

interface Bar {
  readonly day: string
  readonly value: number | null
  /** With its unit. */
  readonly text: string
  readonly href: string
}

export function DayCharts() {
  const { t, number, day } = useWords()
  const figures = useQuery({
    queryKey: ['figures'],
    queryFn: () => api.readFigures(),
    refetchInterval: refreshMs,
  })
  const days = figures.data?.days ?? []
  if (days.length === 0) return null
  return (
    <div className="charts">
      <DayChart
        title={t('chart_placed')}
        of={t('orders')}
        bars={days.map(({ date, placed }) => ({
          day: day(date),
          value: placed,
          text: number(placed),
          href: `/orders?date_from=${date}&date_to=${date}`,
        }))}
      />
      <DayChart
        title={t('chart_lag')}
        of={t('chart_hours')}
        bars={days.map(({ date, ship_hours }) => ({
          day: day(date),
          value: ship_hours,
          text: ship_hours === null ? '–' : number(ship_hours),
          href: `/activity?event_type=order.shipped&date_from=${date}&date_to=${date}`,
        }))}
      />
      <OpenValue open={figures.data?.open ?? []} />
    </div>
  )
}

function DayChart({ title, of, bars }: { title: string; of: string; bars: readonly Bar[] }) {
  const { t } = useWords()
  const most = Math.max(1, ...bars.map(({ value }) => value ?? 0))
  const step = width / bars.length
  const [first, last] = [bars[0], bars.at(-1)]
  return (
    <section>
      <h2>{title}</h2>
      {/* The table below has the same figures and links. */}
      <svg className="day-chart" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden>
        {bars.map(({ day, value, text, href }, index) => {
          const tall = ((value ?? 0) / most) * height
          return (
            <Link key={day} href={href} tabIndex={-1}>
              <title>{`${day}: ${text}`}</title>
              <rect x={index * step} y={0} width={step} height={height} className="hit" />
              <rect x={index * step + 1} y={height - tall} width={step - 2} height={tall} />
            </Link>
          )
        })}
      </svg>
      <p className="chart-ends dim">
        <span>{first?.day}</span>
        <span>
          {last?.day}: {last?.text}
        </span>
      </p>
      <details>
        <summary>{t('chart_table', { title })}</summary>
        <table className="chart-table">
          <thead>
            <tr>
              <th>{t('day')}</th>
              <th className="num">{of}</th>
            </tr>
          </thead>
          <tbody>
            {bars.toReversed().map(({ day, text, href }) => (
              <tr key={day}>
                <td>
                  <Link href={href}>{day}</Link>
                </td>
                <td className="num">{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

type Open = Awaited<ReturnType<typeof api.readFigures>>['open']

function OpenValue({ open }: { open: Open }) {
  const { t, money, state } = useWords()
  const most = Math.max(1, ...open.map(({ total }) => total))
  return (
    <section>
      <h2>{t('chart_open')}</h2>
      <ul className="bars money">
        {open.map(({ state_id, total, more }) => (
          <li key={state_id}>
            <Link href={`/orders?state=${state_id}`}>
              <span className="clip">{state(state_id)}</span>
              <span className="bar" aria-hidden>
                <span style={{ width: `${(total / most) * 100}%` }} />
              </span>
              <span className="num">
                {money(total)}
                {more ? '+' : ''}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
