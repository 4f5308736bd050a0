/** Commands that find things: clients, items, prices, and what happened. */
import type { Counts, ListedClient, ListedPrice, LogEntry, OperatorItem } from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { findOrder } from '../find-order.ts'
import { formatMoney } from '../format.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

export const clientsCommand = command({
  name: 'clients',
  summary: 'find clients by name, contact, email address or id',
  arguments: ['SEARCH'],
  options: listOptions,
  notes: [
    'Finds clients with words that begin with each of the words of SEARCH. OPEN is the total of the open orders of the default contract, LEFT what is left of its limit.',
  ],
  examples: ['clients lindner', 'clients "car serv" --json | jq .client_id'],
  run: (call) =>
    showList(call, {
      read: (page) => call.api().listClients({ search: call.arguments[0], ...page }),
      columns: clientColumns,
      none: 'No clients found.',
    }),
})

type ListedContract = ListedClient['contracts'][number]
const defaultOf = ({ contracts }: ListedClient): ListedContract | undefined =>
  contracts.find(({ contract_default }) => contract_default)

const clientColumns: readonly Column<ListedClient>[] = [
  { title: 'CLIENT', of: ({ client_id }) => client_id, right: true, whole: true },
  { title: 'NAME', of: ({ client_name }) => client_name },
  { title: 'CONTRACTS', of: ({ contracts }) => contracts.length, right: true, whole: true },
  { title: 'OPEN', of: (client) => moneyOf(client, defaultOf(client)?.exposure), right: true, whole: true },
  { title: 'LEFT', of: leftOf, right: true, whole: true },
]

const moneyOf = (client: ListedClient, amount: number | undefined): string =>
  amount === undefined ? '' : `${formatMoney(amount)} ${defaultOf(client)?.currency_code ?? ''}`

function leftOf(client: ListedClient): string {
  const left = defaultOf(client)?.limit_left
  return left === null ? 'no limit' : moneyOf(client, left)
}

export const itemsCommand = command({
  name: 'items',
  summary: 'find items by article, barcode or words of the title',
  arguments: ['SEARCH'],
  options: {
    brand: { value: 'NAME', meaning: 'only items of this brand; case, spaces and dashes do not matter' },
    'missing-price': { value: 'LIST', meaning: 'only items without a price in this price list' },
    short: { meaning: 'only items of which a stock has more reserved than on hand' },
    ...listOptions,
  },
  notes: [
    'FREE is what is on hand and not reserved, in all stocks. ORDERED IN is the smallest quantity of a line and, after a slash, of what quantities are multiples; empty if any is possible.',
  ],
  examples: ['items "air filter"', 'items JF-110 --short', 'items filter --missing-price 2 --all'],
  run: (call) => {
    const { brand, short, 'missing-price': list } = call.options
    const filters = {
      search: call.arguments[0],
      brand,
      missing_price: list === undefined ? undefined : wholeNumber(list, '--missing-price'),
      short: short || undefined,
    }
    return showList(call, {
      read: (page) => call.api().listCatalogueItems({ ...filters, ...page }),
      columns: itemColumns,
      none: 'No items found.',
    })
  },
})

const itemColumns: readonly Column<OperatorItem>[] = [
  { title: 'ITEM', of: ({ item_id }) => item_id, right: true, whole: true },
  { title: 'ARTICLE', of: ({ item_vendor_code }) => item_vendor_code },
  { title: 'BRAND', of: ({ brand }) => brand.brand_name },
  { title: 'TITLE', of: ({ item_title }) => item_title },
  { title: 'ON SALE', of: ({ on_sale }) => (on_sale ? 'yes' : 'no') },
  { title: 'ORDERED IN', of: rulesOf, right: true, whole: true },
  { title: 'PRICES', of: ({ prices }) => prices.length, right: true, whole: true },
  { title: 'FREE', of: freeOf, right: true, whole: true },
]

function rulesOf({ quantity_min, quantity_multiple }: OperatorItem): string {
  if (quantity_min === 1 && quantity_multiple === 1) return ''
  return quantity_multiple === 1 ? `${quantity_min}` : `${quantity_min}/${quantity_multiple}`
}

function freeOf({ stock_levels }: OperatorItem): number {
  return stock_levels.reduce((sum, { on_hand, reserved }) => sum + on_hand - reserved, 0)
}

export const pricesCommand = command({
  name: 'prices',
  summary: 'list the prices of a price list',
  arguments: ['LIST'],
  options: listOptions,
  notes: [
    'BREAKS are prices of larger quantities of a line, as in files that are imported: from 10 on 98.5 is 10:98.5.',
  ],
  examples: ['prices 1 --limit 20', 'prices 1 --all > prices.tsv'],
  run: (call) => {
    const price_list_id = wholeNumber(call.arguments[0] ?? '', 'A price list id')
    return showList(call, {
      read: (page) => call.api().listPrices({ price_list_id, ...page }),
      columns: priceColumns,
      none: 'The price list has no prices.',
    })
  },
})

const priceColumns: readonly Column<ListedPrice>[] = [
  { title: 'ITEM', of: ({ item_id }) => item_id, right: true, whole: true },
  { title: 'ARTICLE', of: ({ item_vendor_code }) => item_vendor_code },
  { title: 'TITLE', of: ({ item_title }) => item_title },
  { title: 'PRICE', of: ({ price }) => price, right: true, whole: true },
  { title: 'BREAKS', of: ({ price_breaks: breaks }) => breaks.map((one) => `${one.quantity}:${one.price}`).join(' ') },
]

export const logCommand = command({
  name: 'log',
  summary: 'list what happened and who did it, newest first',
  options: {
    order: { value: 'NUMBER', meaning: 'only what happened to this order' },
    client: { value: 'ID', meaning: 'only what happened to this client' },
    by: { value: 'WHO', meaning: 'only what this operator (its id) or this actor did, as the column BY shows it' },
    type: { value: 'TYPE', meaning: 'only events of this type' },
    from: { value: 'DATE', meaning: 'only events of this day or later, YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS"' },
    to: { value: 'DATE', meaning: 'only events of this day or earlier, YYYY-MM-DD or "YYYY-MM-DD HH:MM:SS"' },
    ...listOptions,
  },
  examples: ['log --order 100234', 'log --by 3 --from 2026-11-16', 'log --type order.canceled'],
  run: async (call) => {
    const { order, client, by, type, from, to } = call.options
    const order_number = order === undefined ? undefined : wholeNumber(order, '--order')
    const found = order_number === undefined ? undefined : await findOrder(call.api(), order_number)
    const filters = {
      order_id: found?.order_id,
      client_id: client === undefined ? undefined : wholeNumber(client, '--client'),
      ...(by !== undefined && /^\d+$/.test(by) ? { operator_id: wholeNumber(by, '--by') } : { actor: by }),
      event_type: type,
      date_from: from,
      date_to: to,
    }
    return showList(call, {
      read: (page) => call.api().listLog({ ...filters, ...page }),
      columns: logColumns,
      none: 'Nothing happened.',
    })
  },
})

const logColumns: readonly Column<LogEntry>[] = [
  { title: 'TIME', of: ({ event_datetime }) => event_datetime },
  { title: 'EVENT', of: ({ event_type }) => event_type, whole: true },
  { title: 'CLIENT', of: ({ client_name }) => client_name },
  { title: 'ORDER', of: ({ order_number }) => order_number, whole: true },
  { title: 'CHANGE', of: changesOf },
  { title: 'BY', of: ({ actor }) => actor },
]

function changesOf({ changes }: LogEntry): string {
  return changes
    .map(({ field, old, new: now }) => (old === null ? `${field} ${now ?? ''}` : `${field} ${old} → ${now ?? ''}`))
    .join('; ')
}

export const countsCommand = command({
  name: 'counts',
  summary: 'count what there is to do',
  notes: ['Counting stops at 1,000, so it takes no longer when there are more.'],
  examples: ['counts', 'counts --json | jq .inbox'],
  run: async ({ output, api }) => {
    const counts = await api().readCounts()
    if (output.json) return output.data(counts)
    output.pairs([
      ...counts.inbox.map(({ kind, ...figure }): [string, string] => [`Requests: ${kind}`, figureOf(figure)]),
      ...counts.orders.map(({ state_id, ...figure }): [string, string] => [`Orders: ${state_id}`, figureOf(figure)]),
      ['Orders on hold', figureOf(counts.held)],
      ['Short stock levels', figureOf(counts.short)],
    ])
    output.line('')
    await output.table(stockColumns, counts.stocks)
  },
})

type StockCounts = Counts['stocks'][number]

const stockColumns: readonly Column<StockCounts>[] = [
  { title: 'STOCK', of: ({ stock_name }) => stock_name },
  ...['new', 'processing', 'fulfilling'].map((state): Column<StockCounts> => ({
    title: state.toUpperCase(),
    of: ({ orders }) =>
      orders
        .filter(({ state_id }) => state_id === state)
        .map(figureOf)
        .join(''),
    right: true,
    whole: true,
  })),
]

function figureOf({ count, more }: { count: number; more: boolean }): string {
  return more ? `${count.toLocaleString('en')}+` : count.toLocaleString('en')
}
