/** Reads the work of a statement from the plan of `explain (analyze, buffers, format json)`. */

export interface PlanNode {
  readonly 'Node Type': string
  readonly 'Subplan Name'?: string
  readonly 'CTE Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Index Cond'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly 'Shared Hit Blocks': number
  readonly 'Shared Read Blocks': number
  readonly Plans?: readonly PlanNode[]
}

export interface Explained {
  readonly Plan: PlanNode
  /** The plans of the statements that its functions and triggers executed. */
  readonly nested: readonly PlanNode[]
  readonly Triggers?: readonly { readonly Time: number }[]
  readonly 'Execution Time': number
}

/** Facts that the plan lacks: columns by index of growing tables, and pages by table. */
export interface Catalogue {
  readonly indexes: ReadonlyMap<string, readonly string[]>
  readonly pages: ReadonlyMap<string, number>
}

export interface Work {
  /** Rows that scans of growing tables looked at, by table. */
  readonly touched: Readonly<Record<string, number>>
  readonly buffers: number
  readonly ms: number
  /** The part of `ms` spent in foreign key triggers. */
  readonly triggerMs: number
  readonly returned: number
  readonly written: Readonly<Record<string, number>>
  readonly faults: readonly string[]
}

/** Not in the list: brands, currencies, price lists, stocks and their closed days do not grow with the business. */
export const growing = new Set([
  'items', 'item_words', 'products', 'prices', 'stock_levels',
  'clients', 'client_words', 'contacts', 'contracts', 'client_stocks', 'api_keys',
  'carts', 'cart_groups', 'cart_items',
  'orders', 'order_items', 'order_history', 'order_item_changes', 'shipments', 'shipment_lines', 'order_notes', 'adjustments', 'events', 'events_before', 'webhooks',
  'webhook_deliveries', 'feed_deliveries',
]) // prettier-ignore

export function workOf(
  { Plan: plan, nested, Triggers: triggers = [], 'Execution Time': ms }: Explained,
  catalogue: Catalogue,
): Work {
  const own = [...walk(plan)].filter(wasExecuted)
  const nodes = [...own, ...nested.flatMap((one) => [...walk(one)].filter(wasExecuted))]
  return {
    touched: sumBy(nodes.filter(scansGrowingTable), tableOf, (node) => rowsScanned(node, catalogue)),
    buffers: buffersOf(plan, own), // Those of nested statements are in the figure of the node that called them.
    ms,
    triggerMs: triggers.reduce((sum, { Time }) => sum + Time, 0),
    returned: plan['Actual Rows'],
    written: sumBy(nodes.filter(isWrite), tableOf, rowsIn),
    faults: nodes.flatMap((node) => faultsOf(node, catalogue)),
  }
}

const wasExecuted = (node: PlanNode): boolean => node['Actual Loops'] > 0

function* walk(node: PlanNode): Generator<PlanNode> {
  yield node
  for (const child of node.Plans ?? []) yield* walk(child)
}

const tableOf = (node: PlanNode): string => node['Relation Name'] ?? ''
const isWrite = (node: PlanNode): boolean => node['Node Type'] === 'ModifyTable'
const scansGrowingTable = (node: PlanNode): boolean => node['Node Type'].endsWith('Scan') && growing.has(tableOf(node))

/**
 * A scan that finds nothing is work too, and PostgreSQL 15 rounds the rows of each loop, so every loop counts at least one.
 * Of a table too small to be judged only found rows count; otherwise the smaller database would seem to cost more.
 */
function rowsScanned(node: PlanNode, catalogue: Catalogue): number {
  const removed = (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0)
  const whole = node['Node Type'] === 'Seq Scan' && !isJudged(node, catalogue)
  return Math.max(1, node['Actual Rows'] + (whole ? 0 : removed)) * node['Actual Loops']
}

/** A ModifyTable node without `returning` yields no rows; it wrote the rows of its input. */
function rowsIn({ Plans: children = [] }: PlanNode): number {
  return children
    .filter((child) => child['Subplan Name'] === undefined)
    .reduce((sum, child) => sum + child['Actual Rows'] * child['Actual Loops'], 0)
}

/** Steps of a `with` that no other step reads run after the main plan and are not in its figure. */
function buffersOf(plan: PlanNode, nodes: readonly PlanNode[]): number {
  const read = new Set(nodes.map((node) => `CTE ${node['CTE Name']}`))
  const after = nodes.filter(({ 'Subplan Name': name }) => name?.startsWith('CTE ') === true && !read.has(name))
  return [plan, ...after].reduce((sum, node) => sum + node['Shared Hit Blocks'] + node['Shared Read Blocks'], 0)
}

// Reading a table of a few pages costs no more than reading its index, so such a table is not judged.
export const judgedFromPages = 8
const isJudged = (node: PlanNode, { pages }: Catalogue): boolean => (pages.get(tableOf(node)) ?? 0) >= judgedFromPages

/**
 * Growing tables must be read by an index, by its leading columns without a gap. Behind a gap PostgreSQL scans all
 * entries and counts only those that match.
 */
function faultsOf(node: PlanNode, catalogue: Catalogue): string[] {
  const { 'Node Type': type, 'Index Name': index = '', 'Index Cond': condition = '' } = node
  const table = tableOf(node)
  if (type === 'Seq Scan' || type === 'Tid Scan') {
    return growing.has(table) && isJudged(node, catalogue) ? [`${type} on ${table}`] : []
  }
  const columns = catalogue.indexes.get(index) ?? []
  const used = columns.map((column) => isIn(column, condition))
  const gap = used.indexOf(false)
  if (gap === -1) return []
  if (gap === 0) return [`${type} of all of ${index}`]
  const bounded = columns.slice(0, gap).some((column) => boundedBy.has(column))
  return used.includes(true, gap) && !bounded ? [`${type} of ${index} with a gap`] : []
}

// One cart, group or order has a bounded number of rows, so a gap after its id is harmless.
const boundedBy = new Set(['cart_id', 'cart_group_id', 'order_id'])

/**
 * A condition names columns of the index without an alias, and those of other tables with one. Of an expression only its
 * column is looked for: PostgreSQL shows the body of a function such as `article_key` instead of its name.
 */
function isIn(column: string, condition: string): boolean {
  const [, inner = column] = /\((\w+)/.exec(column) ?? []
  return new RegExp(`(?<![\\w.])${inner}\\b`).test(condition)
}

function sumBy(
  nodes: readonly PlanNode[],
  key: (node: PlanNode) => string,
  value: (node: PlanNode) => number,
): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const node of nodes) sums[key(node)] = (sums[key(node)] ?? 0) + value(node)
  return sums
}
