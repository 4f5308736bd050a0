import { createReadStream, statSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Import, ImportError } from '../../../service/src/imports/import.ts'
import { command, wholeNumber, wrongUse, type Call } from '../command.ts'
import { formatCount } from '../format.ts'
import { exitCodes, NotReached, Problem, RefusedByService } from '../problem.ts'
import { makeProgress, noProgress, type Progress } from '../progress.ts'
import type { Service } from '../service.ts'
import { jsonLine } from '../text.ts'

const kinds = ['items', 'prices', 'stock-levels'] as const
const types = new Map([
  ['csv', 'text/csv'],
  ['ndjson', 'application/x-ndjson'],
  ['jsonl', 'application/x-ndjson'],
])

const options = {
  kind: { value: 'KIND', meaning: `${kinds.join(', ')}; guessed from the name of the file if not given` },
  format: { value: 'FORMAT', meaning: 'csv or ndjson; by the ending of the name if not given' },
  rows: { meaning: 'imports the good rows and leaves out the bad ones; otherwise one bad row stops all of them' },
  'import-key': {
    value: 'TEXT',
    meaning:
      'names this import: the same file with the same key is not imported twice; needed for differences of stock',
  },
  'errors-max': { value: 'N', meaning: 'prints N bad rows at most; all of them if not given' },
} as const

type ImportCall = Call<typeof options>

export const importCommand = command({
  name: 'import',
  summary: 'import items, prices or stock levels from a file',
  arguments: ['FILE'],
  options,
  notes: [
    'The file is sent as it is read, however large it is. Each bad row is printed as FILE:LINE: what is wrong with it. If there was one, the exit code is 4: then nothing was imported, or, with --rows, all the others were.',
    'With --json the import is printed when it is finished, and bad rows go to standard error, one JSON value a line.',
  ],
  examples: [
    'import items.csv',
    'import prices.ndjson --rows --errors-max 20',
    'import /dev/stdin --kind stock-levels --format csv < levels.csv',
  ],
  run: async (call) => {
    const wish = wishOf(call)
    const progress = call.output.json ? noProgress : makeProgress(process.stderr, unitOf)
    const finished = await carryOut(call, wish, progress)
    if (finished.rows_refused > 0) await printBadRows(call, wish, finished)
    report(call, wish, finished)
    return finished.rows_refused > 0 ? exitCodes.rowsRefused : exitCodes.done
  },
})

const unitOf = (phase: string): 'bytes' | 'rows' => (phase === 'sending' ? 'bytes' : 'rows')

interface ImportOptions {
  readonly file: string
  readonly kind: string
  readonly type: string
  /** Undefined for what is not a file, such as a pipe. */
  readonly bytes: number | undefined
  readonly mode: 'all' | 'rows'
  readonly import_key: string | undefined
  readonly errorsMax: number
}

/** All that can be wrong with it is told before anything is sent. */
function wishOf({ arguments: [file = ''], options: chosen }: ImportCall): ImportOptions {
  const { 'errors-max': most, 'import-key': import_key } = chosen
  return {
    file,
    kind: kindOf(file, chosen.kind),
    type: typeOf(file, chosen.format),
    bytes: bytesOf(file),
    mode: chosen.rows ? 'rows' : 'all',
    import_key,
    errorsMax: most === undefined ? Infinity : wholeNumber(most, '--errors-max'),
  }
}

function kindOf(file: string, given: string | undefined): string {
  const name = basename(file).toLowerCase().replaceAll('_', '-')
  const fitting = kinds.filter((kind) => (given === undefined ? name.includes(kind) : kind === given))
  if (fitting.length === 1 && fitting[0] !== undefined) return fitting[0]
  throw wrongUse(
    importCommand,
    given === undefined
      ? `The name '${file}' does not tell what is in the file: say --kind ${kinds.join(', --kind ')}.`
      : `--kind must be one of ${kinds.join(', ')}, not '${given}'.`,
  )
}

function typeOf(file: string, given: string | undefined): string {
  const type = types.get(given ?? extname(file).slice(1).toLowerCase())
  if (type !== undefined) return type
  throw wrongUse(
    importCommand,
    given === undefined
      ? `The name '${file}' ends neither in .csv nor in .ndjson: say --format csv or --format ndjson.`
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
  new Problem(exitCodes.usage, `'${file}' cannot be read: ${(error as Error).message}.`)

// Rows say what is to be, and rows that say a difference are taken only with a key.
const howToGoOn = 'It may go on in the service. The same command again does nothing twice.'

/** Sends the file and follows the import to its end. */
async function carryOut({ service, output }: ImportCall, wish: ImportOptions, progress: Progress): Promise<Import> {
  const { kind, type, mode, import_key } = wish
  const interrupted = (): void => {
    progress.end()
    output.note(howToGoOn)
    process.exit(exitCodes.interrupted)
  }
  process.once('SIGINT', interrupted)
  try {
    const query = { mode, import_key, wait: pollSeconds }
    const path = `/operator/v1/imports/${kind}/`
    const received = await service.send<Import>(path, { query, type, body: read(wish, progress) })
    return await follow(service, received, progress)
  } catch (error) {
    if (error instanceof RefusedByService && error.errors[0]?.code === 'import_refused')
      return await service.ask<Import>('GET', importPath(Number(error.errors[0].details?.['import_id'])))
    if (error instanceof NotReached)
      throw new NotReached(error.exitCode, error.message, `${error.advice} ${howToGoOn}`, { cause: error })
    throw error
  } finally {
    progress.end()
    process.off('SIGINT', interrupted)
  }
}

const importPath = (id: number): string => `/operator/v1/imports/${id}/`

async function* read({ file, bytes }: ImportOptions, progress: Progress): AsyncGenerator<Buffer> {
  let sent = 0
  progress.show('sending', sent, bytes)
  try {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      sent += chunk.length
      yield chunk
      progress.show('sending', sent, bytes)
    }
  } catch (error) {
    throw unreadable(file, error)
  }
}

const pollSeconds = 1 // How often the bar gets a new figure.
const deadlineMs = 60_000 // A service that is being restarted is back by then.

async function follow(service: Service, started: Import, progress: Progress): Promise<Import> {
  let known = started
  let heardAt = performance.now()
  while (known.finished_at === null) {
    const { import_state, rows_done, rows } = known
    progress.show(import_state, rows_done, rows)
    try {
      known = await service.ask<Import>('GET', importPath(known.import_id), { query: { wait: pollSeconds } })
      heardAt = performance.now()
    } catch (error) {
      // The import goes on by itself: not hearing of it for a moment is no reason to give up.
      const passing =
        error instanceof NotReached || (error instanceof RefusedByService && [429, 503].includes(error.status))
      if (!passing || performance.now() - heardAt > deadlineMs) throw error
      await sleep(pollSeconds * 1000)
    }
  }
  return known
}

async function printBadRows(
  { service, output }: ImportCall,
  { file, errorsMax }: ImportOptions,
  found: Import,
): Promise<void> {
  const errors = service.list<ImportError>(`${importPath(found.import_id)}errors/`, {}, errorsMax)
  let next = await errors.next()
  for (; next.done !== true; next = await errors.next()) {
    const { line, message } = next.value
    if (output.json) process.stderr.write(`${jsonLine(next.value)}\n`)
    else output.note(`${file}:${line}: ${message}`)
  }
  if (next.value && !output.json) output.note('… and more: --errors-max N prints N of them.')
}

function report({ output }: ImportCall, { file }: ImportOptions, finished: Import): void {
  const { import_id, import_state, rows, rows_refused: refused, rows_added, rows_changed, rows_unchanged } = finished
  if (output.json) output.data(finished)
  if (import_state === 'failed')
    throw new Problem(
      exitCodes.unreachable,
      `The service could not finish import ${import_id}; a part of it may have been written.`,
      'This is a fault of the service: report it.',
    )
  if (output.json) return
  if (import_state === 'refused')
    output.note(
      `parts: Nothing was imported: ${formatCount(refused)} of ${formatCount(rows)} rows of ${file} are bad.`,
      'red',
    )
  else
    output.line(
      `Imported ${formatCount(rows - refused)} of ${formatCount(rows)} rows: ${formatCount(rows_added)} added, ${formatCount(rows_changed)} changed, ${formatCount(rows_unchanged)} unchanged${refused > 0 ? `; ${formatCount(refused)} refused` : ''}.`,
    )
}
