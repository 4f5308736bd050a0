/** The text of compose.yaml: there is no container runtime in CI to start it with. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseEnv } from 'node:util'
import { parse } from 'yaml'
import { readSettings } from '../../apps/service/src/commands/read-settings.ts'

const here = import.meta.dirname

interface ComposeService {
  readonly image: string
  readonly user?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const text = readFileSync(join(here, 'compose.yaml'), 'utf8')
const { services, volumes } = parse(text, { merge: true }) as {
  services: Record<string, ComposeService>
  volumes: Record<string, unknown>
}

test('the service starts after the migration has succeeded, with a read-only root', () => {
  for (const name of ['api_1', 'api_2', 'worker']) {
    assert.equal(services[name]?.depends_on?.['migrate']?.condition, 'service_completed_successfully', name)
    assert.equal(services[name]?.read_only, true)
  }
  assert.deepEqual(services['migrate']?.depends_on, { postgres: { condition: 'service_healthy' } })
})

test('the prepared passwords fill every variable, and all settings are valid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-compose-'))
  try {
    cpSync(join(here, 'prepare.sh'), join(folder, 'prepare.sh'))
    execFileSync('sh', ['prepare.sh'], { cwd: folder })
    const drawn = readFileSync(join(folder, '.env'), 'utf8')
    execFileSync('sh', ['prepare.sh'], { cwd: folder }) // Again changes nothing.
    assert.equal(readFileSync(join(folder, '.env'), 'utf8'), drawn)
    assert.equal(statSync(join(folder, '.env')).mode & 0o077, 0)
    const values = parseEnv(drawn)
    // Only the user that HAProxy runs as reads the key.
    for (const name of ['certificate', 'certificate/both.pem', 'certificate/certificate.pem']) {
      const { mode, uid, gid } = statSync(join(folder, name))
      assert.equal(mode & 0o077, 0, name)
      assert.equal(`${uid}:${gid}`, values['HAPROXY_USER'], name)
    }
    assert.equal(services['haproxy']?.user, '${HAPROXY_USER:?run prepare.sh}')
    const filled = (value: string): string => value.replaceAll(/\$\{(\w+)(?::\?[^}]*)?\}/g, (_, name: string) => values[name] ?? assert.fail(name)) // prettier-ignore
    for (const [name, { environment = {} }] of Object.entries(services)) {
      const settings = Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, filled(value)]))
      if (['api_1', 'api_2', 'worker', 'migrate'].includes(name)) readSettings(settings)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('every file that is mounted exists, or is made by prepare.sh', () => {
  for (const { volumes: mounts = [] } of Object.values(services))
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      if (source.startsWith('.')) assert(source === './certificate' || existsSync(join(here, source)), source)
      else assert(source in volumes, source)
    }
})

test('Prometheus scrapes every process and evaluates the alerts', () => {
  const { rule_files, scrape_configs } = parse(readFileSync(join(here, 'prometheus.yaml'), 'utf8')) as {
    rule_files: string[]
    scrape_configs: { job_name: string; static_configs: [{ targets: string[] }] }[]
  }
  assert.deepEqual(
    scrape_configs.map(({ job_name, static_configs: [{ targets }] }) => [job_name, targets]),
    [
      ['parts-api', ['api_1:9464', 'api_2:9464']],
      ['parts-worker', ['worker:9465']],
    ],
  )
  assert.deepEqual(rule_files, ['alerts.yml'])
  assert(services['prometheus']?.volumes?.includes('../prometheus/alerts.yml:/etc/prometheus/alerts.yml:ro'))
})
