/** Metrics of this process, in which other tests have counted too: compare them with their value before. */
import assert from 'node:assert/strict'
import { register } from 'prom-client'

type Labels = Readonly<Record<string, string | number>>

/** The sum over all other labels; of a histogram, `name` ends in `_count`. */
export async function metricValue(name: string, labels: Labels = {}): Promise<number> {
  assert(register.getSingleMetric(name.replace(/_(count|sum|bucket)$/, '')), `There is no metric ${name}.`)
  const metrics = await register.getMetricsAsJSON()
  const values = metrics.flatMap((metric) =>
    (metric.values as { value: number; labels: Labels; metricName?: string }[]).filter(
      (one) => (one.metricName ?? metric.name) === name,
    ),
  )
  return values
    .filter((one) => Object.entries(labels).every(([label, wanted]) => String(one.labels[label]) === String(wanted)))
    .reduce((sum, one) => sum + one.value, 0)
}

export async function metricAdded(work: () => Promise<unknown>, name: string, labels?: Labels): Promise<number> {
  const before = await metricValue(name, labels)
  await work()
  return (await metricValue(name, labels)) - before
}

/** Statements that were repeated after a deadlock or a serialisation failure. */
export const collisions = (): Promise<number> =>
  metricValue('parts_statement_duration_seconds_count', { outcome: 'collided' })
