/** The page about the contract: every operation with its code and its test, every open point with its decision. */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { clientSideRoutes, type FeatureParts } from '../apps/service/src/app.ts'
import { readConfig } from '../apps/service/src/config.ts'

const reference = join(import.meta.dirname, 'reference')
const page = readFileSync(join(reference, 'contract.md'), 'utf8')
const routes = clientSideRoutes({ config: readConfig({ DATABASE_URL: 'postgres://none/none' }) } as FeatureParts)

/** The cells of each row of the tables in a section, without the head. */
function rowsOf(title: string): string[][] {
  const section = page.split(/^## /m).find((one) => one.startsWith(`${title}\n`)) ?? ''
  return section
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (operation|the contract leaves open|question) \|/.test(line))
    .map((line) =>
      line
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    )
}

const linked = (cell = ''): string => join(reference, /\]\(([^)]+)\)/.exec(cell)?.[1] ?? 'missing')

test('the 17 operations and 2 lookups are listed with the fields that their routes take', () => {
  const rows = rowsOf('Operations')
  assert.equal(rows.length, 19)
  for (const [operation = '', takes = ''] of rows) {
    const name = /`([^`]+)`/.exec(operation)?.[1] ?? ''
    const route = routes.find(({ method, path }) => `${method} ${path}` === name)
    assert(route, `There is no route ${name}.`)
    const fields: Readonly<Record<string, { readonly required: boolean }>> = { ...route.query, ...route.form }
    for (const [, field = '', optional] of takes.matchAll(/`(\w+)`(\?)?/g))
      assert.equal(fields[field]?.required, optional === undefined, `${name}: ${field}`)
    const required = Object.keys(fields).filter((field) => fields[field]?.required)
    for (const field of required) assert(takes.includes(`\`${field}\``), `${name}: ${field} is not listed`)
  }
})

test('the code and the test of each operation exist, and the test is about the operation', () => {
  for (const [operation = '', , , code, shown] of rowsOf('Operations')) {
    const [method = '', path = ''] = (/`([^`]+)`/.exec(operation)?.[1] ?? '').split(' ')
    assert.match(readFileSync(linked(code), 'utf8'), /^export (async )?(function|const) /m, operation)
    const text = readFileSync(linked(shown), 'utf8')
    const isCases = linked(shown).endsWith('.cases.ts')
    // A test writes its paths with ids: `/api/v1/orders/${order_id}/`.
    const fragment = isCases ? `'${method} ${path}'` : (path.split('{')[0] ?? '')
    assert(text.includes(fragment), `${operation}: ${linked(shown)} does not mention ${fragment}`)
  }
})

test('every open point of the contract has a decision and a reason', () => {
  const rows = rowsOf('Open points, and how we decided')
  const numbered = rows.filter(([point = '']) => /^\d+\. /.test(point))
  assert.deepEqual(
    numbered.map(([point = '']) => Number.parseInt(point, 10)),
    Array.from({ length: 16 }, (_, n) => n + 1),
  )
  for (const [point, decision = '', reason = ''] of rows)
    assert(decision.length > 3 && reason.length > 3, `${point}: ${decision} ${reason}`)
})

test('its links lead to files, and the codes that it names exist', () => {
  const links = [...page.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, link = '']) => link)
  assert.deepEqual(
    links.filter((link) => !existsSync(join(reference, link))),
    [],
  )
  const errors = readFileSync(join(reference, 'errors.md'), 'utf8')
  for (const [, code = ''] of page.matchAll(/\b4\d\d `(\w+)`/g)) assert(errors.includes(`\n## ${code}\n`), code)
})
