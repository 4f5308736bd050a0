/**
 * Measures every operation bare and through the service:
 * `node bench/run/bench.ts [--size ORDERS | --database NAME_OR_URL] [--only OPERATION,…] [--rounds N] [--seconds N] [--json] [--smoke [--record]]`.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { databaseUrl } from '../load/databases.ts'
import { stolenTicks } from './cpu.ts'
import { loadIfAbsent, sizes } from './prepare.ts'
import { header, lineOf, plain, plot, type FullResult } from './report.ts'
import { names, runBench } from './run.ts'
import { runSmoke } from './smoke.ts'

function save(results: readonly FullResult[], database: string, stolen_percent: number): string {
  const folder = new URL('../results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  writeFileSync(new URL(`${stamp}.json`, folder), `${JSON.stringify({ database, stolen_percent, results }, null, 2)}\n`)
  writeFileSync(new URL(`${stamp}.svg`, folder), plot(results, database))
  return `bench/results/${stamp}.json and .svg`
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
      smoke: { type: 'boolean', default: false },
      record: { type: 'boolean', default: false },
    },
  })
  if (values.smoke) {
    process.exitCode = (await runSmoke({ record: values.record })) ? 0 : 1
  } else {
    const chosen = sizes[values.size]
    if (chosen === undefined) throw new Error(`There are the sizes ${Object.keys(sizes).join(', ')}.`)
    const url = databaseUrl(values.database ?? chosen.name)
    await loadIfAbsent(url, chosen.sizes)
    if (!values.json) process.stdout.write(header())
    const before = stolenTicks()
    const results = await runBench(url, {
      only: values.only.split(','),
      rounds: whole('rounds', values.rounds),
      // Whoever asks for JSON waits for it: two operations in three rounds are done within a minute.
      seconds: whole('seconds', values.seconds ?? (values.json ? '2' : '5')),
      show: (result) => (values.json ? undefined : process.stdout.write(lineOf(result))),
    })
    const after = stolenTicks()
    const stolen = Math.round((100 * (after.stolen - before.stolen)) / Math.max(1, after.all - before.all))
    const saved = save(results, new URL(url).pathname.slice(1), stolen)
    const closing = `The host gave ${stolen} % of the processors' time to others. Written to ${saved}.\n`
    process.stdout.write(values.json ? `${JSON.stringify(results.map(plain))}\n` : closing)
  }
}
