/** Every command of the pages for engineers is run by a test, or its page says why not; a command that is neither fails. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parse } from 'yaml'
import { createTestDatabase, type TestDatabase } from '../../../apps/service/src/testing/database.ts'

const root = join(import.meta.dirname, '../../..')
const ownTests = ['extend.md', 'fleet.md', 'incident.md', 'move-postgresql.md', 'passwords.md', 'standby.md']
const pages = globSync('*.md', { cwd: import.meta.dirname, exclude: ownTests }).toSorted()
const textOf = (page: string): string => readFileSync(join(import.meta.dirname, page), 'utf8')

/** Also blocks inside of a list. A command ends where the next line does not continue it. */
const commandsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^ *```sh\n([^]*?)^ *```$/gm)].flatMap(([, code = '']) =>
    code
      .trim()
      .split('\n')
      .map((line) => line.trim()),
  )

interface NotHere {
  /** A test that runs it, and what is found in its text. */
  readonly by?: readonly [file: string, text: string]
  /** Words of the page that say why no test runs it. */
  readonly because?: string
}

const noSystemd: NotHere = { because: 'not run by CI, which has no systemd' }
const noRuntime: NotHere = { because: 'the others are not: CI has no container runtime' }
const noCluster: NotHere = { because: 'Not run by CI, which has no cluster' }

/** By how the command begins. What is not listed is run below. */
const notHere: Readonly<Record<string, NotHere>> = {
  'psql -v ON_ERROR_STOP=1 -d "$DATABASE_URL" -f deploy/postgres/roles.sql': { by: ['deploy/postgres/roles.test.ts', 'roles.sql'] }, // prettier-ignore
  'RESTORE_MOMENTS=10 node --test deploy/backup/restore.campaign.ts': { by: ['package.json', '{apps,packages,proof,deploy,docs}/**/*.campaign.ts'] }, // prettier-ignore
  'pgbackrest --stanza=parts --delta restore': { by: ['deploy/backup/restore.campaign.ts', "backrest('restore', '--type=time'"] }, // prettier-ignore
  "psql -d postgres -c 'alter system reset": {
    by: ['deploy/backup/restore.campaign.ts', '/^ *psql (-d postgres .*)$/m'],
  },
  'sh deploy/compose/prepare.sh': { by: ['deploy/compose/compose.test.ts', "execFileSync('sh', ['prepare.sh']"] },
  'kubectl kustomize deploy/kubernetes/overlays/production': {
    by: ['deploy/kubernetes/schemas.test.ts', "['kustomize'"],
  },
  'parts audit export': { by: ['apps/cli/src/parts.test.ts', "'audit', 'export', '--after'"] },
  useradd: noSystemd,
  'apt-get': noSystemd,
  install: noSystemd,
  systemctl: noSystemd,
  'docker compose': noRuntime,
  'kubectl apply': noCluster,
  'kubectl -n parts create': noCluster,
  'kubectl -n parts wait': noCluster,
}
const isHere = (command: string): boolean => !Object.keys(notHere).some((start) => command.startsWith(start))

let database: TestDatabase
before(async () => void (database = await createTestDatabase()))
after(() => database.drop())

const run = (command: string): string =>
  execFileSync('bash', ['--norc', '-euo', 'pipefail', '-c', command], {
    cwd: root,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], DATABASE_URL: database.url },
  })

test('every command that is not run here is run by the named test, or its page says why not', () => {
  for (const [start, { by, because }] of Object.entries(notHere)) {
    const using = pages.filter((page) => commandsOf(page).some((command) => command.startsWith(start)))
    assert(using.length > 0, `No page has ${start}.`)
    if (because !== undefined) for (const page of using) assert(textOf(page).includes(because), `${page}: ${start}`)
    if (by === undefined) continue
    const [file, text] = by
    assert(existsSync(join(root, file)) && readFileSync(join(root, file), 'utf8').includes(text), `${file}: ${text}`)
  }
})

test('all other commands of the pages succeed, in order, in a migrated database', async () => {
  const here = pages.flatMap((page) => commandsOf(page).filter(isHere))
  assert.deepEqual(
    here.map((command) => command.split(' ').slice(0, 2).join(' ')),
    [
      'npm run',
      'psql "$DATABASE_URL"',
      'npx parts',
      'npm run',
      '{ printf',
      'promtool check',
      'promtool test',
      'psql "$DATABASE_URL"',
      'psql "$DATABASE_URL"',
      'psql "$DATABASE_URL"',
    ],
  )
  const printed = here.map((command) => run(command.replace(' > parts-alerts.yaml', '')))
  assert.equal(printed[1], '') // Nothing is sealed yet.
  assert.equal(printed[2], 'The database was not restored: nothing to do.\n')
  const rule = parse(printed[4] ?? '') as { kind: string; spec: object }
  assert.equal(rule.kind, 'PrometheusRule')
  assert.deepEqual(rule.spec, parse(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8')))
  assert.match(printed.at(-3) ?? '', /^ placed \| count \n-+\+-+\n\(0 rows\)\n/) // No order would be deleted.
  assert.equal(printed.at(-1), 'UPDATE 0\n') // No worker has made the rows yet.
})
