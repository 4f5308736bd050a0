/** Lists as CSV files. */
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { openAs } from '../api.ts'
import { command, wrongUse } from '../command.ts'
import { errorMessage, exitCodes, Problem } from '../problem.ts'

/** The lists by name, and what stands in their path. */
const lists: Readonly<Record<string, string>> = {
  orders: '/operator/v1/orders/',
  inbox: '/operator/v1/inbox/',
  adjustments: '/operator/v1/adjustments/',
  'return-requests': '/operator/v1/return-requests/',
  clients: '/operator/v1/clients/',
  items: '/operator/v1/items/',
  prices: '/operator/v1/price-lists/{id}/prices/',
  'price-lists': '/operator/v1/price-lists/',
  'stock-levels': '/operator/v1/stock-levels/',
  stocks: '/operator/v1/stocks/',
  'pick-list': '/operator/v1/stocks/{id}/pick-list/',
  log: '/operator/v1/log/',
  'catalogue-changes': '/operator/v1/catalogue-changes/',
  imports: '/operator/v1/imports/',
  'import-errors': '/operator/v1/imports/{id}/errors/',
  'import-changes': '/operator/v1/imports/{id}/changes/',
  webhooks: '/operator/v1/webhooks/',
  audit: '/operator/v1/audit/',
}

export const exportCommand = command({
  name: 'export',
  summary: 'write a whole list as CSV',
  arguments: ['LIST'],
  options: {
    id: {
      value: 'ID',
      meaning: 'the price list, stock or import, for prices, pick-list, import-errors, import-changes',
    },
    filter: {
      value: 'NAME=VALUE',
      meaning: 'a filter of the list, as in the API reference; may be repeated with another name',
      multiple: true,
    },
    separator: { value: 'NAME', meaning: 'comma, semicolon or tab (default: comma; semicolon with --decimal-comma)' },
    'decimal-comma': { meaning: 'write a comma before decimal places' },
    bom: { meaning: 'begin with a byte order mark, by which Excel recognises UTF-8' },
    out: { value: 'FILE', meaning: 'write to this file (default: standard output)' },
  },
  notes: [
    `LIST is one of ${Object.keys(lists).join(', ')}.`,
    'The list is streamed, so its size does not matter. A text that begins with =, +, - or @ has an apostrophe before it, because a spreadsheet would calculate it; so has each part after a separator.',
  ],
  examples: [
    'export orders --filter state=new,processing --out orders.csv',
    'export prices --id 1 --decimal-comma --bom --out prices.csv',
    'export stock-levels > levels.csv',
  ],
  run: async ({ arguments: [list = ''], options, output, api }) => {
    const path = lists[list]
    if (path === undefined)
      throw wrongUse(exportCommand, `LIST must be one of ${Object.keys(lists).join(', ')}, not '${list}'.`)
    if (path.includes('{id}') !== (options.id !== undefined))
      throw wrongUse(exportCommand, path.includes('{id}') ? `${list} needs --id.` : `${list} takes no --id.`)
    const query = {
      ...filtersOf(options.filter),
      csv_separator: options.separator,
      csv_decimal: options['decimal-comma'] ? 'comma' : undefined,
      csv_bom: options.bom ? 'true' : undefined,
    }
    const body = await openAs(api(), 'text/csv', path.replace('{id}', encodeURIComponent(options.id ?? '')), query)
    try {
      await pipeline(body, options.out === undefined ? process.stdout : createWriteStream(options.out), {
        end: options.out !== undefined,
      })
    } catch (error) {
      if (errorMessage(error).includes('EPIPE')) return // The reader, such as `head`, has enough.
      throw new Problem(exitCodes.unreachable, `The list is not complete: ${errorMessage(error)}.`, 'Run it again.')
    }
    if (options.out !== undefined) output.note(`Wrote ${options.out}.`)
  },
})

function filtersOf(texts: readonly string[]): Record<string, string> {
  const filters: Record<string, string> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) throw new Problem(exitCodes.usage, `--filter must be NAME=VALUE, not '${text}'.`)
    const name = text.slice(0, at)
    if (name in filters) throw new Problem(exitCodes.usage, `--filter ${name} is given twice.`)
    filters[name] = text.slice(at + 1)
  }
  return filters
}
