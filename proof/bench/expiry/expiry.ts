/** Orders while events expire. The loader has set half of all events aside; they expire in the first round. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expireEvents } from '../../../apps/service/src/events/expiry/expire-events.ts'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { openDatabase } from '../../../apps/service/src/open-database.ts'
import { copyDatabase, databaseUrl, dropDatabase } from '../load/databases.ts'
import { saveResults } from '../results.ts'
import { serviceSide } from '../run/measure.ts'
import type { Bench } from '../run/operation.ts'
import { operationNamed } from '../run/operations.ts'
import { clientsOf, closeBench, openBench } from '../run/prepare.ts'
import { introduce, startServiceProcess } from '../run/service-process.ts'
import { writeKeys } from '../run/wrk.ts'

interface Round {
  readonly events: number
  readonly expiry_seconds: number
  readonly alone_p99_ms: number
  readonly control_p99_ms: number
  readonly during_p99_ms: number
  /** The last one compared with the mean of the others. */
  readonly ratio: number
}

export async function measureExpiry({ database, seconds }: { database: string; seconds: number }): Promise<void> {
  const url = databaseUrl('parts_bench_expiry')
  await copyDatabase(databaseUrl(database), url)
  const folder = mkdtempSync(join(tmpdir(), 'parts-expiry-'))
  try {
    await migrate(url, () => undefined)
    const results = await measureRounds(url, folder, seconds)
    saveResults('expiry', results)
    process.stdout.write(`${JSON.stringify(results)}\n`)
  } finally {
    rmSync(folder, { recursive: true })
    await dropDatabase(url)
  }
}

async function measureRounds(url: string, folder: string, seconds: number): Promise<Round[]> {
  const bench = await openBench(url)
  await bench.session.query('delete from database_identity') // Or the service would refuse the copy (decision 35).
  const service = await startServiceProcess(url)
  try {
    writeKeys(folder, bench.sizes.clients)
    const place = serviceSide(bench, operationNamed('place-order-5'), { folder, service })
    await introduce(service.address, clientsOf(bench))
    await place(1)
    const perSecond = (await place(seconds)).perSecond / 2
    const { rate } = await place(seconds, { perSecond, latencyMs: 0 })
    const p99 = async (): Promise<number> => (await place(seconds, { perSecond, latencyMs: rate.p50Ms })).rate.p99Ms
    const rounds: Round[] = []
    for (let n = 0; n < 2; n++) {
      const [alone_p99_ms, control_p99_ms] = [await p99(), await p99()]
      let placed = false
      const during = p99().finally(() => (placed = true))
      await sleep((seconds * 1000) / 3) // wrk has connected.
      const { events, expiry_seconds } = await expire(bench)
      if (placed) throw new Error('The orders ended before the events had expired: use more --seconds.')
      const during_p99_ms = await during
      const ratio = Number(((2 * during_p99_ms) / (alone_p99_ms + control_p99_ms)).toFixed(2))
      rounds.push({ events, expiry_seconds, alone_p99_ms, control_p99_ms, during_p99_ms, ratio })
      process.stderr.write(
        `${events} events expired in ${expiry_seconds} s; p99 of orders ${during_p99_ms} ms, alone ${alone_p99_ms} and ${control_p99_ms} ms\n`,
      )
    }
    return rounds
  } finally {
    await service.stop()
    await closeBench(bench)
  }
}

/** As if the events that are set aside were old enough. Those recorded meanwhile are set aside for the next round. */
async function expire({ url, session }: Bench): Promise<{ events: number; expiry_seconds: number }> {
  await session.query(
    `update events_before set event_datetime = now() - interval '2 days' where (client_id, event_number) in (
       select client_id, event_number from events_before
       order by transaction_id desc, client_id desc, event_number desc limit 1)`,
  )
  const db = openDatabase({ url, poolSize: 1, timeZone: 'UTC', statementTimeoutMs: 60_000 })
  const started = performance.now()
  try {
    let events = 0
    for await (const hidden of expireEvents(db, { kept_days: 1 })) events += hidden
    return { events, expiry_seconds: Number(((performance.now() - started) / 1000).toFixed(2)) }
  } finally {
    await db.close()
  }
}
