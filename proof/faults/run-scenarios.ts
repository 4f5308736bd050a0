/** Runs scenarios under load, and checks everything after each of them. */
import { setTimeout as sleep } from 'node:timers/promises'
import { checkHistory, type Breach } from './check-history.ts'
import { runDealer } from './dealer.ts'
import { newHistory, type History } from './history.ts'
import { readStored, violatedInvariants } from './read-stored.ts'
import { followClientEvents, followOperatorEvents, readWebhooks } from './readers.ts'
import { openRequests } from './requests.ts'
import type { Scenario } from './scenario.ts'
import { seededRandom } from './seeded-random.ts'
import { createInstallation, type Installation, type InstallationOptions } from './installation.ts'

export interface RunOptions {
  readonly rounds: (scenario: Scenario) => number
  readonly seed: number
  readonly say: (line: string) => void
  /** Between two orders of a client. */
  readonly pauseMs: number
  /** Called after each scenario. */
  readonly onResult: (result: ScenarioResult) => void
}

export interface ScenarioResult {
  readonly scenario: string
  readonly about: string
  readonly rounds: number
  readonly acknowledged: number
  /** Orders that were sent more than once. */
  readonly repeated: number
  /** Orders whose first answer was lost although they were placed: the retry found them. */
  readonly answersLost: number
  /** Per round: the longest time without a successful order of anybody. */
  readonly withoutOrderMs: readonly number[]
  /** Per round: from the end of the fault until every client had placed an order. */
  readonly recoveryMs: readonly number[]
  readonly answers: Readonly<Record<string, number>>
  readonly violations: readonly string[]
}

const usualInstallation: InstallationOptions = { clients: 6, apis: 2, workers: 1 }
const recoveryMaxMs = 60_000
const drainMaxMs = 120_000
const roundsPerLine = 10
const nameWidth = 38 // Of a pair.

export async function runScenarios(scenarios: readonly Scenario[], options: RunOptions): Promise<void> {
  for (const group of Map.groupBy(scenarios, ({ installation }) => JSON.stringify(installation ?? {})).values()) {
    const installation = await createInstallation({ ...usualInstallation, ...group[0]?.installation })
    try {
      await runGroup(installation, group, options)
    } finally {
      await installation.close()
    }
  }
}

async function runGroup(
  installation: Installation,
  scenarios: readonly Scenario[],
  options: RunOptions,
): Promise<void> {
  const history = newHistory()
  let stopped = false
  const requests = openRequests(installation.balancer.url, history, () => stopped)
  const readers = [
    ...installation.clients.map((client) => followClientEvents(client, requests, history, () => stopped)),
    followOperatorEvents(installation.operatorKey, requests, history, () => stopped),
  ]
  for (const scenario of scenarios) {
    const result = await runScenario(installation, history, scenario, options)
    options.onResult(result)
    options.say(summaryOf(result))
    for (const violation of result.violations) options.say(`  ${violation}`)
    if (result.violations.length > 0) options.say(logsOf(installation))
    if (result.violations.length > 0) break // What follows would only repeat it.
  }
  stopped = true
  await Promise.all(readers)
}

async function runScenario(
  installation: Installation,
  history: History,
  scenario: Scenario,
  { rounds, seed, pauseMs, say }: RunOptions,
): Promise<ScenarioResult> {
  const random = seededRandom(`${seed} ${scenario.name}`)
  const ordersBefore = history.orders.length
  history.answers.clear()
  let stopped = false
  const requests = openRequests(installation.balancer.url, history, () => false)
  const dealers = installation.clients.map((client) =>
    runDealer({ client, requests, history, random, isStopped: () => stopped, pauseMs }),
  )
  const [withoutOrderMs, recoveryMs]: [number[], number[]] = [[], []]
  const problems: Breach[] = []
  const count = rounds(scenario)
  for (let round = 0; round < count && problems.length === 0; round++) {
    if ((await allOrdered(installation, history, performance.now())) === undefined)
      problems.push({ kind: 'order without an end', text: `Round ${round}: not every client could order before it.` })
    const begun = performance.now()
    await scenario.fault(installation, random)
    const usable = performance.now()
    const recovered = await allOrdered(installation, history, usable, scenario.recoveryMaxMs)
    if (recovered === undefined)
      problems.push({ kind: 'order without an end', text: `Round ${round}: stuck after the fault.` })
    else {
      recoveryMs.push(Math.round(recovered - usable))
      withoutOrderMs.push(Math.round(longestGap(history, begun, recovered)))
    }
    if ((round + 1) % roundsPerLine === 0 && round + 1 < count) say(`${scenario.name}: ${round + 1} of ${count} rounds`)
  }
  stopped = true
  await Promise.all(dealers)
  await drained(installation, history)
  const orders = history.orders.slice(ordersBefore)
  const repeated = orders.filter(({ sendings }) => sendings.length > 1)
  const violations = [
    ...problems,
    ...checkHistory({ ...history, events: allEvents(installation, history) }, await readStored(installation), {
      allowed: scenario.allowed,
    }),
  ].map(({ kind, text }) => `${kind}: ${text}`)
  return {
    scenario: scenario.name,
    about: scenario.about,
    rounds: count,
    acknowledged: orders.filter(({ acknowledged }) => acknowledged !== undefined).length,
    repeated: repeated.length,
    answersLost: await countLostAnswers(installation, repeated),
    withoutOrderMs,
    recoveryMs,
    answers: Object.fromEntries(history.answers),
    violations: [...violations, ...(await violatedInvariants(installation))],
  }
}

/** When every client has placed an order after that moment; undefined if one of them has not in time. */
async function allOrdered(
  { clients }: Installation,
  { orders }: History,
  after: number,
  withinMs = recoveryMaxMs,
): Promise<number | undefined> {
  const deadline = performance.now() + withinMs
  const firsts = new Map<number, number>()
  let seen = 0
  for (; performance.now() < deadline; await sleep(20)) {
    // Orders in progress are at the end of the list: look at the last few again.
    for (const { client_id, acknowledged } of orders.slice(Math.max(0, seen - 4 * clients.length)))
      if (acknowledged !== undefined && acknowledged.at > after && !firsts.has(client_id))
        firsts.set(client_id, acknowledged.at)
    seen = orders.length
    if (firsts.size === clients.length) return Math.max(...firsts.values())
  }
  return undefined
}

function longestGap({ orders }: History, from: number, to: number): number {
  const times = orders.flatMap(({ acknowledged }) => (acknowledged === undefined ? [] : [acknowledged.at]))
  const inside = times.filter((at) => at > from && at < to).toSorted((a, b) => a - b)
  const last = Math.max(from, ...times.filter((at) => at <= from).slice(-1))
  return Math.max(...[...inside, to].map((at, n) => at - (n === 0 ? last : (inside[n - 1] ?? last))))
}

/** Waits until every reader has seen the last event of every client. */
async function drained(installation: Installation, history: History): Promise<void> {
  const deadline = performance.now() + drainMaxMs
  for (; performance.now() < deadline; await sleep(100)) {
    const { lastEvents } = await readStored(installation)
    const seen = allEvents(installation, history)
    const reached = Object.values(seen).map((events) => {
      const last = new Map<number, number>()
      for (const { client_id, event_number } of events)
        last.set(client_id, Math.max(last.get(client_id) ?? 0, event_number))
      return last
    })
    const areThere = ({ client_id }: { client_id: number }): boolean =>
      reached.every((last) => (last.get(client_id) ?? 0) >= (lastEvents.get(client_id) ?? 0))
    if (installation.clients.every(areThere)) return
  }
}

function allEvents({ receiver }: Installation, { events }: History): History['events'] {
  const webhooks = newHistory()
  readWebhooks(receiver, webhooks)
  return { client: events.client, operator: events.operator, webhook: webhooks.events.webhook }
}

/** Orders that were stored before their last sending began: an earlier one had placed them. */
async function countLostAnswers(
  { query }: Installation,
  repeated: readonly History['orders'][number][],
): Promise<number> {
  const ages = repeated.flatMap(({ acknowledged, sendings }) => {
    const last = sendings.at(-1)
    return acknowledged === undefined || last === undefined
      ? []
      : [{ order_id: acknowledged.order_id, sent_ms_ago: performance.now() - last.sentAt }]
  })
  const [row] = await query<{ count: number }>(
    `select count(*)::integer from jsonb_to_recordset($1::jsonb) s (order_id bigint, sent_ms_ago float8)
     join orders o on o.order_id = s.order_id
     where o.order_create_datetime < clock_timestamp() - s.sent_ms_ago * interval '1 ms'`,
    [JSON.stringify(ages)],
  )
  return row?.count ?? 0
}

const seconds = (ms: number | undefined): string => (ms === undefined ? '–' : `${(ms / 1000).toFixed(1)} s`)

export function summaryOf({
  scenario,
  rounds,
  acknowledged,
  repeated,
  withoutOrderMs,
  violations,
}: ScenarioResult): string {
  const longest = withoutOrderMs.length === 0 ? undefined : Math.max(...withoutOrderMs)
  const held = violations.length === 0 ? 'held' : `${violations.length} VIOLATIONS`
  return `${scenario.padEnd(nameWidth)} ${String(rounds).padStart(4)} rounds  ${String(acknowledged).padStart(6)} orders  ${String(repeated).padStart(5)} repeated  longest pause ${seconds(longest).padStart(7)}  ${held}`
}

/** Of each process: what it complained about, and what it did last. */
function logsOf({ apis, workers }: Installation): string {
  const lines = [...apis, ...workers].flatMap(({ log }) => [
    ...log.filter(({ level }) => level !== 'info').slice(-20),
    ...log.slice(-5),
  ])
  return lines.map((line) => `  log: ${JSON.stringify(line)}`).join('\n')
}
