/** Imports: their batches, what they change, undoing them. */
import type { CaseValues, ExplainCase, ExplainCases } from './explain-case.ts'
import type { Sample } from './sample.ts'
import { import_id } from './values.ts'

/** An import in this state, with two batches. */
const importIn = (state: string, kind = 'items'): string =>
  `insert into imports (import_id, import_kind, mode, import_key, import_state, actor, request_id, digest)
   values (${import_id}, '${kind}', 'rows', 'explain', '${state}', '', '', '');
   insert into import_batches (import_id, batch, columns, rows, differences, counts)
   values (${import_id}, 0, '{}', 2, '{5,-1}', '{0,0}'), (${import_id}, 1, '{}', 2, '{5,-1}', '{0,0}')`

/** A finished import with these changes. */
const importOf = (kind: string, changes: readonly object[]): string =>
  `insert into imports (import_id, import_kind, mode, import_state, finished_at, rows_changed, actor, request_id)
   values (${import_id}, '${kind}', 'rows', 'done', now(), ${changes.length}, '', '');
   insert into import_changes (import_id, batch, changes) values (${import_id}, 0, '${JSON.stringify(changes)}')`

const oldImport = `
  insert into imports (import_id, import_kind, mode, import_state, actor, request_id, finished_at)
  values (${import_id}, 'items', 'all', 'refused', '', '', now());
  insert into import_errors (import_id, line, code, details) values (${import_id}, 1, 'item_not_found', '{}')`

export function importCases({ item_id, middle_item_id, vendor_code, stock_id }: Sample): ExplainCases {
  const receiving = { prepare: importIn('receiving') }
  const checking = { prepare: importIn('checking') }
  const applying = { prepare: importIn('applying') }
  return {
    ...batchCases([item_id, middle_item_id], stock_id),
    ...undoCases(item_id, stock_id),
    'find-articles': { values: { articles: [vendor_code, 'none'], brands: ['Explain', null] }, atLeast: 2 },
    'open-import': { values: { import_kind: 'items', mode: 'all' }, writes: 'imports' },
    'store-batch': {
      ...receiving,
      values: { batch: 2, columns: '{}', rows: 1, errors: '[{"line":1,"place":0,"code":"x","details":{}}]' },
      writes: 'imports import_batches import_errors',
    },
    'complete-import': {
      ...receiving,
      values: { digest: '\\x00', file_format: '{}' },
      writes: 'imports audit_entries',
    },
    'drop-import': { ...receiving, writes: 'imports' },
    'drop-cut-off-imports': { ...receiving, values: { silent_seconds: -1 }, writes: 'imports' },
    'stop-import': { ...checking, writes: 'imports audit_entries' },
    'find-import-by-key': { ...checking, values: { import_kind: 'items', import_key: 'explain' } },
    'read-import': checking,
    'list-imports': checking,
    'list-import-errors': { atLeast: 0 },
    'pending-batches': { ...checking, values: { import_state: 'checking' }, atLeast: 2 },
    'read-batch': checking,
    'unfinished-imports': { ...checking, values: { silent_seconds: -1 } },
    'keep-alive': checking,
    'advance-import, to its end': {
      ...applying,
      values: { import_state: 'applying', batchwise: false },
      writes: 'imports import_batches catalogue_changes',
    },
    'fail-import': { ...applying, values: { import_state: 'applying' }, writes: 'imports import_batches' },
    'list-import-changes': { prepare: importOf('prices', [{ item_id: 1 }, { item_id: 2 }]), atLeast: 2 },
    'expire-import-changes, all are old': {
      prepare: importOf('prices', [{ item_id: 1 }]),
      values: { undo_days: -1 },
      writes: 'import_changes',
    },
    'expire-imports, all are old': { prepare: oldImport, values: { kept_days: -1 }, writes: 'imports import_errors' },
  }
}

function batchCases(ids: readonly [number, number], stock_id: number): ExplainCases {
  const batch = (prepare: string, values: CaseValues, writes: string): ExplainCase => ({
    prepare,
    values,
    writes: `import_batches ${writes}`,
  })
  // prettier-ignore
  const items = {
    item_ids: [...ids, 8_999_999], product_ids: [1, 2, 8_999_999], vendor_codes: ['E-1', 'E-2', 'E-3'],
    barcodes: ['1', '2', '3'], titles: ['One', 'Two', 'Three'], brand_names: ['Explain', 'Explain', 'Explained'],
    on_sales: ['t', 't', 'f'], quantity_mins: [null, 20, 1], quantity_multiples: [null, 10, 1],
  }
  const written = { ...items, product_names: items.titles, words: ['one e-1', 'two e-2', 'three e-3'] }
  const prices = { lines: [1, 2], item_ids: ids, price_list_ids: [1, 1] }
  const priced = { ...prices, prices: [1.5, 2.5], break_quantities: ['{10,50}', null], break_prices: ['{1,0.5}', null] }
  const levels = { item_ids: ids, stock_ids: [stock_id, stock_id] }
  const raised = { ...levels, on_hands: [900_000, 900_001] }
  const lowered = { ...levels, lines: [1, 2], on_hands: [0, 900_000], differences: ['0', '0'] }
  const expected = { ...levels, lines: [1, 2], arrivals: ['[{"date": "2031-11-24", "quantity": 40}]', '[]'] }
  const [first, second] = ids
  const standing = {
    item_ids: ids,
    lines: [1, 2],
    named: [second, first].map((id) => `{"replaced_by": ${id}, "substitutes": []}`),
  }
  const dry = `update imports set dry_run = true where import_id = ${import_id}`
  const checking = (kind: string): string => importIn('checking', kind)
  const applying = (kind: string): string => importIn('applying', kind)
  return {
    'write-items, single change': {
      values: written,
      writes: 'items products brands item_words catalogue_changes',
    },
    'write-items, a batch': batch(
      applying('items'),
      { ...written, import_id, batch: 0 },
      'items products brands item_words import_changes',
    ),
    'preview-items': batch(checking('items'), items, 'import_changes'),
    'check-prices': batch(checking('prices'), { ...prices, price_list_ids: [1, 999] }, 'import_errors'),
    'preview-prices': batch(checking('prices'), priced, 'import_changes'),
    'write-prices': batch(applying('prices'), { ...priced, refused: [] }, 'prices import_changes'),
    'preview-stock-levels': batch(checking('stock-levels'), lowered, 'import_changes'),
    'lower-stock-levels': batch(checking('stock-levels'), lowered, ''),
    'raise-stock-levels': batch(applying('stock-levels'), raised, 'stock_levels import_changes'),
    'restore-stock-levels': batch(importIn('undoing', 'stock-levels'), levels, 'stock_levels'),
    'check-arrivals': batch(`${checking('arrivals')}; ${dry}`, expected, 'import_changes'),
    'write-arrivals': batch(applying('arrivals'), { ...expected, refused: [] }, 'stock_arrivals import_changes'),
    'check-substitutes': batch(`${checking('substitutes')}; ${dry}`, standing, 'import_changes'),
    'write-substitutes': batch(
      applying('substitutes'),
      { ...standing, refused: [] },
      'item_substitutes import_changes',
    ),
  }
}

function undoCases(item_id: number, stock_id: number): ExplainCases {
  /** `imported` makes the row what it is after the import. */
  const undo = (kind: string, table: string, imported: string, change: object): ExplainCase => ({
    prepare: `update ${table} set ${imported} and item_id = ${item_id}; ${importOf(kind, [{ item_id, ...change }])}`,
    values: { rows_max: 200_000, shown_max: 100 },
    writes: `imports ${table}`,
  })
  const price = { price_list_id: 1, before: 1, after: 2 }
  const level = { stock_id, difference: 1, counts: 99 }
  const expected = [{ date: '2031-11-24', quantity: 40 }]
  const standing = { replaced_by: 1, substitutes: [] }
  return {
    'undo-arrivals': {
      prepare: `insert into stock_arrivals values (${stock_id}, ${item_id}, '2031-11-24', 40); ${importOf('arrivals', [{ stock_id, item_id, before: null, after: expected }])}`,
      values: { rows_max: 20_000, shown_max: 100 },
      writes: 'imports stock_arrivals',
    },
    'undo-substitutes': {
      prepare: `insert into item_substitutes values (${item_id}, 0, 1); ${importOf('substitutes', [{ item_id, before: null, after: standing }])}`,
      values: { rows_max: 20_000, shown_max: 100 },
      writes: 'imports item_substitutes',
    },
    'undo-prices': undo('prices', 'prices', 'price = 2 where price_list_id = 1', price),
    'undo-items': undo('items', 'items', 'version = 99 where true', { version: 99, before: null }),
    'undo-stock-levels': undo(
      'stock-levels',
      'stock_levels',
      `counts = 99, on_hand = on_hand + 1 where stock_id = ${stock_id}`,
      level,
    ),
  }
}
