import { setTimeout as sleep } from 'node:timers/promises'
import type { Import } from '@parts-ordering/client/operator'
import type { Api } from '../api.ts'
import { isTransient } from '../lost-answers.ts'
import type { Progress } from '../progress.ts'

export const pollSeconds = 1 // The progress bar is updated every second.
const outageMaxMs = 60_000 // A restart of the service takes less.
const pauseMs = 500

/** Waits until the import is finished. It continues in the service, so a short outage is no reason to give up. */
export async function followImport(
  api: Pick<Api, 'readImport'>,
  started: Import,
  progress: Progress,
  clock = { now: () => performance.now(), sleep: (ms: number): Promise<unknown> => sleep(ms) },
): Promise<Import> {
  let known = started
  let answeredAt = clock.now()
  while (known.finished_at === null) {
    const { import_id, import_state, rows_done, rows } = known
    progress.show(import_state, rows_done, rows)
    try {
      known = await api.readImport({ import_id, wait: pollSeconds }, { retries: 0 })
      answeredAt = clock.now()
    } catch (error) {
      if (!isTransient(error) || clock.now() - answeredAt > outageMaxMs) throw error
      await clock.sleep(pauseMs)
    }
  }
  return known
}
