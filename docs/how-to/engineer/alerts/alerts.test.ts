/** The alerts, their tests and their pages belong together; promtool runs the tests of the rules. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { rows } from '../../../../deploy/grafana/dashboard.ts'

const pages = import.meta.dirname
const root = join(pages, '../../../..')
const rulesDir = join(root, 'deploy/prometheus')
const rules = readFileSync(join(rulesDir, 'alerts.yml'), 'utf8')
const testFiles = ['alerts.test.yml', 'objectives.test.yml', 'installations.test.yml', 'postgres.test.yml']
const ruleTests = testFiles.map((file) => readFileSync(join(rulesDir, file), 'utf8')).join('\n')
const metricsPage = readFileSync(join(root, 'docs/reference/metrics.md'), 'utf8')

const alerts = [...rules.matchAll(/- alert: (\w+)\n([^]*?)(?=\n *- alert:|$)/g)].map(([, name = '', rule = '']) => ({
  name,
  page: /runbook_url: https:\/\/runbooks\.example\/([\w-]+\.md)$/m.exec(rule)?.[1] ?? '',
  severity: /severity: (\w+)/.exec(rule)?.[1] ?? '',
}))

test('there are at most 23 alerts, each with a page of its own that has all sections', () => {
  assert(alerts.length > 0 && alerts.length <= 23)
  const files = readdirSync(pages).filter((file) => file.endsWith('.md') && file !== 'README.md')
  assert.deepEqual(files.toSorted(), alerts.map(({ page }) => page).toSorted())
  for (const { name, page, severity } of alerts) {
    const text = readFileSync(join(pages, page), 'utf8')
    assert(text.includes(`Alert \`${name}\`, severity ${severity}.`), `${page} names its alert`)
    const sections = text.split(/^## /m).slice(1)
    assert.deepEqual(
      sections.map((section) => section.split('\n', 1)[0]),
      ['Meaning', 'Impact', 'Diagnosis', 'Mitigation'],
      page,
    )
    for (const section of sections) assert(section.trim().split('\n').length > 1, `${page} has an empty section`)
    assert.match(sections[2] ?? '', /```sh\n/, `the diagnosis of ${page} has commands`)
  }
})

test('the list of alerts names every one, with its severity', () => {
  const list = readFileSync(join(pages, 'README.md'), 'utf8')
  for (const { name, page, severity } of alerts) {
    const row = list.split('\n').find((line) => line.includes(`(${page})`)) ?? ''
    assert(row.includes(`| \`${name}\` | ${severity} |`), name)
  }
})

test('every alert has a test in which it fires and one in which it does not', () => {
  for (const { name } of alerts) {
    const expected = [...ruleTests.matchAll(new RegExp(`alertname: ${name}\\n *exp_alerts:(.*)`, 'g'))]
    const outcomes = new Set(expected.map(([, rest = '']) => (rest.trim() === '[]' ? 'quiet' : 'fires')))
    assert.deepEqual(outcomes, new Set(['quiet', 'fires']), name)
  }
})

test('every metric that a rule uses exists, with the labels that it selects by', () => {
  const used = [...rules.matchAll(/\b(parts_\w+?)(?:_bucket|_count|_sum)?(?:\{([^}]*)\})?(?=[[) ])/g)]
  assert(used.length > 20)
  for (const [, name = '', selectors = ''] of used) {
    const row = metricsPage.split('\n').find((line) => line.startsWith(`| \`${name}\` |`))
    assert(row !== undefined, name)
    for (const [, label = ''] of selectors.matchAll(/(\w+)=/g))
      assert(label === 'le' || row.includes(`\`${label}\``), `${name} has no label ${label}`)
  }
})

test('no rule joins installations: whatever is summed up or compared keeps the label', () => {
  for (const [, expr = ''] of rules.matchAll(/expr: \|\n((?: {10,}.*\n)+)/g))
    for (const [aggregation] of expr.matchAll(/\b(?:sum|max|min|avg|count|topk|group|on|ignoring)\b.{0,20}/g))
      assert.match(aggregation, /^(?:\w+ by \(installation|on \(installation\)|on \(\) absent)/, expr)
})

test('every panel of the dashboard shows one installation', () => {
  for (const { expr } of Object.values(rows).flatMap((panels) => panels.flatMap(({ queries }) => queries)))
    for (const [series, , selectors = ''] of expr.replaceAll(/ by \([^)]*\)|group_right \(\)/g, '').matchAll(/\b((?=\w*[_:])[a-z][\w:]+|up)(\{[^}]*\})?(?=[[)\s]|$)/g))
      assert(selectors.includes('installation="$installation"'), `${series} in ${expr}`)
}) // prettier-ignore

test('promtool accepts every query of the dashboard, and every metric in it exists', () => {
  const queries = Object.values(rows).flatMap((panels) => panels.flatMap((panel) => panel.queries))
  assert(queries.length > 30)
  const names = queries.flatMap(({ expr }) => [...expr.matchAll(/\bparts_\w+/g)].map(([name]) => name))
  const listed = (name: string): boolean => metricsPage.includes(`| \`${name.replace(/_(bucket|count|sum)$/, '')}\` |`)
  assert.deepEqual(
    names.filter((name) => !listed(name)),
    [],
  )
  const recorded = queries.map(({ expr }, n) => ({ record: `q${n}`, expr: expr.replaceAll('$__rate_interval', '5m') }))
  const dir = mkdtempSync(join(tmpdir(), 'parts-dashboard-'))
  writeFileSync(join(dir, 'rules.yml'), JSON.stringify({ groups: [{ name: 'dashboard', rules: recorded }] })) // JSON is YAML.
  const checked = execFileSync('promtool', ['check', 'rules', join(dir, 'rules.yml')], { encoding: 'utf8' })
  rmSync(dir, { recursive: true })
  assert.match(checked, new RegExp(`${queries.length} rules found`))
})

test('promtool accepts the configuration and the rules, and every test of a rule passes', () => {
  const promtool = (...args: string[]): string =>
    execFileSync('promtool', args, { cwd: rulesDir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  assert.match(promtool('check', 'config', 'prometheus.yml'), /SUCCESS/)
  assert.match(promtool('test', 'rules', ...testFiles), /SUCCESS/)
})
