/** Imports that were sent: what became of them, stopping and undoing. */
import type { Import } from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { formatCount } from '../format.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

const idOf = ([text = '']: readonly string[]): number => wholeNumber(text, 'An import id')

const importColumns: readonly Column<Import>[] = [
  { title: 'IMPORT', of: ({ import_id }) => import_id, right: true, whole: true },
  { title: 'KIND', of: ({ import_kind }) => import_kind, whole: true },
  { title: 'STATE', of: ({ import_state, dry_run }) => (dry_run ? `${import_state} (dry run)` : import_state) },
  { title: 'ROWS', of: ({ rows_done, rows }) => (rows_done === rows ? rows : `${rows_done}/${rows}`), right: true },
  { title: 'ADDED', of: ({ rows_added }) => rows_added, right: true, whole: true },
  { title: 'CHANGED', of: ({ rows_changed }) => rows_changed, right: true, whole: true },
  { title: 'REFUSED', of: ({ rows_refused }) => rows_refused, right: true, whole: true },
  { title: 'BEGUN', of: ({ created_at }) => created_at },
  { title: 'FILE', of: ({ file_name }) => file_name },
  { title: 'BY', of: ({ actor }) => actor },
]

const listCommand = command({
  name: 'imports list',
  summary: 'list imports, newest first',
  options: listOptions,
  notes: ['While an import is in progress, ROWS shows how many of its rows are handled in its present state.'],
  examples: ['imports list --limit 5', 'imports list --all --json | jq .import_state'],
  run: (call) =>
    showList(call, {
      read: (page) => call.api().listImports(page),
      columns: importColumns,
      none: 'There are no imports.',
    }),
})

const showCommand = command({
  name: 'imports show',
  summary: 'show an import',
  arguments: ['IMPORT'],
  examples: ['imports show 7'],
  run: async ({ arguments: given, output, api }) => {
    const import_id = idOf(given)
    const found = await api().readImport({ import_id })
    if (output.json) return output.data(found)
    const { file_format: format } = found
    output.pairs([
      ['import', `${found.import_id} (${found.import_kind}, mode ${found.mode}${found.dry_run ? ', dry run' : ''})`],
      ['state', found.import_state],
      ['file', found.file_name ?? 'not named'],
      [
        'read as',
        [format?.encoding, format?.separator, format?.decimal].filter((part) => part !== undefined).join(' '),
      ],
      ['rows', `${formatCount(found.rows_done)} of ${formatCount(found.rows)}`],
      ['figures', figuresOf(found)],
      ['begun', `${found.created_at} by ${found.actor}`],
      ['ended', found.finished_at ?? 'not yet'],
      ['can be undone', found.undoable ? 'yes, if nothing has changed since' : 'no'],
    ])
  },
})

const figuresOf = ({ rows_added, rows_changed, rows_refused }: Import): string =>
  `${formatCount(rows_added)} added, ${formatCount(rows_changed)} changed, ${formatCount(rows_refused)} refused`

const changesCommand = command({
  name: 'imports changes',
  summary: 'list what an import changed, or would change',
  arguments: ['IMPORT'],
  options: listOptions,
  examples: ['imports changes 7 --limit 20'],
  run: (call) => {
    const import_id = idOf(call.arguments)
    return showList(call, {
      read: (page) => call.api().listImportChanges({ import_id, ...page }),
      columns: [
        { title: 'ITEM', of: ({ item_id }) => item_id, right: true, whole: true },
        { title: 'LIST', of: ({ price_list_id }) => price_list_id, right: true, whole: true },
        { title: 'STOCK', of: ({ stock_id }) => stock_id, right: true, whole: true },
        { title: 'CHANGE', of: ({ change }) => change, whole: true },
        { title: 'BEFORE', of: ({ before }) => textOf(before) },
        { title: 'AFTER', of: ({ after }) => textOf(after) },
      ],
      none: 'Nothing was changed, or it is no longer recorded.',
    })
  },
})

const textOf = (values: object | null): string =>
  Object.entries(values ?? {})
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(', ')

const stopCommand = command({
  name: 'imports stop',
  summary: 'stop an import that is in progress',
  arguments: ['IMPORT'],
  notes: ['What was written before stays; `parts imports undo` takes it back.'],
  examples: ['imports stop 7'],
  run: async ({ arguments: given, output, api }) => {
    const import_id = idOf(given)
    const stopped = await api().stopImport({ import_id })
    if (output.json) return output.data(stopped)
    output.line(`Import ${stopped.import_id} is ${stopped.import_state}: ${figuresOf(stopped)}.`)
  },
})

const undoCommand = command({
  name: 'imports undo',
  summary: 'restore what was before an import',
  arguments: ['IMPORT'],
  notes: [
    'Everything is restored, or nothing: nothing if a row has changed since. Added prices are deleted; added items stay, but are taken off sale.',
  ],
  examples: ['imports undo 7'],
  run: async ({ arguments: given, output, api }) => {
    const import_id = idOf(given)
    const undone = await api().undoImport({ import_id })
    if (output.json) return output.data(undone)
    output.line(`Import ${undone.import_id} is undone: ${figuresOf(undone)} before.`)
  },
})

export const importsCommands = [listCommand, showCommand, changesCommand, stopCommand, undoCommand]
