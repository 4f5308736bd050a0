/**
 * Measures every operation bare and through the service:
 * `node bench/run/bench.ts [--size ORDERS | --database NAME_OR_URL] [--only OPERATION,…] [--rounds N] [--seconds N] [--json]`.
 * Other questions: `--hot` orders that all want the same goods, `--growth ORDERS,ORDERS,…` what an operation costs PostgreSQL at
 * several sizes, `--soak MINUTES` the memory of the service, `--overload` what becomes of orders and lists under three times the load that can be sustained, `--smoke [--record]` whether anything has become much slower.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { databaseUrl } from './load/databases.ts'
import { stolenTicks } from './run/cpu.ts'
import { measureGrowth } from './run/growth.ts'
import { faultsOf, measureOverload } from './run/overload.ts'
import { loadIfAbsent, sizeOf } from './run/prepare.ts'
import { header, lineOf, plain, plot, plotMemory } from './run/report.ts'
import { hotNames, names, runBench } from './run/run.ts'
import { runSmoke } from './run/smoke.ts'
import { soak } from './run/soak.ts'

/** Under `bench/results/`, which is not part of the repository: figures belong to the machine they were measured on. */
function save(kind: string, data: object, picture?: string): string {
  const folder = new URL('../results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${kind}`
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(data, null, 2)}\n`)
  if (picture !== undefined) writeFileSync(new URL(`${name}.svg`, folder), picture)
  return `bench/results/${name}.json`
}

function whole(option: string, value: string): number {
  if (!/^[1-9]\d{0,3}$/.test(value)) throw new Error(`--${option} is a whole number.`) // pgbench takes no other either.
  return Number(value)
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      size: { type: 'string', default: '1000000' },
      database: { type: 'string' },
      only: { type: 'string', default: names.join(',') },
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string' },
      json: { type: 'boolean', default: false },
      hot: { type: 'boolean', default: false },
      growth: { type: 'string' },
      soak: { type: 'string' },
      overload: { type: 'boolean', default: false },
      smoke: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  })
  const rounds = whole('rounds', values.rounds)
  // Whoever asks for JSON waits for it: two operations in three rounds are done within a minute.
  const seconds = whole('seconds', values.seconds ?? (values.json ? '2' : '5'))
  const show = (text: string): void => void (values.json || process.stdout.write(text))
  const only = values.hot ? hotNames : values.only.split(',')
  if (values.smoke) {
    process.exitCode = (await runSmoke({ record: values.record })) ? 0 : 1
  } else if (values.growth !== undefined) {
    const results = await measureGrowth(values.growth.split(','), { only, rounds, seconds }, show)
    show(`Written to ${save('growth', results)}.\n`)
    if (values.json) process.stdout.write(`${JSON.stringify(results)}\n`)
  } else {
    const { name, sizes } = sizeOf(values.size)
    const url = databaseUrl(values.database ?? name)
    await loadIfAbsent(url, sizes)
    if (values.overload) await overload(url, whole('seconds', values.seconds ?? '60'))
    else if (values.soak === undefined) await compare(url)
    else await watchMemory(url, whole('soak', values.soak))
  }

  async function watchMemory(url: string, minutes: number): Promise<void> {
    const result = await soak(url, minutes, show)
    show(`Written to ${save('soak', result, plotMemory(result.samples))} and .svg.\n`)
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  }

  async function overload(url: string, overloadSeconds: number): Promise<void> {
    const result = await measureOverload(url, overloadSeconds, show)
    const faults = faultsOf(result)
    show(`Written to ${save('overload', result)}.\n${faults.map((fault) => `${fault}\n`).join('')}`)
    process.exitCode = faults.length === 0 ? 0 : 1
    if (values.json) process.stdout.write(`${JSON.stringify(result)}\n`)
  }

  async function compare(url: string): Promise<void> {
    show(header())
    const before = stolenTicks()
    const results = await runBench(url, {
      only,
      rounds,
      seconds,
      half: !values.json,
      show: (result) => show(lineOf(result)),
    })
    const after = stolenTicks()
    const stolen_percent = Math.round((100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all))
    const database = new URL(url).pathname.slice(1)
    const saved = save('speed', { database, stolen_percent, results }, plot(results, database))
    show(`The host gave ${stolen_percent} % of the processors' time to others. Written to ${saved} and .svg.\n`)
    if (values.json) process.stdout.write(`${JSON.stringify(results.map(plain))}\n`)
  }
}
