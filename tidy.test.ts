/** The house rules that no compiler checks: the map, names in documentation, line lengths, unique names. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { test } from 'node:test'

const root = import.meta.dirname
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
const textOf = (file: string): string => readFileSync(join(root, file), 'utf8')
const ending = (...endings: string[]): string[] => files.filter((file) => endings.some((end) => file.endsWith(end)))

const pages = ending('.md')
const code = ending('.ts', '.sql')

test('the map in CONTRIBUTING names every folder of the code, and nothing else', () => {
  const map = /## The map of the code[^]*?```\n([^]*?)```/.exec(textOf('CONTRIBUTING.md'))?.[1] ?? ''
  const mapped = [...map.matchAll(/^(\S+)\/ /gm)].map(([, folder = '']) => folder)
  const folders = new Set(
    code.flatMap((file) => {
      const [top = '', second = '', third = '', fourth = '', fifth = ''] = file.split('/')
      if (second === 'service' && third === 'src') {
        const isRoom = fourth === 'orders' && fifth !== '' && !fifth.includes('.')
        return fourth.endsWith('.ts') ? [] : [`apps/service/src/${fourth}${isRoom ? `/${fifth}` : ''}`]
      }
      if (second === 'service') return [`apps/service/${third}`]
      if (['apps', 'packages', 'proof'].includes(top)) return [`${top}/${second}`]
      return second === '' ? [] : [top]
    }),
  )
  assert.deepEqual(mapped.toSorted(), [...folders].toSorted())
})

test('the README fits on two screens, the other pages of the first minute on one', () => {
  const lines = (page: string): number => textOf(page).trimEnd().split('\n').length
  assert(lines('README.md') <= 100, `${lines('README.md')} lines`)
  for (const page of ['ROADMAP.md', 'AGENTS.md']) assert(lines(page) <= 50, `${page}: ${lines(page)} lines`)
})

/** Folders that builds and runs write: a fresh clone has none of them. */
const made = ['apps/console/dist/', 'apps/docs/dist/', 'packages/client/dist/', 'proof/bench/results/']

test('links and file names in documentation lead somewhere', () => {
  const missing = pages.flatMap((page) => {
    const text = textOf(page)
    const links = [...text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)/g)].map(([, link = '']) =>
      normalize(join(dirname(page), link)),
    )
    const paths = [...text.matchAll(/`((?:apps|packages|proof|deploy|docs|\.ci)\/[\w./-]+)`/g)].map(
      ([, path = '']) => path,
    )
    const isPath = (path: string): boolean => /\/$|\.\w+$/.test(path) && !made.includes(path)
    return [...links, ...paths.filter(isPath)]
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`)
  })
  assert.deepEqual(missing, [])
})

test('every line of the threat model names a test that exists', () => {
  const model = textOf('SECURITY.md').split('## Threat model')[1] ?? ''
  const lines = model
    .split('\n')
    .filter((line) => /^\| .* \| .* \| .* \|$/.test(line) && !/^\| (attempt|mistake) /.test(line))
  assert(lines.length > 15)
  const unproved = lines.filter((line) => {
    const tests = [...line.matchAll(/`([\w./-]+\.(?:test|campaign|timing)\.ts)`/g)].map(([, path = '']) => path)
    return tests.length === 0 || !tests.every((path) => files.includes(path))
  })
  assert.deepEqual(unproved, [])
})

test('file names without a folder in documentation belong to a file', () => {
  const names = new Set(files.map((file) => file.split('/').at(-1)))
  const isExample = (name: string): boolean => /\.csv$|^change-remark\.|^NNNN_/.test(name) // Of imports and recipes.
  const missing = pages.flatMap((page) =>
    [
      ...textOf(page).matchAll(
        /`([\w-]+(?:\.part|\.test|\.cases|\.campaign|\.timing|\.operator)?\.(?:ts|sql|md|json|csv))`/g,
      ),
    ]
      .map(([, name = '']) => name)
      .filter((name) => !names.has(name) && !isExample(name))
      .map((name) => `${page}: ${name}`),
  )
  assert.deepEqual(missing, [])
})

test('commands in documentation exist', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Record<string, string> }
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
      .map(([, script = '']) => script)
      .filter((script) => scripts[script] === undefined)
      .map((script) => `${page}: npm run ${script}`),
  )
  assert.deepEqual(missing, [])
})

test('settings in documentation are read somewhere', () => {
  const sources = code.concat('.ci/run').map(textOf).join('\n')
  const missing = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`([A-Z]{2,}(?:_[A-Z]+)+)(?:=[^`]*)?`/g)]
      .map(([, setting = '']) => setting)
      .filter((setting) => !new RegExp(`\\b${setting}\\b`).test(sources))
      .map((setting) => `${page}: ${setting}`),
  )
  assert.deepEqual(missing, [])
})

test('every statement and part file is used, and every function and view', () => {
  const sources = code.map(textOf).join('\n')
  const files = ending('.sql').filter((file) => file.startsWith('apps/service/src/'))
  const unused = files
    .filter((file) => !file.includes('_'))
    .filter((file) => !sources.includes(file.split('/').at(-1) ?? ''))
  assert.deepEqual(unused, [])
  const sql = files.map(textOf).join('\n')
  const created = [...sql.matchAll(/^create or replace (?:function|view) (\w+)/gm)].map(([, name = '']) => name)
  assert(created.length > 30)
  const called = (name: string): number => sql.split(new RegExp(`\\b${name}\\b(?!\\.)`)).length - 2
  assert.deepEqual(
    created.filter((name) => called(name) === 0 && !new RegExp(`\\b${name}(\\.sql|\\()`).test(sources)),
    [],
  )
})

test('lines of SQL have at most 120 columns', () => {
  const long = ending('.sql').flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, i) => (line.length > 120 ? [`${file}:${i + 1}`] : [])),
  )
  assert.deepEqual(long, [])
})

/** The constructs that decision 2 names, each with the phrase that a comment must use. */
const plannerTricks: readonly (readonly [RegExp, string])[] = [
  [/\(select count\(\*\) from \w+\) >= 0/, 'chained'],
  [/\boffset 0\b/, 'lookup fence'],
  [/\bfull join \w/, 'hashed join'], // Of two steps.
  [/= any\(array\[\w+\.\w+\]\)/, 'driving step'],
]

test('planner tricks in SQL are named by a comment in the same line or the line above', () => {
  const uses = ending('.sql').flatMap((file) => {
    const lines = textOf(file).split('\n')
    return lines.flatMap((line, i) =>
      plannerTricks
        .filter(([trick]) => trick.test(line.replace(/--.*/, '')))
        .map(([, phrase]) => ({
          at: `${file}:${i + 1} ${phrase}`,
          named: lines.slice(Math.max(0, i - 1), i + 1).some((near) => near.includes('--') && near.includes(phrase)),
        })),
    )
  })
  for (const [, phrase] of plannerTricks) assert(uses.some(({ at }) => at.endsWith(phrase)))
  assert.deepEqual(
    uses.filter(({ named }) => !named),
    [],
  )
})

test('every exported type has a name of its own in the whole repository', () => {
  // The generated types of the client repeat the names of the API, and its two sides have the same classes of errors.
  const own = ending('.ts').filter((file) => !/^packages\/client\/src\/(\w+-api|operator)\.ts$/.test(file))
  const declared = own.flatMap((file) =>
    [...textOf(file).matchAll(/^export (?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm)].map(
      ([, name = '']) => ({ name, file }),
    ),
  )
  const byName = Object.groupBy(declared, ({ name }) => name)
  const repeated = Object.entries(byName).flatMap(([name, at = []]) =>
    at.length > 1 ? [`${name}: ${at.map(({ file }) => file).join(', ')}`] : [],
  )
  assert.deepEqual(repeated, [])
})

test('CHANGELOG: versions from 0.1.0 on, newest first, each with Added, Changed, Fixed, Operations in this order', () => {
  const kinds = ['Added', 'Changed', 'Fixed', 'Operations']
  const [head = '', ...releases] = textOf('CHANGELOG.md').split(/^## /m)
  assert(head.startsWith('# Changelog\n'))
  const titles = releases.map((release) => release.split('\n', 1)[0] ?? '')
  const [first, ...others] = titles
  assert.match(first ?? '', /^Unreleased$|^\d+\.\d+\.\d+( \(\d{4}-\d\d-\d\d\))?$/)
  for (const title of others) assert.match(title, /^\d+\.\d+\.\d+( \(\d{4}-\d\d-\d\d\))?$/)
  assert.match(titles.at(-1) ?? '', /^0\.1\.0\b/)
  for (const release of releases) {
    const sections = [...release.matchAll(/^### (.+)$/gm)].map(([, section = '']) => section)
    assert.deepEqual(
      sections,
      kinds.filter((kind) => sections.includes(kind)),
    )
    const [, ...entries] = release.split('\n')
    for (const line of entries) assert.match(line, /^$|^### |^For [a-z ]+:$|^- [A-Z`@[].*[.:]$|^ {2}\S/, line)
  }
})
