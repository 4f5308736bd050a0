/**
 * The Grafana dashboard, as typed code; `npm run generate` writes dashboard.json. Rows are in the order in which a fault is
 * looked for: what clients notice, then the service, then what is behind it.
 */
import {
  DashboardBuilder,
  DatasourceVariableBuilder,
  QueryVariableBuilder,
  RowBuilder,
  VariableRefresh,
} from '@grafana/grafana-foundation-sdk/dashboard'
import { DataqueryBuilder } from '@grafana/grafana-foundation-sdk/prometheus'
import { PanelBuilder as StatBuilder } from '@grafana/grafana-foundation-sdk/stat'
import { PanelBuilder as TimeseriesBuilder } from '@grafana/grafana-foundation-sdk/timeseries'

interface Query {
  readonly expr: string
  readonly legend: string
}

interface Panel {
  readonly title: string
  readonly description: string
  /** Of Grafana: s, reqps, short, percentunit, bytes. */
  readonly unit: string
  /** A single figure instead of a graph. */
  readonly figure?: true
  readonly queries: readonly Query[]
}

const source = { type: 'prometheus', uid: '${source}' }
const orders = 'method="PUT",route="/api/v1/orders/"'
const quantile = (part: number, metric: string, labels = ''): string =>
  `histogram_quantile(${part}, sum by (le) (rate(${metric}_bucket{${labels}}[$__rate_interval])))`

const panelsOfRows: Readonly<Record<string, readonly Panel[]>> = {
  Objectives: [
    {
      title: 'Orders that failed, 30 min',
      description: 'Share of orders with 5xx or refused under overload. Objective: below 0.05 %.',
      unit: 'percentunit',
      figure: true,
      queries: [{ expr: 'parts:orders_failed:ratio_rate30m', legend: 'failed' }],
    },
    {
      title: 'Orders slower than 300 ms, 30 min',
      description: 'Objective: below 1 %.',
      unit: 'percentunit',
      figure: true,
      queries: [{ expr: 'parts:orders_slow:ratio_rate30m', legend: 'slow' }],
    },
    {
      title: 'Events later than 5 s, 30 min',
      description: 'Of those that arrived while a reader waited. Objective: below 1 %.',
      unit: 'percentunit',
      figure: true,
      queries: [{ expr: 'parts:feed_late:ratio_rate30m', legend: 'late' }],
    },
    {
      title: 'Webhooks later than 30 s, 30 min',
      description: 'First attempts. Objective: below 1 %.',
      unit: 'percentunit',
      figure: true,
      queries: [{ expr: 'parts:webhooks_late:ratio_rate30m', legend: 'late' }],
    },
  ],
  Orders: [
    {
      title: 'Orders placed per minute',
      description: 'A repeated request is not counted again.',
      unit: 'short',
      queries: [{ expr: 'sum(rate(parts_orders_placed_total[$__rate_interval])) * 60', legend: 'orders' }],
    },
    {
      title: 'Placing an order',
      description: 'Objective: p99 below 300 ms.',
      unit: 's',
      queries: [
        { expr: quantile(0.5, 'parts_http_request_duration_seconds', orders), legend: 'p50' },
        { expr: quantile(0.99, 'parts_http_request_duration_seconds', orders), legend: 'p99' },
      ],
    },
    {
      title: 'Refusals by code',
      description: 'cart_group_changed and out_of_stock are normal.',
      unit: 'reqps',
      queries: [
        { expr: 'topk(10, sum by (code) (rate(parts_refusals_total[$__rate_interval])) > 0)', legend: '{{code}}' },
      ],
    },
    {
      title: 'Open requests',
      description: 'Cancellations and adjustments that wait for an operator.',
      unit: 'short',
      queries: [{ expr: 'max by (kind) (parts_open_requests)', legend: '{{kind}}' }],
    },
    {
      title: 'The oldest open request',
      description: 'Alert: above a day.',
      unit: 's',
      queries: [{ expr: 'max by (kind) (parts_oldest_open_request_seconds)', legend: '{{kind}}' }],
    },
  ],
  API: [
    {
      title: 'Processes up',
      description: 'By job.',
      unit: 'short',
      figure: true,
      queries: [{ expr: 'sum by (job) (up{job=~"parts-(api|worker)"})', legend: '{{job}}' }],
    },
    {
      title: 'Version and schema',
      description: 'Of the processes, and the newest migration of the database.',
      unit: 'short',
      figure: true,
      queries: [
        { expr: 'count by (version, schema) (parts_build_info)', legend: '{{version}} {{schema}}' },
        { expr: 'count by (schema) (parts_database_schema_info)', legend: 'database {{schema}}' },
      ],
    },
    {
      title: 'Requests by status',
      description: 'Without long polls.',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (status) (rate(parts_http_request_duration_seconds_count[$__rate_interval]))',
          legend: '{{status}}',
        },
      ],
    },
    {
      title: 'Slowest routes, p99',
      description: 'Without long polls.',
      unit: 's',
      queries: [
        {
          expr: 'topk(8, histogram_quantile(0.99, sum by (le, method, route) (rate(parts_http_request_duration_seconds_bucket[$__rate_interval]))))',
          legend: '{{method}} {{route}}',
        },
      ],
    },
    {
      title: 'Connections and waiting readers',
      description: 'Of clients, by process.',
      unit: 'short',
      queries: [
        { expr: 'parts_http_connections', legend: 'connections {{instance}}' },
        { expr: 'parts_waiting_readers', legend: 'waiting {{instance}}' },
      ],
    },
    {
      title: 'Long polls',
      description: 'Answered requests that waited for an event.',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (route, status) (rate(parts_long_polls_total[$__rate_interval]))',
          legend: '{{route}} {{status}}',
        },
      ],
    },
    {
      title: 'Refused before they were served',
      description: 'Under overload, over a rate, with an invalid key, over the limit of connections.',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (urgency, client) (rate(parts_shed_requests_total[$__rate_interval]))',
          legend: 'shed {{urgency}} {{client}}',
        },
        { expr: 'sum(rate(parts_rate_limited_total[$__rate_interval]))', legend: 'rate limit' },
        {
          expr: 'sum by (outcome) (rate(parts_failed_keys_total[$__rate_interval]))',
          legend: 'invalid key {{outcome}}',
        },
        {
          expr: 'sum by (limit) (rate(parts_refused_connections_total[$__rate_interval]))',
          legend: 'connections {{limit}}',
        },
        {
          expr: 'sum(rate(haproxy_frontend_requests_denied_total{proxy="https"}[$__rate_interval]))',
          legend: 'denied by the proxy',
        },
        {
          expr: 'sum(parts:orders_refused_by_proxy:increase5m) / 300',
          legend: 'orders that no process could answer',
        },
      ],
    },
    {
      title: 'Event loop and memory',
      description: 'Of each process.',
      unit: 'short',
      queries: [
        { expr: 'nodejs_eventloop_lag_p99_seconds', legend: 'lag p99 (s) {{instance}}' },
        { expr: 'process_resident_memory_bytes / 1e6', legend: 'memory (MB) {{instance}}' },
      ],
    },
  ],
  PostgreSQL: [
    {
      title: 'Connections',
      description: 'Busy for long at POOL_SIZE: the database is too slow for the load. Stuck for long: locks.',
      unit: 'short',
      queries: [
        { expr: 'parts_database_connections', legend: 'open {{instance}}' },
        { expr: 'parts_database_connections_busy', legend: 'busy {{instance}}' },
        { expr: 'parts_database_connections_stuck', legend: 'stuck {{instance}}' },
      ],
    },
    {
      title: 'Statement queue',
      description: 'Statements that wait for a connection, and how long a new one would wait.',
      unit: 'short',
      queries: [
        { expr: 'parts_statements_queued', legend: 'queued {{instance}}' },
        { expr: 'parts_expected_wait_seconds', legend: 'wait (s) {{instance}}' },
      ],
    },
    {
      title: 'Statements by time spent',
      description: 'Seconds of statements per second.',
      unit: 'short',
      queries: [
        {
          expr: 'topk(8, sum by (statement) (rate(parts_statement_duration_seconds_sum[$__rate_interval])))',
          legend: '{{statement}}',
        },
      ],
    },
    {
      title: 'Statements that did not succeed',
      description: 'refused and collided are normal.',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (outcome) (rate(parts_statement_duration_seconds_count{outcome!="done"}[$__rate_interval]))',
          legend: '{{outcome}}',
        },
      ],
    },
    {
      title: 'Connections replaced',
      description: 'age and idle are normal.',
      unit: 'reqps',
      queries: [
        {
          expr: 'sum by (reason) (rate(parts_database_connections_replaced_total[$__rate_interval]))',
          legend: '{{reason}}',
        },
      ],
    },
  ],
  'PostgreSQL itself': [
    {
      title: 'Free on disks',
      description: 'Of the database server. Alert: below 15 %.',
      unit: 'percentunit',
      queries: [
        {
          expr: 'node_filesystem_avail_bytes{job="parts-disk"} / node_filesystem_size_bytes{job="parts-disk"}',
          legend: '{{instance}} {{mountpoint}}',
        },
      ],
    },
    {
      title: 'Last backup, and WAL that waits for the archive',
      description: 'Alerts: above 30 hours, and above 5 minutes.',
      unit: 's',
      queries: [
        { expr: 'time() - max(parts_backup_completed_timestamp_seconds)', legend: 'age of the last backup' },
        { expr: 'parts_pg_archive_waiting_seconds', legend: 'oldest waiting {{instance}}' },
      ],
    },
    {
      title: 'Standbys behind',
      description: 'WAL that a standby has not replayed.',
      unit: 'bytes',
      queries: [
        {
          expr: 'clamp_min(max(parts_pg_wal_written_bytes) - on () group_right () parts_pg_standby_replayed_bytes, 0)',
          legend: '{{standby}}',
        },
      ],
    },
    {
      title: 'Connections in use',
      description: 'Of those that PostgreSQL admits. Alert: above 80 %.',
      unit: 'percentunit',
      queries: [{ expr: 'parts_pg_connections_used / parts_pg_connections_allowed', legend: '{{instance}}' }],
    },
    {
      title: 'WAL written',
      description: 'Bytes a second; with archive_timeout a file of 16 MB each minute.',
      unit: 'bytes',
      queries: [{ expr: 'sum(rate(parts_pg_wal_written_bytes[$__rate_interval]))', legend: 'written' }],
    },
    {
      title: 'The oldest transaction',
      description: 'Alert: above 30 minutes. Vacuum removes nothing that it might see.',
      unit: 's',
      queries: [{ expr: 'parts_pg_transactions_oldest_seconds', legend: '{{instance}}' }],
    },
    {
      title: 'Dead rows',
      description: 'Alert: above 0.4 for each live row.',
      unit: 'short',
      queries: [{ expr: 'topk(8, max by (table) (parts_pg_table_dead_rows))', legend: '{{table}}' }],
    },
    {
      title: 'Age of the oldest id',
      description:
        'In transactions; at 2.1 billion PostgreSQL stops. Alert: twice the age at which autovacuum freezes.',
      unit: 'short',
      queries: [{ expr: 'max by (kind) (parts_pg_freeze_age)', legend: '{{kind}}' }],
    },
  ],
  'Events, webhooks and jobs': [
    {
      title: 'Feed lag, p99',
      description: 'Objective: below 5 s. Hidden: a transaction that stays open stops the feed of operators.',
      unit: 's',
      queries: [
        {
          expr: 'histogram_quantile(0.99, sum by (le, feed) (rate(parts_feed_lag_seconds_bucket[$__rate_interval])))',
          legend: '{{feed}}',
        },
        { expr: 'max(parts_feed_hidden_event_seconds)', legend: 'hidden' },
      ],
    },
    {
      title: 'Webhooks: delay',
      description: 'Objective of the first attempt: p99 below 30 s. Delivery includes slow and failing endpoints.',
      unit: 's',
      queries: [
        { expr: quantile(0.99, 'parts_webhook_first_attempt_delay_seconds'), legend: 'first attempt p99' },
        { expr: quantile(0.99, 'parts_webhook_delivery_lag_seconds'), legend: 'delivery p99' },
      ],
    },
    {
      title: 'Webhooks: attempts',
      description: 'By outcome, and endpoints that were paused.',
      unit: 'reqps',
      queries: [
        { expr: 'sum by (outcome) (rate(parts_webhook_deliveries_total[$__rate_interval]))', legend: '{{outcome}}' },
        { expr: 'sum(rate(parts_webhook_paused_total[$__rate_interval]))', legend: 'paused' },
      ],
    },
    {
      title: 'Webhooks: backlog',
      description: 'Undelivered events, and endpoints.',
      unit: 'short',
      queries: [
        { expr: 'max(parts_webhook_lacking_events)', legend: 'events' },
        { expr: 'sum(parts_webhook_endpoints_waiting)', legend: 'endpoints waiting' },
        { expr: 'sum(parts_webhook_endpoints_in_flight)', legend: 'endpoints in flight' },
      ],
    },
    {
      title: 'Jobs',
      description: 'Runs by outcome, and how long the oldest has been waiting.',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (exported_job, outcome) (increase(parts_worker_job_duration_seconds_count{outcome!="done"}[1h]))',
          legend: '{{exported_job}} {{outcome}}, 1 h',
        },
        { expr: 'max(parts_worker_oldest_waiting_job_seconds)', legend: 'oldest waiting (s)' },
        { expr: 'max(parts_worker_waiting_jobs)', legend: 'waiting' },
      ],
    },
    {
      title: 'Rows handled by jobs',
      description: 'Per second.',
      unit: 'short',
      queries: [
        {
          expr: 'sum by (exported_job) (rate(parts_worker_job_rows_total[$__rate_interval]))',
          legend: '{{exported_job}}',
        },
      ],
    },
    {
      title: 'Spans',
      description: 'Sent to the collector, and dropped; nothing while traces are off.',
      unit: 'reqps',
      queries: [
        { expr: 'sum(rate(parts_trace_spans_sent_total[$__rate_interval]))', legend: 'sent' },
        {
          expr: 'sum by (reason) (rate(parts_trace_spans_dropped_total[$__rate_interval]))',
          legend: 'dropped {{reason}}',
        },
      ],
    },
  ],
}

/** Every series is one of the installation that the reader has chosen. */
const ofInstallation = (expr: string): string =>
  expr.replaceAll(
    /\b(parts[_:][\w:]+|node_filesystem_\w+|haproxy_\w+|nodejs_\w+|process_\w+|up)\b(?:\{([^}]*)\})?/g,
    (_, series: string, selectors = '') =>
      `${series}{installation="$installation"${selectors === '' ? '' : `,${selectors}`}}`,
  )

export const rows: Readonly<Record<string, readonly Panel[]>> = Object.fromEntries(
  Object.entries(panelsOfRows).map(([title, panels]) => [
    title,
    panels.map((panel) => ({
      ...panel,
      queries: panel.queries.map(({ expr, legend }) => ({ expr: ofInstallation(expr), legend })),
    })),
  ]),
)

export function renderDashboard(): string {
  const dashboard = new DashboardBuilder('Parts Ordering Service')
    .uid('parts-ordering-service')
    .tags(['parts-ordering-service'])
    .description('Generated from deploy/grafana/dashboard.ts by npm run generate.')
    .refresh('1m')
    .time({ from: 'now-6h', to: 'now' })
    .timezone('browser')
    .withVariable(new DatasourceVariableBuilder('source').label('Prometheus').type('prometheus'))
    .withVariable(
      new QueryVariableBuilder('installation')
        .label('Installation')
        .datasource(source)
        .query('label_values(up{job="parts-api"}, installation)')
        .refresh(VariableRefresh.OnTimeRangeChanged),
    )
  for (const [title, panels] of Object.entries(rows)) {
    dashboard.withRow(new RowBuilder(title))
    for (const panel of panels) dashboard.withPanel(builderOf(panel))
  }
  return `${JSON.stringify(dashboard.build(), null, 2)}\n`
}

function builderOf({ title, description, unit, figure, queries }: Panel): StatBuilder | TimeseriesBuilder {
  const builder = figure === true ? new StatBuilder() : new TimeseriesBuilder()
  builder.title(title).description(description).unit(unit).height(figure === true ? 4 : 7).span(figure === true ? 6 : 12) // prettier-ignore
  builder.datasource(source)
  if (figure !== true) builder.min(0)
  for (const { expr, legend } of queries) builder.withTarget(new DataqueryBuilder().expr(expr).legendFormat(legend))
  return builder
}
