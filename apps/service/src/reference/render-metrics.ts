/** `docs/reference/metrics.md`, from the metrics that the processes register. */
interface DescribedMetric {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly kind: string
  readonly processes: string
}

export function renderMetricsPage(metrics: readonly DescribedMetric[]): string {
  return `# Metrics

Generated from the code by \`npm run generate\`.

The API serves Prometheus metrics on \`METRICS_PORT\` (9464), the worker on \`WORKER_METRICS_PORT\` (9465), both at \`/metrics\`. With \`PROCESSES\`, those of all processes are added up. The usual metrics of Node and of the process (\`nodejs_…\`, \`process_…\`) are there too. [What to watch](../how-to/engineer/monitor.md) explains which matter, [objectives](../explanation/objectives.md) what they should be.

A gauge of the database (open requests, waiting jobs, hidden events) is reported by each worker: use \`max\`, not \`sum\`.

Those of PostgreSQL itself come from prometheus-postgres-exporter with the queries of \`deploy/prometheus/postgres.yml\` ([monitor](../how-to/engineer/monitor.md#postgresql)).

| metric | kind | labels | process | meaning |
|---|---|---|---|---|
${metrics
  .toSorted((a, b) => (a.name < b.name ? -1 : 1))
  .map(metricRow)
  .join('\n')}
`
}

const metricRow = ({ name, help, labelNames, kind, processes }: DescribedMetric): string =>
  `| \`${name}\` | ${kind} | ${labelNames.map((label) => `\`${label}\``).join(', ')} | ${processes} | ${help} |`
