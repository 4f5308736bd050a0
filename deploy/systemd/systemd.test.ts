import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { readConfig } from '../../apps/service/src/config.ts'
import { commands } from '../../apps/service/src/commands/command-line.ts'

const here = import.meta.dirname
const units = globSync('parts-*.{service,timer}', { cwd: here }).toSorted()
const services = units.filter((unit) => unit.endsWith('.service'))
/** A template is checked by one of its instances. */
const instanceOf = (unit: string): string => unit.replace('@.', unit.startsWith('parts-backup') ? '@full.' : '@8080.')

let folder: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'parts-systemd-'))
  const installed = join(folder, 'units')
  mkdirSync(join(installed, 'parts-.service.d'), { recursive: true })
  for (const unit of units) cpSync(join(here, unit), join(installed, unit))
  cpSync(join(here, 'hardening.conf'), join(installed, 'parts-.service.d/hardening.conf'))
  cpSync(join(here, 'backup.conf'), join(installed, 'parts-backup@.service.d/user.conf'))
})
after(() => rmSync(folder, { recursive: true }))

test('systemd accepts every unit', () => {
  const { stdout, stderr, status } = spawnSync(
    'systemd-analyze',
    ['verify', '--man=no', '--recursive-errors=one', ...units.map(instanceOf)],
    { encoding: 'utf8', env: { ...process.env, SYSTEMD_UNIT_PATH: `${join(folder, 'units')}:` }, cwd: folder },
  )
  // The one thing that a machine without an installation cannot have.
  const complaints = `${stdout}${stderr}`
    .split('\n')
    .filter((line) => line !== '' && !/Command \/opt\/parts\/node\/bin\/node is not executable/.test(line))
    .filter((line) => line.includes('parts-'))
  assert.deepEqual(complaints, [])
  assert(status !== null)
})

test('every service is confined: an exposure of at most 1.5 of 10', () => {
  const root = join(folder, 'root')
  mkdirSync(join(root, 'etc/systemd'), { recursive: true })
  cpSync(join(folder, 'units'), join(root, 'etc/systemd/system'), { recursive: true })
  for (const unit of services) {
    const text = execFileSync(
      'systemd-analyze',
      ['security', '--offline=true', '--no-pager', '--threshold=15', `--root=${root}`, instanceOf(unit)],
      { encoding: 'utf8' },
    )
    const exposure = Number(/exposure level for .*: ([\d.]+)/.exec(text)?.[1])
    assert(exposure <= 1.5, `${unit}: ${exposure}`)
  }
})

test('every service runs a command of the service that exists', () => {
  assert(existsSync(join(here, '../../apps/service/src/main.ts')))
  for (const unit of services.filter((name) => name !== 'parts-backup@.service')) {
    const command = /^ExecStart=\/opt\/parts\/node\/bin\/node .*service\/src\/main\.ts (\w+)$/m.exec(
      readFileSync(join(here, unit), 'utf8'),
    )?.[1]
    assert(command !== undefined && Object.hasOwn(commands, command), basename(unit))
  }
})

test('a backup runs as postgres and leaves the shared memory of PostgreSQL alone; each timer starts one that exists', () => {
  const root = join(folder, 'root')
  const shown = execFileSync(
    'systemd-analyze',
    ['security', '--offline=true', '--no-pager', `--root=${root}`, 'parts-backup@full.service'],
    { encoding: 'utf8' },
  )
  assert.match(shown, /User=\/DynamicUser= +Service runs under a static non-root user identity/)
  assert.match(shown, /✗ RemoveIPC=/)
  const started = units.filter((unit) => unit.endsWith('.timer')).map((unit) => {
    const text = readFileSync(join(here, unit), 'utf8')
    return [/^Unit=(.*)$/m.exec(text)?.[1], /^OnCalendar=(.*)$/m.exec(text)?.[1]]
  })
  assert.deepEqual(started, [
    ['parts-backup@full.service', 'Sun *-*-* 01:00:00'],
    ['parts-backup@incr.service', 'Mon..Sat *-*-* 01:00:00'],
    [undefined, '*-*-* 03:30:00'],
  ])
  assert.match(readFileSync(join(here, 'parts-backup@.service'), 'utf8'), /^ExecStart=\S+ --stanza=parts --type=%i backup$/m)
}) // prettier-ignore

test('the port of an instance gives valid settings for every port', () => {
  for (const unit of ['parts-api@.service', 'parts-worker@.service'])
    for (const port of ['80', '8080', '18080', '65535']) {
      const settings = /^Environment=(.*)$/m.exec(readFileSync(join(here, unit), 'utf8'))?.[1]?.replaceAll('%i', port)
      readConfig({ DATABASE_URL: 'postgres://none/none', ...parseEnv(settings?.replaceAll(' ', '\n') ?? '') })
    }
})

test('Prometheus scrapes what the page starts, and promtool accepts its configuration', () => {
  const copy = join(folder, 'prometheus')
  mkdirSync(copy)
  for (const file of [join(here, 'prometheus.yml'), join(here, '../prometheus/alerts.yml')])
    cpSync(file, join(copy, basename(file)))
  execFileSync('promtool', ['check', 'config', join(copy, 'prometheus.yml')], { stdio: 'ignore' })
  const page = readFileSync(join(here, '../../docs/how-to/engineer/deploy.md'), 'utf8')
  const enabled = /^systemctl enable --now (.*)$/m.exec(page)?.[1] ?? ''
  const targetsOf = (unit: string): string[] => [...enabled.matchAll(new RegExp(`${unit}@(\\d+)`, 'g'))].map(([, port]) => `127.0.0.2:${port}`) // prettier-ignore
  const { scrape_configs } = parse(readFileSync(join(here, 'prometheus.yml'), 'utf8')) as {
    scrape_configs: { job_name: string; static_configs: { targets: string[]; labels: object }[] }[]
  }
  const labels = { installation: 'production' }
  assert.deepEqual(
    scrape_configs.map(({ job_name, static_configs }) => [job_name, static_configs]),
    [
      ['parts-api', [{ targets: targetsOf('parts-api'), labels }]],
      ['parts-worker', [{ targets: targetsOf('parts-worker'), labels }]],
      ['parts-proxy', [{ targets: ['127.0.0.1:8405'], labels }]],
      ['parts-database', [{ targets: ['127.0.0.1:9187'], labels }]],
      ['parts-disk', [{ targets: ['127.0.0.1:9100'], labels }]],
    ],
  )
  assert.deepEqual([targetsOf('parts-api').length, targetsOf('parts-worker').length], [2, 2])
})
