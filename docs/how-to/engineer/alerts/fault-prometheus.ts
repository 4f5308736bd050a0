/** For the tests of faults: a real Prometheus with one group of the rules, and the commands of a page. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { parse, stringify } from 'yaml'
import { freePort } from '../../../../packages/pg-statements/src/testing-cluster.ts'
import { eventually } from '../../../../apps/service/src/testing/process.ts'

const run = promisify(execFile)
const pages = import.meta.dirname
export const root = join(pages, '../../../..')
const rules = readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8')
const scrapeEveryMs = 1_000 // A busy machine must answer within this time.

export interface FaultPrometheus {
  /** The names of the alerts that fire. */
  readonly firing: () => Promise<string[]>
  readonly fires: (alert: string) => Promise<void>
  readonly ends: (alert: string) => Promise<void>
  /** Executes the queries of panels of the dashboard; returns the legends of those that show nothing. */
  readonly emptyQueries: (panels: readonly Panel[]) => Promise<string[]>
  readonly stop: () => void
}

interface Panel {
  readonly queries: readonly { readonly expr: string; readonly legend: string }[]
}

interface Job {
  readonly job_name: string
  readonly targets: readonly string[]
}

/** Only times differ from production: windows of minutes and hours are seconds, and alerts fire without the delay of `for`. */
export async function startPrometheus(dir: string, group: string, jobs: readonly Job[]): Promise<FaultPrometheus> {
  const inSeconds: Record<string, string> = { '1m': '4s', '2m': '4s', '5m': '10s', '10m': '10s', '15m': '10s', '30m': '10s', '1h': '20s', '6h': '20s', '1d': '120s' } // prettier-ignore
  const shorter = (window: string): string => inSeconds[window] ?? assert.fail(window)
  const text = rules
    .replaceAll(/\[(\w+)\]/g, (_, window: string) => `[${shorter(window)}]`)
    .replaceAll(/ offset (\w+)/g, (_, window: string) => ` offset ${shorter(window)}`)
    .replaceAll(/(> \d+) \* 60$/gm, '$1')
    .replaceAll(/^ +for: .*\n/gm, '')
  const { groups } = parse(text) as { groups: { name: string }[] }
  writeFileSync(join(dir, 'alerts.yml'), stringify({ groups: groups.filter(({ name }) => name === group) }))
  const every = `${scrapeEveryMs}ms`
  const config = {
    global: { scrape_interval: every, scrape_timeout: every, evaluation_interval: every },
    rule_files: ['alerts.yml'],
    scrape_configs: jobs.map(({ job_name, targets }) => ({ job_name, static_configs: [{ targets, labels: { installation: 'faults' } }] })), // prettier-ignore
  }
  writeFileSync(join(dir, 'prometheus.yml'), stringify(config))
  const address = `127.0.0.1:${await freePort()}`
  const options = [
    `--config.file=${dir}/prometheus.yml`,
    `--storage.tsdb.path=${dir}/data`,
    `--web.listen-address=${address}`,
    '--log.level=error',
  ]
  const child = spawn('prometheus', options, { stdio: ['ignore', 'inherit', 'inherit'] })
  const url = `http://${address}`

  const query = async (expression: string): Promise<number | undefined> => {
    const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expression)}`).catch(() => undefined)
    if (answer?.ok !== true) return undefined
    const { data } = (await answer.json()) as { data: { result: { value: [number, string] }[] } }
    return data.result[0] === undefined ? undefined : Number(data.result[0].value[1])
  }
  const firing = async (): Promise<string[]> => {
    const answer = await fetch(`${url}/api/v1/alerts`)
    const { data } = (await answer.json()) as { data: { alerts: { labels: { alertname: string }; state: string }[] } }
    return data.alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname)
  }
  const emptyQueries = async (panels: readonly Panel[]): Promise<string[]> => {
    const empty: string[] = []
    for (const { expr, legend } of panels.flatMap(({ queries }) => queries)) {
      const range = expr.replaceAll('$__rate_interval', '10m').replace(/\$installation/g, 'faults')
      const answered = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(range)}`)
      const answer = (await answered.json()) as { status: string; data?: { result: unknown[] } }
      assert.equal(answer.status, 'success', `${expr}: ${JSON.stringify(answer)}`)
      if (answer.data?.result.length === 0) empty.push(legend)
    }
    return empty
  }
  const targetCount = jobs.reduce((count, { targets }) => count + targets.length, 0)
  await eventually(async () => (await query('sum(up)')) === targetCount)
  return {
    firing,
    emptyQueries,
    fires: (alert) => eventually(async () => (await firing()).includes(alert)),
    ends: (alert) => eventually(async () => !(await firing()).includes(alert)),
    stop: () => child.kill('SIGKILL'),
  }
}

/** The pages of the alerts of a group. */
export const pagesOf = (group: string): string[] => {
  const { groups } = parse(rules) as { groups: { name: string; rules: { annotations?: { runbook_url: string } }[] }[] }
  const urls = groups.find(({ name }) => name === group)?.rules.flatMap(({ annotations }) => annotations?.runbook_url ?? [])
  return urls?.map((url) => url.replace('https://runbooks.example/', '')).toSorted() ?? []
} // prettier-ignore

type Section = 'Diagnosis' | 'Mitigation'

/** Runs the commands of a section of a page. Each must succeed, and those of the diagnosis must show something. */
export async function runSection(page: string, section: Section, options: { cwd: string; env: NodeJS.ProcessEnv; uid?: number; gid?: number }): Promise<void> {
  const [, text = ''] = readFileSync(join(pages, page), 'utf8').split(`## ${section}\n`)
  for (const [, commands = ''] of (text.split('\n## ')[0] ?? '').matchAll(/```sh\n([^]*?)```/g)) {
    const { stdout } = await run('bash', ['-ec', commands], options).catch((error: unknown) =>
      assert.fail(`${page}: ${commands}${String(error)}`),
    )
    if (section === 'Diagnosis') assert.notEqual(stdout.trim(), '', `${page} shows something: ${commands}`)
  }
} // prettier-ignore
