/** Sends files to the import, and remembers those that were checked in this tab, so that they can be imported next. */
import type { ImportKind } from '@parts-ordering/client/operator'
import { api, codeOf, detailsOf } from '../api.ts'

export interface ChosenFile {
  readonly file: File
  readonly kind: ImportKind
}

const checked = new Map<number, ChosenFile>()

export const fileOf = (import_id: number): ChosenFile | undefined => checked.get(import_id)

/** Answers with the import's number as soon as the file is received; its page shows the progress. */
export async function sendFile(
  chosen: ChosenFile,
  options: { dry_run: boolean; mode: 'all' | 'rows' },
): Promise<number> {
  const { file, kind } = chosen
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name)
  let import_id: number
  try {
    const type = isNdjson ? 'application/x-ndjson' : 'text/csv'
    ;({ import_id } = await api.imports.sendFile({ ...options, kind, type, body: file, file_name: file.name, wait: 0 }))
  } catch (error) {
    if (codeOf(error) !== 'import_refused') throw error
    import_id = Number(detailsOf(error)['import_id']) // Its page lists the bad rows.
  }
  if (options.dry_run) checked.set(import_id, chosen)
  return import_id
}
