/** `npm run faults`: breaks everything that can break, under load, and checks that nothing was lost or doubled. */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allPairs, draw } from './pairs.ts'
import { runScenarios, type ScenarioResult } from './run-scenarios.ts'
import type { Scenario } from './scenario.ts'
import { companionScenarios } from './scenarios/companions.ts'
import { connectionScenarios } from './scenarios/connections.ts'
import { highAvailabilityScenarios } from './scenarios/high-availability.ts'
import { processScenarios } from './scenarios/processes.ts'
import { serverScenarios } from './scenarios/server.ts'

const usage = `npm run faults -- [--short] [--only NAME,…] [--rounds N] [--seed N] [--json FILE] [--list]

Breaks servers, connections and processes under load, and checks after each fault that every acknowledged order is
stored exactly once, nothing is oversold, events have no gaps, and all invariants hold.

  --short       the bounded form that CI runs
  --only A,B    only these faults, or pairs such as 'A + B'; --list shows them
  --pairs N     instead, N times two faults of different parts at once, drawn by the seed
  --rounds N    how often each fault happens (default 10, a drawn pair once)
  --seed N      repeats the choices of an earlier run
  --json FILE   writes the results to a file, after each fault`

const parts: readonly (readonly Scenario[])[] = [
  connectionScenarios,
  processScenarios,
  [...serverScenarios, ...highAvailabilityScenarios],
  companionScenarios,
]
const scenarios = parts.flat()
const pairsInShort = 10
const seedOfShort = 2011 // The same pairs on every machine: new ones are for long runs.

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    only: { type: 'string' },
    pairs: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    json: { type: 'string' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const say = (line: string): void => void process.stdout.write(`${line}\n`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130)) // Runs the clean-up of what was started.

if (values.help) say(usage)
else if (values.list) for (const { name, about } of scenarios) say(`${name.padEnd(24)} ${about}`)
else await runAll(values.only?.split(','))

async function runAll(only: readonly string[] | undefined): Promise<void> {
  const [seed, rounds] = [Number(values.seed), Number(values.rounds ?? (values.pairs === undefined ? 10 : 1))]
  const known = [...scenarios, ...allPairs(parts)]
  const unknown = only?.find((name) => !known.some((scenario) => scenario.name === name))
  if (unknown !== undefined) {
    say(`There is no fault '${unknown}'. --list shows all.`)
    process.exitCode = 2
    return
  }
  const chosen = choose(known, only, seed).filter(({ name, skipped }) => {
    const reason = skipped?.()
    if (reason !== undefined) say(`${name} is skipped. ${reason}`)
    return reason === undefined
  })
  const reason = chosen.map(({ unavailable }) => unavailable?.()).find((each) => each !== undefined)
  if (reason !== undefined) {
    say(reason)
    process.exitCode = 2
    return
  }
  say(`Seed ${seed}, ${chosen.length} kinds of faults.`)
  const results: ScenarioResult[] = []
  await runScenarios(chosen, {
    seed,
    say,
    onResult: (result) => {
      results.push(result)
      if (values.json !== undefined)
        writeFileSync(values.json, JSON.stringify({ seed, at: new Date().toISOString(), results }, undefined, 2))
    },
    pauseMs: 50,
    rounds: ({ shortRounds }) => (values.short ? shortRounds : rounds),
  })
  say(summary(results))
  const failed = results.some(({ violations }) => violations.length > 0)
  process.exitCode = failed || results.length < chosen.length ? 1 : 0
}

function choose(known: readonly Scenario[], only: readonly string[] | undefined, seed: number): readonly Scenario[] {
  if (only !== undefined) return known.filter(({ name }) => only.includes(name))
  const inShort = ({ shortRounds }: Scenario): boolean => !values.short || shortRounds > 0
  const pairs = allPairs(parts).filter((pair) => inShort(pair) && pair.skipped?.() === undefined)
  if (values.pairs !== undefined) return draw(pairs, Number(values.pairs), seed)
  return [...scenarios.filter(inShort), ...(values.short ? draw(pairs, pairsInShort, seedOfShort) : [])]
}

function summary(results: readonly ScenarioResult[]): string {
  const sum = (of: (result: ScenarioResult) => number): number =>
    results.reduce((total, result) => total + of(result), 0)
  const failed = results.filter(({ violations }) => violations.length > 0).length
  const [faults, orders, repeated, lost] = [
    sum(({ rounds }) => rounds),
    sum(({ acknowledged }) => acknowledged),
    sum((result) => result.repeated),
    sum(({ answersLost }) => answersLost),
  ]
  return `${results.length - failed} kinds of faults held, ${failed} failed; ${faults} faults, ${orders} orders acknowledged, ${repeated} sent again, ${lost} of them placed before`
}
