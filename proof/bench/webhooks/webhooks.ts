/**
 * What webhooks cost clients that place orders: the rate without endpoints, with one endpoint per client, and with one
 * per client while a worker delivers on the same machine.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setTimeout as sleep } from 'node:timers/promises'
import { migrate } from '../../../apps/service/src/migrate.ts'
import { databaseUrl } from '../load/databases.ts'
import { serviceSide } from '../run/measure.ts'
import { median } from '../run/median.ts'
import { operationNamed } from '../run/operations.ts'
import { clientsOf, closeBench, openBench } from '../run/prepare.ts'
import { introduce, startServiceProcess } from '../run/service-process.ts'
import { writeKeys } from '../run/wrk.ts'
import { makeEndpoints, removeEndpoints, startReceiver, workerSettings } from './endpoints.ts'

const seconds = 6
const kinds = ['none', 'endpoints', 'delivering'] as const
type Kind = (typeof kinds)[number]

export async function measureWebhooks({ database, rounds }: { database: string; rounds: number }): Promise<void> {
  const url = databaseUrl(database)
  await migrate(url, () => undefined)
  const bench = await openBench(url)
  const { session } = bench
  const folder = mkdtempSync(join(tmpdir(), 'parts-webhooks-'))
  const service = await startServiceProcess(url)
  const receiver = await startReceiver()
  try {
    writeKeys(folder, bench.sizes.clients)
    const place = serviceSide(bench, operationNamed('place-order-5'), { folder, service })
    await introduce(service.address, clientsOf(bench))
    await place(2)
    const measure: Readonly<Record<Kind, () => Promise<number>>> = {
      none: async () => (await place(seconds)).perSecond,
      endpoints: async () => {
        await makeEndpoints(session, receiver.address)
        return (await place(seconds)).perSecond
      },
      delivering: async () => {
        await makeEndpoints(session, receiver.address)
        const stop = await startWorker(url)
        const before = receiver.received()
        const { perSecond } = await place(seconds)
        const delivered = (receiver.received() - before) / seconds
        show(`${delivered.toFixed(0)} events per second were delivered in the meantime.`)
        await stop()
        return perSecond
      },
    }
    const measured: Record<Kind, number>[] = []
    for (let round = 0; round < rounds; round++) {
      const rates = { none: 0, endpoints: 0, delivering: 0 }
      // Each kind comes first equally often: the database gets slower with every order, and vacuum runs at random.
      for (const n of kinds.keys()) {
        const kind = kinds[(n + round) % kinds.length]
        if (kind === undefined) continue
        await removeEndpoints(session)
        rates[kind] = await measure[kind]()
      }
      measured.push(rates)
      const { none, endpoints, delivering } = rates
      show(
        `no webhooks ${none.toFixed(0)}/s; one per client ${endpoints.toFixed(0)}/s; with a worker ${delivering.toFixed(0)}/s`,
      )
    }
    await removeEndpoints(session)
    const ratio = (of: Kind): string => median(measured.map((rates) => rates[of] / rates.none)).toFixed(2)
    process.stdout.write(
      `Orders keep ${ratio('endpoints')} of their rate with one endpoint per client, and ${ratio('delivering')} while a worker delivers on the same machine.\n`,
    )
  } finally {
    await service.stop()
    await closeBench(bench)
    receiver.close()
    rmSync(folder, { recursive: true })
  }
}

const show = (line: string): void => void process.stderr.write(`${line}\n`)

/** The returned function stops it. */
async function startWorker(url: string): Promise<() => Promise<void>> {
  const main = fileURLToPath(new URL('../../../apps/service/src/main.ts', import.meta.url))
  const child = spawn('nice', ['-n', '10', process.execPath, main, 'worker'], {
    stdio: 'ignore',
    env: { ...process.env, ...workerSettings(url) },
  })
  await sleep(3_000)
  return async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    await exited
  }
}
