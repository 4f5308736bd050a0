/** Small parts of an order that several pages show. */
import { Link } from 'wouter'
import { useWords } from '../../words/words.tsx'

export function StateBadge({ state }: { state: string }) {
  const words = useWords()
  return (
    <span className="badge" data-state={state}>
      {words.state(state)}
    </span>
  )
}

export function OrderLink({ order_id, order_number }: { order_id: number; order_number: number }) {
  return <Link href={`/orders/${order_id}`}>{order_number}</Link>
}

/** How much of a limit is used now and would be used after. */
export function LimitBar({ limit, used, change }: { limit: number; used: number; change: number }) {
  const { t, money } = useWords()
  const after = used + change
  if (limit === 0) return <span className="dim">{t('no_limit')}</span>
  const percent = (value: number): number => Math.max(0, Math.min(100, (value / limit) * 100))
  const level = after > limit ? 'over' : after >= limit * 0.9 ? 'high' : 'ok'
  return (
    <div className="limit" data-level={level}>
      <div className="limit-bar" aria-hidden>
        <div className="limit-after" style={{ width: `${percent(Math.max(after, used))}%` }} />
        <div className="limit-used" style={{ width: `${percent(Math.min(used, after))}%` }} />
      </div>
      <span className="num">{t('limit_use', { after: money(after), limit: money(limit) })}</span>
    </div>
  )
}
