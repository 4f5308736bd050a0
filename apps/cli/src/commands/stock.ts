/** Commands for stocks: their levels, arrivals and the days on which they are closed. */
import { randomUUID } from 'node:crypto'
import {
  ConflictError,
  type Arrival,
  type Closure,
  type ImportStockLevelsParams,
  type OperatorStock,
  type StockLevel,
} from '@parts-ordering/client/operator'
import type { Api } from '../api.ts'
import { command, wholeNumber, wrongUse, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import { exitCodes, Problem } from '../problem.ts'
import type { Column } from '../table.ts'

export const stockCommands: readonly Command[] = [
  command({
    name: 'stock list',
    summary: 'list the stocks',
    options: listOptions,
    examples: ['stock list'],
    run: (call) =>
      showList(call, {
        read: (page) => call.api().listAllStocks(page),
        columns: stockColumns,
        none: 'There are no stocks.',
      }),
  }),
  command({
    name: 'stock levels',
    summary: 'list what the stocks have, by stock and item',
    options: {
      stock: { value: 'ID', meaning: 'only levels of this stock' },
      item: { value: 'ID', meaning: 'only levels of this item' },
      ...listOptions,
    },
    notes: [
      'FREE can be ordered now. MISSING are reserved pieces that a count did not find: arrivals cover them first.',
    ],
    examples: ['stock levels --stock 1', 'stock levels --item 1024 --json | jq .available'],
    run: (call) => {
      const { stock, item } = call.options
      const stock_id = stock === undefined ? undefined : wholeNumber(stock, '--stock')
      const item_id = item === undefined ? undefined : wholeNumber(item, '--item')
      return showList(call, {
        read: (page) => call.api().listStockLevels({ stock_id, item_id, ...page }),
        columns: levelColumns,
        none: 'No stock levels found.',
      })
    },
  }),
  command({
    name: 'stock arrive',
    summary: 'add pieces of an item that arrived in a stock',
    arguments: ['STOCK_ID', 'ITEM_ID', 'PIECES'],
    options: {
      'import-key': { value: 'TEXT', meaning: 'idempotency key, such as the delivery note: it is added only once' },
    },
    notes: ['Orders may be shipped at the same time: the pieces are added to what is there then.'],
    examples: ['stock arrive 1 1024 40 --import-key delivery-4711'],
    run: async ({ arguments: [stock = '', item = '', pieces = ''], options, output, api, mayBeDone, problemOf }) => {
      const of = { stock_id: wholeNumber(stock, 'A stock id'), item_id: wholeNumber(item, 'An item id') }
      const row = { ...of, difference: wholeNumber(pieces, 'PIECES') }
      const import_key = options['import-key'] ?? randomUUID()
      const look = `look at \`parts stock levels --stock ${of.stock_id} --item ${of.item_id}\``
      await addPieces(api(), row, import_key).catch((error: unknown) => {
        const again = `repeat the command with --import-key ${import_key}, which adds them once`
        throw mayBeDone(error) ? problemOf(error, `The pieces may have been added: ${look}, or ${again}.`) : error
      })
      const { data } = await api()
        .listStockLevels(of)
        .catch((error: unknown) => {
          throw problemOf(error, `The pieces were added: ${look}.`)
        })
      const [level] = data
      if (output.json) return output.data(level)
      if (level) output.line(sentence(level))
    },
  }),
  command({
    name: 'stock set',
    summary: 'set what a stock has of an item',
    arguments: ['STOCK_ID', 'ITEM_ID', 'PIECES'],
    options: { 'back-order': { value: 'yes|no', meaning: 'whether more can be ordered than is there' } },
    notes: [
      'Not below what orders have reserved, unless back-orders are taken. What a count did not find is recorded with `parts count`; what arrived is added with `parts stock arrive`.',
    ],
    examples: ['stock set 1 1024 250', 'stock set 1 1024 0 --back-order yes'],
    run: async ({ arguments: [stock = '', item = '', pieces = ''], options, output, api }) => {
      const of = { stock_id: wholeNumber(stock, 'A stock id'), item_id: wholeNumber(item, 'An item id') }
      const name = 'stock set'
      if (!/^\d{1,10}$/.test(pieces))
        throw wrongUse({ name }, `PIECES must be a whole number of pieces, not '${pieces}'.`)
      const taken = options['back-order']
      if (taken !== undefined && taken !== 'yes' && taken !== 'no')
        throw wrongUse({ name }, `--back-order must be 'yes' or 'no', not '${taken}'.`)
      const back_order = taken === undefined ? undefined : taken === 'yes'
      const level = await api().setStockLevel({ ...of, on_hand: Number(pieces), back_order })
      if (output.json) return output.data(level)
      output.line(sentence(level))
    },
  }),
  command({
    name: 'stock expect',
    summary: 'show or set what a stock expects of an item',
    arguments: ['STOCK_ID', 'ITEM_ID'],
    options: {
      arrival: { value: 'DATE=PIECES', meaning: 'an expected arrival; all of them, if any is given', multiple: true },
      none: { meaning: 'nothing is expected any more' },
    },
    notes: [
      'Dealers see the days on which their quantities can ship. Arrivals change no stock: when goods are there, use `parts stock arrive`, and set what is still expected.',
    ],
    examples: ['stock expect 1 1024', 'stock expect 1 1024 --arrival 2026-11-24=200 --arrival 2026-12-08=200'],
    run: async ({ arguments: [stock = '', item = ''], options, output, api }) => {
      const of = { stock_id: wholeNumber(stock, 'A stock id'), item_id: wholeNumber(item, 'An item id') }
      const given = options.arrival.map(arrivalOf)
      if (options.none && given.length > 0) throw wrongUse({ name: 'stock expect' }, '--none excludes --arrival.')
      const expected =
        options.none || given.length > 0
          ? await api().setArrivals({ ...of, arrivals: given })
          : await api().readArrivals(of)
      if (output.json) return output.data(expected)
      if (expected.arrivals.length === 0) return output.line('Nothing is expected.')
      await output.table(arrivalColumns, expected.arrivals)
    },
  }),
  command({
    name: 'stock times',
    summary: 'set the lead time and the cut-off time of a stock',
    arguments: ['STOCK_ID'],
    options: {
      'lead-days': { value: 'DAYS', meaning: 'open days that it needs before it can ship' },
      'cut-off': { value: 'HH:MM|none', meaning: 'from this time on, the lead time begins a day later' },
    },
    notes: ['What is not given stays. Orders keep the shipping dates that they have.'],
    examples: ['stock times 1 --lead-days 1 --cut-off 14:30', 'stock times 1 --cut-off none'],
    run: async ({ arguments: [stock_id = ''], options, output, api }) => {
      const id = wholeNumber(stock_id, 'A stock id')
      const days = options['lead-days']
      const cutOff = options['cut-off']
      if (days === undefined && cutOff === undefined)
        throw wrongUse({ name: 'stock times' }, 'Give --lead-days or --cut-off.')
      if (days !== undefined && !/^\d{1,2}$/.test(days))
        throw wrongUse({ name: 'stock times' }, `--lead-days must be a number of days, not '${days}'.`)
      let known: OperatorStock | undefined
      for await (const stock of api().listAllStocks()) if (stock.stock_id === id) known = stock
      if (known === undefined) throw new Problem(exitCodes.refused, `There is no stock ${id}.`)
      const { cut_off, lead_days, ...rest } = known
      const kept = cutOff ?? cut_off ?? 'none'
      const stock = await api().putStock({
        ...rest,
        lead_days: days === undefined ? lead_days : Number(days),
        ...(kept !== 'none' && { cut_off: kept }),
      })
      if (output.json) return output.data(stock)
      await output.table(stockColumns, [stock])
    },
  }),
  command({
    name: 'stock closures',
    summary: 'list the days on which a stock is closed',
    arguments: ['STOCK_ID'],
    options: listOptions,
    notes: ['Closed weekdays are shown by `parts stock list`.'],
    examples: ['stock closures 1'],
    run: (call) => {
      const stock_id = wholeNumber(call.arguments[0] ?? '', 'A stock id')
      return showList(call, {
        read: (page) => call.api().listClosures({ stock_id, ...page }),
        columns: closureColumns,
        none: 'The stock is not closed on any day.',
      })
    },
  }),
  closing('stock close', 'close a stock on a day: it ships nothing then', 'closeStock'),
  closing('stock open', 'open a stock again on a day', 'openStock'),
]

function closing(name: string, summary: string, method: 'closeStock' | 'openStock'): Command {
  return command({
    name,
    summary,
    arguments: ['STOCK_ID', 'DATE'],
    notes: ['Shipping dates that orders already have stay as they are: see `parts orders --ship-from --ship-to`.'],
    examples: [`${name} 1 2026-12-24`],
    run: async ({ arguments: [stock = '', day = ''], output, api }) => {
      const stock_id = wholeNumber(stock, 'A stock id')
      if (!/^\d{4}-\d\d-\d\d$/.test(day)) throw wrongUse({ name }, `DATE must be YYYY-MM-DD, not '${day}'.`)
      const closure = await api()[method]({ stock_id, date: day })
      if (output.json) return output.data(closure)
      output.line(`Stock ${stock_id} is ${method === 'closeStock' ? 'closed' : 'open'} on ${day}.`)
    },
  })
}

function arrivalOf(given: string): Arrival {
  const [, date = '', pieces = ''] = /^(\d{4}-\d\d-\d\d)=(\d{1,10})$/.exec(given) ?? []
  if (date === '') throw wrongUse({ name: 'stock expect' }, `--arrival must be YYYY-MM-DD=PIECES, not '${given}'.`)
  return { date, quantity: Number(pieces) }
}

type Row = ImportStockLevelsParams['rows'][number]

/** The service applies a difference once for each key. A refusal names the reason of the only row. */
async function addPieces(api: Api, row: Row, import_key: string): Promise<void> {
  try {
    await api.importStockLevels({ rows: [row], import_key, file_name: 'stock-arrive.ndjson' })
  } catch (error) {
    if (!(error instanceof ConflictError && error.code === 'import_refused')) throw error
    const [refused, reason = refused] = error.errors
    throw new Problem(exitCodes.refused, reason?.message.replace('Line 1: ', '') ?? '', undefined, { cause: error })
  }
}

const sentence = ({ item_vendor_code, stock_name, on_hand, reserved, available, shortage, back_order }: StockLevel) =>
  `${item_vendor_code} in ${stock_name}: ${on_hand} there, ${reserved} reserved, ${available} free${
    shortage > 0 ? `, ${shortage} missing` : ''
  }${back_order ? ', back-orders taken' : ''}.`

const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

const stockColumns: readonly Column<OperatorStock>[] = [
  { title: 'STOCK', of: ({ stock_id }) => stock_id, whole: true },
  { title: 'NAME', of: ({ stock_name }) => stock_name },
  { title: 'LEAD DAYS', of: ({ lead_days }) => lead_days, right: true, whole: true },
  { title: 'CUT-OFF', of: ({ cut_off }) => cut_off ?? '' },
  { title: 'CLOSED ON', of: ({ closed_weekdays }) => closed_weekdays.map((day) => weekdays[day - 1]).join(' ') },
]

const arrivalColumns: readonly Column<Arrival>[] = [
  { title: 'EXPECTED', of: ({ date }) => date, whole: true },
  { title: 'PIECES', of: ({ quantity }) => quantity, right: true, whole: true },
]

const levelColumns: readonly Column<StockLevel>[] = [
  { title: 'STOCK', of: ({ stock_id, stock_name }) => `${stock_id} ${stock_name}` },
  { title: 'ITEM', of: ({ item_id }) => item_id, whole: true },
  { title: 'ARTICLE', of: ({ item_vendor_code }) => item_vendor_code },
  { title: 'THERE', of: ({ on_hand }) => on_hand, right: true, whole: true },
  { title: 'RESERVED', of: ({ reserved }) => reserved, right: true, whole: true },
  { title: 'FREE', of: ({ available }) => available, right: true, whole: true },
  { title: 'MISSING', of: ({ shortage }) => shortage, right: true, whole: true },
  { title: 'BACK-ORDERS', of: ({ back_order }) => (back_order ? 'yes' : 'no'), whole: true },
  { title: 'TITLE', of: ({ item_title }) => item_title },
]

const closureColumns: readonly Column<Closure>[] = [{ title: 'CLOSED', of: ({ date }) => date, whole: true }]
