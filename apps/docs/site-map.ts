/**
 * Every page of the site, by reader. The sidebar and `/llms.txt` are made from it; a test compares it with the files.
 * `from` is a file of the repository; pages without it are in `pages/` or made while building.
 */

export interface SitePage {
  readonly title: string
  /** Where the site has the page, without `.md`. */
  readonly path: string
  readonly from?: string
}

export interface PageGroup {
  readonly title: string
  readonly pages: readonly SitePage[]
  /** Whether the sidebar shows only the title at first. */
  readonly collapsed?: boolean
}

export interface Reader {
  readonly title: string
  /** What this reader does, as a sentence. */
  readonly about: string
  readonly groups: readonly PageGroup[]
}

/** A page of `docs/`, at the same place of the site; `README` is the page of its folder. */
const doc = (path: string, title: string): SitePage => ({
  title,
  path: path.replace(/README$/, 'index'),
  from: `docs/${path}.md`,
})
const guide = (name: string, title: string): SitePage => doc(`how-to/integrator/${name}`, title)
const desk = (name: string, title: string): SitePage => doc(`how-to/operator/${name}`, title)
const run = (name: string, title: string): SitePage => doc(`how-to/engineer/${name}`, title)
const decision = (name: string, title: string): SitePage => doc(`explanation/decisions/${name}`, title)
const operations = (side: string, names: readonly string[]): SitePage[] =>
  names.map((title) => ({ title, path: `reference/${side}/${title.toLowerCase().replaceAll(' ', '-')}` }))

/** The operations of each side, by tag. */
export const clientTags = [
  'Carts',
  'Cart items',
  'Orders',
  'Order items',
  'Addresses',
  'Returns',
  'Events',
  'Webhooks',
  'Keys',
  'Lookups',
]
export const operatorTags = ['On behalf', 'Decisions', 'Orders', 'Events', 'Clients', 'Catalogue', 'Desk', 'Access', 'System'] // prettier-ignore

export const readers: readonly Reader[] = [
  {
    title: 'Dealer',
    about: "You connect a dealer's software.",
    groups: [
      {
        title: 'Begin',
        pages: [
          doc('tutorial/first-order', 'Your first order'),
          { title: 'The TypeScript client', path: 'client/index', from: 'packages/client/README.md' },
          guide('http', 'Requests over HTTP'),
          guide('keys', 'Manage your keys'),
          guide('go-live', 'Go live'),
        ],
      },
      {
        title: 'Order',
        pages: [
          guide('find-goods', 'Find goods and check prices'),
          guide('keep-a-copy', 'Keep a copy of the catalogue'),
          guide('show-totals', 'Show totals before ordering'),
          guide('order-many-lines', 'Order a list from a spreadsheet'),
          guide('read-orders', 'Read orders in full'),
          guide('change-orders', 'Change, reschedule, cancel'),
        ],
      },
      {
        title: 'Follow',
        pages: [
          guide('react-to-changes', 'React to changes'),
          guide('webhooks', 'Receive webhooks'),
          guide('migrate-from-polling', 'Migrate from polling'),
        ],
      },
      {
        title: 'Errors and limits',
        pages: [
          guide('handle-errors', 'Handle every error'),
          guide('retries-and-limits', 'Retries, limits, overload'),
          doc('reference/errors', 'Error codes'),
        ],
      },
      {
        title: 'Look up',
        pages: [
          { title: 'Reference, to try', path: 'api' },
          doc('reference/event-types', 'Event types'),
          doc('reference/contract', 'The contract'),
          doc('reference/words', 'Words'),
          doc('reference/versioning', 'Versions'),
          { title: 'Changes of the client', path: 'client/changelog', from: 'packages/client/CHANGELOG.md' },
        ],
      },
      { title: 'Operations', pages: operations('operations', clientTags), collapsed: true },
    ],
  },
  {
    title: 'Operator',
    about: 'You work for the distributor.',
    groups: [
      {
        title: 'Begin',
        pages: [desk('keys-and-roles', 'Get an operator key'), desk('console', 'Work in the console')],
      },
      {
        title: 'Orders',
        pages: [
          desk('orders', 'Decide requests, move orders'),
          desk('order-for-clients', 'Order for a client'),
          desk('ship', 'Ship an order'),
          desk('correct-orders', 'Correct an order'),
          desk('hold-and-block', 'Hold and block'),
        ],
      },
      {
        title: 'Clients and goods',
        pages: [
          desk('clients', 'Clients and their keys'),
          desk('goods', 'Goods, prices and stock'),
          desk('count-stock', 'Count stock'),
          desk('files', 'Files and paper'),
        ],
      },
      {
        title: 'Find and follow',
        pages: [desk('find', 'Find'), desk('monitor', 'Events and checks'), desk('connect-an-erp', 'Connect an ERP')],
      },
      {
        title: 'Look up',
        pages: [
          { title: 'Reference, to try', path: 'operator-api' },
          doc('reference/command-line', 'The parts command'),
          doc('reference/traces', 'Traces of operators'),
        ],
      },
      { title: 'Operations', pages: operations('operator-operations', operatorTags), collapsed: true },
    ],
  },
  {
    title: 'Engineer',
    about: 'You run the service.',
    groups: [
      {
        title: 'Deploy',
        pages: [
          run('run-the-service', 'Run the service'),
          run('worker', 'Run the worker'),
          run('sizing', 'Size a machine'),
          run('deploy', 'Deploy'),
          run('harden', 'Harden'),
          run('upgrade', 'Upgrade without downtime'),
          run('extend', 'Extend without a fork'),
        ],
      },
      {
        title: 'Keep',
        pages: [
          run('backup', 'Back up and restore'),
          run('standby', 'A standby'),
          run('move-postgresql', 'Upgrade or move PostgreSQL'),
          run('fleet', 'Host many distributors'),
          run('passwords', 'Replace passwords'),
          run('retention', 'How long data is kept'),
          run('audit-log', 'The audit log'),
          run('incident', 'A leaked key, or an intruder'),
        ],
      },
      {
        title: 'Watch',
        pages: [
          run('monitor', 'What to watch'),
          doc('explanation/objectives', 'Objectives'),
          doc('explanation/reliability', 'What holds under faults'),
          doc('explanation/performance', 'Performance'),
          doc('explanation/scale', 'Scale'),
        ],
      },
      {
        title: 'Look up',
        pages: [
          { title: 'This installation', path: 'installation' },
          doc('reference/configuration', 'Configuration'),
          doc('reference/metrics', 'Metrics'),
          { title: 'Changelog', path: 'changelog', from: 'CHANGELOG.md' },
          { title: 'Security', path: 'security', from: 'SECURITY.md' },
        ],
      },
      {
        title: 'Alerts',
        collapsed: true,
        pages: [
          run('alerts/README', 'All alerts'),
          run('alerts/backup-old', 'The last backup is old'),
          run('alerts/connections-scarce', 'Connections are scarce'),
          run('alerts/database-unavailable', 'The database is unavailable'),
          run('alerts/database-unwatched', 'PostgreSQL is not watched'),
          run('alerts/disk-filling', 'A disk is filling'),
          run('alerts/feed-lagging', 'The feed lags'),
          run('alerts/internal-errors', 'Internal errors'),
          run('alerts/jobs-not-done', 'Jobs are not done'),
          run('alerts/key-guessing', 'Many invalid keys'),
          run('alerts/orders-failing-fast', 'Orders fail: fast'),
          run('alerts/orders-failing-slowly', 'Orders fail: slowly'),
          run('alerts/orders-slow', 'Orders are slow'),
          run('alerts/process-down', 'A process is down'),
          run('alerts/replication-lagging', 'A standby lags'),
          run('alerts/requests-waiting', 'Requests wait'),
          run('alerts/shedding', 'The service is overloaded'),
          run('alerts/statements-stuck', 'Statements are stuck'),
          run('alerts/tables-bloated', 'Tables are bloated'),
          run('alerts/transaction-old', 'An old transaction'),
          run('alerts/wal-not-archived', 'Changes are not archived'),
          run('alerts/webhooks-late', 'Webhooks are late'),
          run('alerts/worker-missing', 'No worker'),
          run('alerts/wraparound', 'Old rows are not frozen'),
        ],
      },
    ],
  },
  {
    title: 'Contributor',
    about: 'You change the code.',
    groups: [
      {
        title: 'Begin',
        pages: [
          { title: 'Contributing', path: 'contributing', from: 'CONTRIBUTING.md' },
          doc('explanation/architecture', 'Architecture'),
          { title: 'Roadmap', path: 'roadmap', from: 'ROADMAP.md' },
        ],
      },
      {
        title: 'Measure',
        pages: [
          { title: 'Benchmarks', path: 'explanation/benchmarks', from: 'proof/bench/README.md' },
          { title: 'Faults', path: 'explanation/faults', from: 'proof/faults/README.md' },
        ],
      },
      {
        title: 'Decisions',
        pages: [
          decision('README', 'All decisions'),
          decision('0001-one-call', '1. One call'),
          decision('0002-typed-statements', '2. Typed SQL files'),
          decision('0003-lock-order', '3. Lock order'),
          decision('0004-connections-and-queue', '4. Connections and queue'),
          decision('0005-totals-and-cart-group-keys', '5. Totals and group keys'),
          decision('0006-what-an-order-writes', '6. What an order writes'),
          decision('0007-finding', '7. Lists and searches'),
          decision('0008-reading-requests', '8. Reading requests'),
          decision('0009-retries-and-limits', '9. Retries and limits'),
          decision('0010-keys-and-personal-data', '10. Keys and personal data'),
          decision('0011-events', '11. Events'),
          decision('0012-webhooks', '12. Webhooks'),
          decision('0013-bulk', '13. Many rows'),
          decision('0014-include', '14. More on request'),
          decision('0015-reference-and-clients', '15. Documents and clients'),
          decision('0016-operators', "16. The distributor's side"),
          decision('0017-imports', '17. Imports'),
          decision('0018-console', '18. Sessions and console'),
          decision('0019-worker', "19. The worker's jobs"),
          decision('0020-start-stop-upgrade', '20. Start, stop, upgrade'),
          decision('0021-after-a-restore', '21. After a restore'),
          decision('0022-deployment', '22. Deployment'),
          decision('0023-telemetry', '23. Telemetry'),
          decision('0024-audit-log', '24. The audit log'),
        ],
      },
    ],
  },
]

export const sitePages: readonly SitePage[] = readers.flatMap(({ groups }) => groups.flatMap(({ pages }) => pages))

/** Where the site shows a page. */
export const addressOf = ({ path }: SitePage): string => `/docs/${path.replace(/(^|\/)index$/, '$1')}`
