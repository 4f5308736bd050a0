import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { commands } from '../../apps/service/src/commands/command-line.ts'

const here = import.meta.dirname
const units = globSync('parts-*.{service,timer}', { cwd: here }).toSorted()
const services = units.filter((unit) => unit.endsWith('.service'))
/** A template is checked by one of its instances. */
const instanceOf = (unit: string): string => unit.replace('@.', '@8080.')

let folder: string

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'parts-systemd-'))
  const installed = join(folder, 'units')
  mkdirSync(join(installed, 'parts-.service.d'), { recursive: true })
  for (const unit of units) cpSync(join(here, unit), join(installed, unit))
  cpSync(join(here, 'hardening.conf'), join(installed, 'parts-.service.d/hardening.conf'))
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
  for (const unit of services) {
    const command = /^ExecStart=\/opt\/parts\/node\/bin\/node .*service\/src\/main\.ts (\w+)$/m.exec(
      readFileSync(join(here, unit), 'utf8'),
    )?.[1]
    assert(command !== undefined && Object.hasOwn(commands, command), basename(unit))
  }
})

test('Prometheus scrapes the ports of the units, and promtool accepts its configuration', () => {
  const copy = join(folder, 'prometheus')
  mkdirSync(copy)
  for (const file of [join(here, 'prometheus.yml'), join(here, '../prometheus/alerts.yml')])
    cpSync(file, join(copy, basename(file)))
  execFileSync('promtool', ['check', 'config', join(copy, 'prometheus.yml')], { stdio: 'ignore' })
  const page = readFileSync(join(here, '../../docs/how-to/engineer/deploy.md'), 'utf8')
  const ports = [...(/^systemctl enable --now (.*)$/m.exec(page)?.[1] ?? '').matchAll(/parts-api@(\d+)/g)].map(([, port]) => `127.0.0.1:1${port}`) // prettier-ignore
  assert.equal(ports.length, 2)
  const text = readFileSync(join(here, 'prometheus.yml'), 'utf8')
  for (const target of [...ports, '127.0.0.1:9465']) assert(text.includes(`'${target}'`), target)
})
