import { scanMax } from '../../../apps/service/src/catalogue/list-items.ts'
import { operatorItemsPage, type OperatorItemFilter } from '../../../apps/service/src/catalogue/list-operator-items.ts'
import type { ExplainCase } from './explain-case.ts'
import { holdable } from '../../../apps/service/src/vocabulary/order-states.ts'
import type { SampledValues } from './sample.ts'

const retry = { idempotency_key: 'explain', request_digest: '\\xab' }
const by = { actor: 'operator key 1, Explain', request_id: 'req-explain' }
/** A level in forty takes back-orders; half of these are short. */
const shortages = `
  update stock_levels set back_order = true, reserved = on_hand + (item_id / 40) % 2 where item_id % 40 = 0`
const page = { after_id: 0, page_size: 21 }

export function catalogueOperatorExplainCases({ item, stock_id, middle_item_id }: SampledValues): ExplainCase[] {
  const { item_id } = item
  const items = (variant: string, filter: OperatorItemFilter, atLeast: number, after_id = 0): ExplainCase => ({
    statement: 'list-operator-items',
    variant,
    values: { ...operatorItemsPage(filter, after_id, 21) },
    atLeast,
    bound: 5 * scanMax, // Counted, then examined, each with its tests.
  })
  const levels = { after_stock: 0, after_item: 0, page_size: 21 }
  return [
    { statement: 'read-operator-item', variant: '', values: { item_id } },
    items('all', {}, 21),
    items('next page', {}, 21, middle_item_id),
    items('by a rare word', { search: item.model }, 1),
    items('by a common word', { search: 'original' }, 21),
    items('by a rare and a common word', { search: `original ${item.model}` }, 1),
    items('by an article', { search: item.vendor_code }, 1),
    items('of a brand', { brand_id: item.brand_id }, 21),
    items('of a brand, by a common word', { search: 'original', brand_id: item.brand_id }, 1),
    items('without a price', { missing_price: 2 }, 1),
    { ...items('short', { short: true }, 1), prepare: shortages },
    { statement: 'list-prices', variant: '', values: { price_list_id: 1, ...page }, atLeast: 21 },
    { statement: 'list-prices', variant: 'next page', values: { price_list_id: 1, ...page, after_id: middle_item_id } },
    {
      statement: 'set-stock-level',
      variant: '',
      values: { stock: stock_id, item: item_id, counted: 900_000, takes_back_orders: null, expected: null, ...by },
      writes: ['stock_levels', 'catalogue_changes'],
    },
    {
      statement: 'count-stock',
      variant: 'below what is reserved',
      prepare: `update stock_levels set reserved = greatest(reserved, 1) where stock_id = ${stock_id} and item_id = ${item_id}`,
      values: {
        stock: stock_id,
        item: item_id,
        counted: 0,
        reason: 'Lost.',
        holding: holdable,
        lines_max: 2_000,
        expected: null,
        ...retry,
        ...by,
      },
      writes: ['stock_levels', 'catalogue_changes', 'operator_idempotency_keys'],
    },
    {
      statement: 'put-price',
      variant: '',
      values: { price_list_id: 1, item_id, price: 1.5, price_factor: 0, expected: null, confirmed: false, ...by },
      writes: ['prices', 'catalogue_changes'],
    },
    {
      statement: 'list-stock-levels',
      variant: 'all, from the middle',
      values: { ...levels, stock_id: null, item_id: null, after_stock: 1, after_item: middle_item_id },
      atLeast: 20,
    },
    {
      statement: 'list-stock-levels',
      variant: 'one stock',
      values: { ...levels, stock_id, item_id: null },
      atLeast: 20,
    },
    { statement: 'list-stock-levels', variant: 'one item', values: { ...levels, stock_id: null, item_id } },
    {
      statement: 'put-stock',
      variant: '',
      values: { stock_id, stock_name: 'Explain', lead_days: 0, closed_weekdays: [7], ...by },
      writes: ['stocks'],
    },
    {
      statement: 'set-closure',
      variant: '',
      values: { stock_id, date: '2026-12-24', closed: true, ...by },
      writes: ['stock_closed_days', 'catalogue_changes'],
    },
    { statement: 'list-closures', variant: '', values: { stock_id, after_date: '2026-01-01', page_size: 21 } },
    { statement: 'list-all-stocks', variant: '', values: page },
    {
      statement: 'put-price-list',
      variant: '',
      values: { price_list_id: 1, price_list_name: 'Explain', currency_code: 'EUR', ...by },
      writes: ['price_lists'],
    },
    { statement: 'explain-price-list', variant: '', values: { price_list_id: 1, currency_code: 'EUR' } },
    { statement: 'list-price-lists', variant: '', values: page },
    {
      statement: 'put-currency',
      variant: '',
      values: { currency_code: 'EUR', minor_digits: 2, rate: 1, ...by },
      writes: ['currencies'],
    },
    { statement: 'read-currency', variant: '', values: { currency_code: 'EUR' } },
    { statement: 'list-currencies', variant: '', values: {} },
    { statement: 'list-catalogue-changes', variant: '', values: { before_id: 1_000, page_size: 21 }, atLeast: 0 },
  ]
}

export function importExplainCases({ item, stock_id, middle_item_id }: SampledValues): ExplainCase[] {
  const ids = [item.item_id, middle_item_id]
  const import_id = 9_000_000
  const batch = 0
  /** An import in this state, with two batches. */
  const importIn = (kind: string, state: string): string =>
    `insert into imports (import_id, import_kind, mode, import_key, import_state, actor, request_id, digest)
     values (${import_id}, '${kind}', 'rows', 'explain', '${state}', '', '', '');
     insert into import_batches (import_id, batch, columns, rows, differences, counts)
     values (${import_id}, 0, '{}', 2, '{5,-1}', '{0,0}'), (${import_id}, 1, '{}', 2, '{5,-1}', '{0,0}')`
  const items = {
    item_ids: [...ids, 8_999_999],
    product_ids: [1, 2, 8_999_999],
    product_names: ['One', 'Two', 'Three'],
    brand_names: ['Explain', 'Explain', 'Explained'],
    vendor_codes: ['E-1', 'E-2', 'E-3'],
    barcodes: ['1', '2', '3'],
    titles: ['One', 'Two', 'Three'],
    on_sales: ['t', 't', 'f'],
    words: ['one e-1', 'two e-2', 'three e-3'],
  }
  const pair = { lines: [1, 2], item_ids: ids }
  const levels = { import_id, batch, ...pair, stock_ids: [stock_id, stock_id], on_hands: [900_000, 900_001] }
  const batchCase = (
    statement: string,
    kind: string,
    state: string,
    values: ExplainCase['values'],
    writes: string[],
  ): ExplainCase => ({
    statement,
    variant: 'a batch',
    prepare: importIn(kind, state),
    values: { import_id, batch, ...values },
    writes: ['import_batches', ...writes],
  })
  const written = ['items', 'products', 'brands', 'item_words']
  const { product_names: _names, words: _words, ...previewedItems } = items
  /** A finished import with these changes. */
  const changedBy = (kind: string, changes: readonly object[]): string =>
    `insert into imports (import_id, import_kind, mode, import_state, finished_at, rows_changed, actor, request_id)
     values (${import_id}, '${kind}', 'rows', 'done', now(), ${changes.length}, '', '');
     insert into import_changes (import_id, batch, changes) values (${import_id}, 0, '${JSON.stringify(changes)}')`
  /** `imported` makes the row what it is after the import. */
  const undoCase = (kind: string, table: string, imported: string, changes: readonly object[]): ExplainCase => ({
    statement: `undo-${kind}`,
    variant: '',
    prepare: `${imported}; ${changedBy(kind, changes)}`,
    values: { import_id, undo_days: 7, rows_max: 200_000, shown_max: 100, ...by },
    writes: ['imports', table],
  })
  return [
    {
      statement: 'write-items',
      variant: 'single change',
      values: { import_id: null, batch: null, ...items, ...by },
      writes: [...written, 'catalogue_changes'],
    },
    batchCase('write-items', 'items', 'applying', { ...items, ...by }, [...written, 'import_changes']),
    batchCase('preview-items', 'items', 'checking', previewedItems, ['import_changes']),
    batchCase('preview-prices', 'prices', 'checking', { ...pair, price_list_ids: [1, 1], prices: [1.5, 2.5] }, [
      'import_changes',
    ]),
    batchCase(
      'preview-stock-levels',
      'stock-levels',
      'checking',
      { ...levels, on_hands: [0, 900_000], differences: ['0', '0'] },
      ['import_changes'],
    ),
    undoCase('prices', 'prices', `update prices set price = 2 where price_list_id = 1 and item_id = ${item.item_id}`, [
      { price_list_id: 1, item_id: item.item_id, before: 1, after: 2 },
    ]),
    undoCase('items', 'items', `update items set version = 99 where item_id = ${item.item_id}`, [
      { item_id: item.item_id, version: 99, before: null },
    ]),
    undoCase(
      'stock-levels',
      'stock_levels',
      `update stock_levels set counts = 99, on_hand = on_hand + 1 where stock_id = ${stock_id} and item_id = ${item.item_id}`,
      [{ stock_id, item_id: item.item_id, difference: 1, counts: 99 }],
    ),
    {
      statement: 'find-articles',
      variant: '',
      values: { articles: [item.vendor_code, 'none'], brands: ['Explain', null] },
      atLeast: 2,
    },
    {
      statement: 'list-import-changes',
      variant: '',
      prepare: changedBy('prices', [{ item_id: 1 }, { item_id: 2 }]),
      values: { import_id, after_batch: 0, after_place: 0, page_size: 21 },
      atLeast: 2,
    },
    { statement: 'stop-import', variant: '', prepare: importIn('items', 'checking'), values: { import_id } },
    {
      statement: 'expire-import-changes',
      variant: 'all are old',
      prepare: changedBy('prices', [{ item_id: 1 }]),
      values: { undo_days: -1 },
      writes: ['import_changes'],
    },
    {
      statement: 'expire-imports',
      variant: 'all are old',
      prepare: `
        insert into imports (import_id, import_kind, mode, import_state, actor, request_id, finished_at)
        values (${import_id}, 'items', 'all', 'refused', '', '', now());
        insert into import_errors (import_id, line, code, details) values (${import_id}, 1, 'item_not_found', '{}')`,
      values: { kept_days: -1 },
      writes: ['imports', 'import_errors'],
    },
    batchCase('check-prices', 'prices', 'checking', { ...pair, price_list_ids: [1, 999] }, ['import_errors']),
    batchCase(
      'write-prices',
      'prices',
      'applying',
      { ...pair, price_list_ids: [1, 1], prices: [1.5, 2.5], refused: [] },
      ['prices', 'import_changes'],
    ),
    batchCase(
      'lower-stock-levels',
      'stock-levels',
      'checking',
      { ...levels, on_hands: [0, 900_000], differences: ['0', '0'] },
      ['import_batches'],
    ),
    batchCase('raise-stock-levels', 'stock-levels', 'applying', levels, ['stock_levels', 'import_changes']),
    batchCase('restore-stock-levels', 'stock-levels', 'undoing', levels, ['stock_levels']),
    {
      statement: 'open-import',
      variant: '',
      values: { import_kind: 'items', mode: 'all', dry_run: false, file_name: null, ...by },
      writes: ['imports'],
    },
    {
      statement: 'store-batch',
      variant: '',
      prepare: importIn('items', 'receiving'),
      values: { import_id, batch: 2, columns: '{}', rows: 1, errors: '[{"line":1,"place":0,"code":"x","details":{}}]' },
      writes: ['imports', 'import_batches', 'import_errors'],
    },
    {
      statement: 'complete-import',
      variant: '',
      prepare: importIn('items', 'receiving'),
      values: { import_id, import_key: null, digest: '\\x00', file_format: '{}' },
      writes: ['imports'],
    },
    {
      statement: 'drop-import',
      variant: '',
      prepare: importIn('items', 'receiving'),
      values: { import_id },
      writes: ['imports'],
    },
    {
      statement: 'find-import-by-key',
      variant: '',
      prepare: importIn('items', 'checking'),
      values: { import_kind: 'items', import_key: 'explain' },
    },
    {
      statement: 'read-import',
      variant: '',
      prepare: importIn('items', 'checking'),
      values: { import_id, undo_days: 7 },
    },
    {
      statement: 'list-imports',
      variant: '',
      prepare: importIn('items', 'checking'),
      values: { before_id: import_id + 1, page_size: 21, undo_days: 7 },
    },
    {
      statement: 'list-import-errors',
      variant: '',
      values: { import_id, after_line: 0, after_place: 0, page_size: 21 },
      atLeast: 0,
    },
    {
      statement: 'pending-batches',
      variant: '',
      prepare: importIn('items', 'checking'),
      values: { import_id, import_state: 'checking' },
      atLeast: 2,
    },
    { statement: 'read-batch', variant: '', prepare: importIn('items', 'checking'), values: { import_id, batch } },
    {
      statement: 'unfinished-imports',
      variant: '',
      prepare: importIn('items', 'checking'),
      values: { silent_seconds: -1 },
    },
    {
      statement: 'drop-cut-off-imports',
      variant: '',
      prepare: importIn('items', 'receiving'),
      values: { silent_seconds: -1 },
      writes: ['imports'],
    },
    {
      statement: 'advance-import',
      variant: 'to its end',
      prepare: importIn('items', 'applying'),
      values: { import_id, import_state: 'applying', batchwise: false },
      writes: ['imports', 'import_batches', 'catalogue_changes'],
    },
    {
      statement: 'fail-import',
      variant: '',
      prepare: importIn('items', 'applying'),
      values: { import_id, import_state: 'applying' },
      writes: ['imports', 'import_batches'],
    },
    { statement: 'keep-alive', variant: '', prepare: importIn('items', 'checking'), values: { import_id } },
  ]
}
