import { createReadStream, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { ConflictError, type Import, type ImportKind, type SentFile } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse, type Call } from '../command.ts'
import { formatCount } from '../format.ts'
import { rowsOf } from '../list.ts'
import { isTransient } from '../lost-answers.ts'
import { exitCodes, errorMessage, Problem } from '../problem.ts'
import { makeProgress, noProgress, type Progress } from '../progress.ts'
import { jsonLine } from '../text.ts'
import { followImport, pollSeconds } from './follow-import.ts'

const kinds: readonly ImportKind[] = ['items', 'prices', 'stock-levels', 'arrivals', 'substitutes']
const types = new Map<string, SentFile['type']>([
  ['csv', 'text/csv'],
  ['ndjson', 'application/x-ndjson'],
  ['jsonl', 'application/x-ndjson'],
])

const options = {
  kind: { value: 'KIND', meaning: `${kinds.join(', ')} (default: from the file name)` },
  format: { value: 'FORMAT', meaning: 'csv or ndjson (default: from the file extension)' },
  rows: { meaning: 'import the valid rows and skip the others; by default, one invalid row refuses the whole file' },
  'import-key': {
    value: 'TEXT',
    meaning: 'idempotency key: the same file with the same key is imported only once; required for stock differences',
  },
  'dry-run': { meaning: 'only check the file and report what would change' },
  encoding: { value: 'NAME', meaning: 'utf-8, utf-16le, utf-16be, windows-1252 or windows-1251 (default: detected)' },
  separator: { value: 'NAME', meaning: 'comma, semicolon or tab, between the columns of CSV (default: detected)' },
  decimal: { value: 'NAME', meaning: 'point or comma, in the numbers of CSV (default: detected)' },
  'errors-max': { value: 'N', meaning: 'print at most N invalid rows (default: all)' },
} as const

type ImportCall = Call<typeof options>

export const importCommand = command({
  name: 'import',
  summary: 'import items, prices, stock or substitutes from a file',
  arguments: ['FILE'],
  options,
  notes: [
    'The file is streamed, so its size does not matter. Each invalid row is printed as FILE:LINE: MESSAGE, and the exit code is 4. Nothing is imported then, or, with --rows, all other rows are.',
    'Items may have the columns quantity_min and quantity_multiple, and prices the column price_breaks, such as 10:98.50 50:92.10 (from 10 pieces on 98.50); none removes them. Arrivals have the columns stock_id, item_id or article, and arrivals, such as 2026-11-24:200 2026-12-01:40; substitutes have replaced_by and substitutes, such as 1025 1026.',
    'With --json, the finished import is printed to standard output and each invalid row to standard error, one JSON value per line.',
  ],
  examples: [
    'import items.csv',
    'import prices.csv --dry-run',
    'import prices.ndjson --rows --errors-max 20',
    'import /dev/stdin --kind stock-levels --format csv < levels.csv',
  ],
  run: async (call) => {
    const request = readRequest(call)
    const progress = call.output.json ? noProgress : makeProgress(process.stderr, unitOf)
    const finished = await carryOut(call, request, progress)
    if (finished.rows_refused > 0) await printInvalidRows(call, request, finished)
    report(call, request, finished)
    return finished.rows_refused > 0 ? exitCodes.rowsRefused : exitCodes.done
  },
})

const unitOf = (phase: string): 'bytes' | 'rows' => (phase === 'sending' ? 'bytes' : 'rows')

interface ImportRequest {
  readonly file: string
  /** Undefined for a pipe. */
  readonly bytes: number | undefined
  readonly errorsMax: number
  readonly sent: Omit<SentFile, 'body'>
}

/** Finds mistakes before anything is sent. */
function readRequest({ arguments: [file = ''], options: chosen }: ImportCall): ImportRequest {
  const { 'errors-max': errorsMax } = chosen
  return {
    file,
    bytes: bytesOf(file),
    errorsMax: errorsMax === undefined ? Infinity : wholeNumber(errorsMax, '--errors-max'),
    sent: {
      kind: kindOf(file, chosen.kind),
      type: typeOf(file, chosen.format),
      mode: chosen.rows ? 'rows' : 'all',
      import_key: chosen['import-key'],
      dry_run: chosen['dry-run'] || undefined,
      file_name: basename(file),
      // The service refuses other words.
      encoding: chosen.encoding as SentFile['encoding'],
      separator: chosen.separator as SentFile['separator'],
      decimal: chosen.decimal as SentFile['decimal'],
      wait: pollSeconds,
    },
  }
}

function kindOf(file: string, given: string | undefined): ImportKind {
  const name = basename(file).toLowerCase().replaceAll('_', '-')
  const matching = kinds.filter((kind) => (given === undefined ? name.includes(kind) : kind === given))
  if (matching.length === 1 && matching[0] !== undefined) return matching[0]
  throw wrongUse(
    importCommand,
    given === undefined
      ? `Cannot derive the kind from the file name '${file}': use --kind ${kinds.join(', --kind ')}.`
      : `--kind must be one of ${kinds.join(', ')}, not '${given}'.`,
  )
}

function typeOf(file: string, given: string | undefined): SentFile['type'] {
  const type = types.get(given ?? extname(file).slice(1).toLowerCase())
  if (type !== undefined) return type
  throw wrongUse(
    importCommand,
    given === undefined
      ? `Cannot derive the format from the file name '${file}': use --format csv or --format ndjson.`
      : `--format must be csv or ndjson, not '${given}'.`,
  )
}

function bytesOf(file: string): number | undefined {
  try {
    const stats = statSync(file)
    if (stats.isDirectory()) throw new Error('it is a directory')
    return stats.isFile() ? stats.size : undefined
  } catch (error) {
    throw unreadable(file, error)
  }
}

const unreadable = (file: string, error: unknown): Problem =>
  new Problem(exitCodes.usage, `Cannot read '${file}': ${errorMessage(error)}.`)

// Rows are absolute values, and rows with differences require an idempotency key.
const repeatAdvice = 'The import may continue in the service. Running the same command again applies nothing twice.'

/** Sends the file and waits until the import is finished. */
async function carryOut(call: ImportCall, request: ImportRequest, progress: Progress): Promise<Import> {
  const { api, output, mayBeDone, problemOf } = call
  const interrupted = (): void => {
    progress.end()
    output.note(repeatAdvice)
    process.exit(exitCodes.interrupted)
  }
  process.once('SIGINT', interrupted)
  let started: Import | undefined
  try {
    const body = read(request, progress)
    started = await api().imports.sendFile({ ...request.sent, body })
    return await followImport(api(), started, progress)
  } catch (error) {
    if (error instanceof ConflictError && error.code === 'import_refused')
      return await api().readImport({ import_id: error.details.import_id })
    const mayContinue = started === undefined ? mayBeDone(error) : isTransient(error)
    throw mayContinue ? problemOf(error, repeatAdvice) : error
  } finally {
    progress.end()
    process.off('SIGINT', interrupted)
  }
}

async function* read({ file, bytes }: ImportRequest, progress: Progress): AsyncGenerator<Buffer> {
  let sent = 0
  progress.show('sending', sent, bytes)
  try {
    const stream: AsyncIterable<Buffer> = createReadStream(file)
    for await (const chunk of stream) {
      sent += chunk.length
      yield chunk
      progress.show('sending', sent, bytes)
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

async function printInvalidRows(
  { api, output }: ImportCall,
  { file, errorsMax }: ImportRequest,
  { import_id }: Import,
): Promise<void> {
  const errors = rowsOf((page) => api().listImportErrors({ import_id, ...page }), errorsMax)
  let next = await errors.next()
  for (; next.done !== true; next = await errors.next()) {
    const { line, message } = next.value
    if (output.json) process.stderr.write(`${jsonLine(next.value)}\n`)
    else output.note(`${file}:${line}: ${message}`)
  }
  if (next.value && !output.json) output.note('There are more invalid rows: --errors-max N prints N of them.')
}

function report({ output }: ImportCall, { file }: ImportRequest, finished: Import): void {
  const { import_id, import_state, rows, rows_refused: refused, rows_added, rows_changed, rows_unchanged } = finished
  if (output.json) output.data(finished)
  if (import_state === 'failed')
    throw new Problem(
      exitCodes.unreachable,
      `The service could not finish import ${import_id}; some rows may have been written.`,
      'This is a bug in the service: please report it.',
    )
  if (output.json) return
  if (import_state === 'refused')
    output.note(
      `parts: Nothing was imported: ${formatCount(refused)} of ${formatCount(rows)} rows of ${file} are invalid.`,
      'red',
    )
  else if (finished.dry_run)
    output.line(
      `Dry run, nothing was imported: ${formatCount(rows_added)} rows would be added, ${formatCount(rows_changed)} changed, ${formatCount(rows_unchanged)} unchanged${refused > 0 ? `; ${formatCount(refused)} are invalid` : ''}. \`parts imports changes ${import_id}\` lists them.`,
    )
  else if (import_state === 'stopped')
    output.note(
      `parts: Import ${import_id} was stopped: ${formatCount(rows_added)} rows were added and ${formatCount(rows_changed)} changed before.`,
      'red',
    )
  else
    output.line(
      `Imported ${formatCount(rows - refused)} of ${formatCount(rows)} rows: ${formatCount(rows_added)} added, ${formatCount(rows_changed)} changed, ${formatCount(rows_unchanged)} unchanged${refused > 0 ? `; ${formatCount(refused)} refused` : ''}.`,
    )
}
