/** The text of compose.yaml: there is no container runtime in CI to start it with. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { BlockList } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { readSettings } from '../../apps/service/src/commands/read-settings.ts'

const here = import.meta.dirname

interface ComposeService {
  readonly image: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly networks?: { readonly default: { readonly ipv4_address: string } }
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

const text = readFileSync(join(here, 'compose.yaml'), 'utf8')
const { services, secrets, networks, volumes } = parse(text, { merge: true }) as {
  services: Record<string, ComposeService>
  secrets: Record<string, { readonly file: string }>
  networks: { default: { ipam: { config: [{ subnet: string; ip_range: string }] } } }
  volumes: Record<string, unknown>
}

test('the service starts after the migration has succeeded, with a read-only root', () => {
  for (const name of ['api_1', 'api_2', 'worker']) {
    assert.equal(services[name]?.depends_on?.['migrate']?.condition, 'service_completed_successfully', name)
    assert.equal(services[name]?.read_only, true)
  }
  assert.deepEqual(services['migrate']?.depends_on, { postgres: { condition: 'service_healthy' } })
})

test('the prepared secrets are all that is needed, only their owner can read them, and all settings are valid', () => {
  const folder = mkdtempSync(join(tmpdir(), 'parts-compose-'))
  try {
    cpSync(join(here, 'prepare.sh'), join(folder, 'prepare.sh'))
    execFileSync('sh', ['prepare.sh'], { cwd: folder })
    const drawn = (): string[] => Object.values(secrets).map(({ file }) => readFileSync(join(folder, file), 'utf8'))
    const first = drawn()
    assert.equal(new Set(first).size, first.length)
    execFileSync('sh', ['prepare.sh'], { cwd: folder }) // Again changes nothing.
    assert.deepEqual(drawn(), first)
    assert.equal(statSync(join(folder, 'secrets')).mode & 0o077, 0)
    assert.deepEqual(readdirSync(join(folder, 'secrets')).toSorted(), Object.keys(secrets).toSorted())
    assert.equal(services['haproxy']?.environment?.['CERTIFICATE'], '/run/secrets/certificate')
    assert(!text.includes('${')) // Nothing comes from the environment, which `docker inspect` shows.
    for (const [name, { environment = {}, secrets: given = [] }] of Object.entries(services)) {
      const read = Object.values(environment).flatMap((value) => /^\/run\/secrets\/(\w+)$/.exec(value)?.[1] ?? [])
      assert.deepEqual(read.filter((secret) => !given.includes(secret)), [], name) // prettier-ignore
      const settings = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [
          key,
          value.replace(/^\/run\/secrets\//, `${folder}/secrets/`),
        ]),
      )
      if (!['api_1', 'api_2', 'worker', 'migrate'].includes(name)) continue
      const password = readFileSync(join(folder, 'secrets', name === 'migrate' ? 'owner_password' : 'service_password'), 'utf8') // prettier-ignore
      assert.equal(new URL(readSettings(settings).databaseUrl).password, password.trim())
      assert.equal(readSettings(settings).webhookSecretKeys.length, name === 'migrate' ? 0 : 1)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('the API believes the address of the proxy and no other, and no other container can get it', () => {
  const proxy = services['haproxy']?.networks?.default.ipv4_address ?? ''
  for (const name of ['api_1', 'api_2']) assert.equal(services[name]?.environment?.['TRUSTED_PROXIES'], proxy)
  const [{ subnet, ip_range }] = networks.default.ipam.config
  const inside = (network: string): boolean => {
    const [base = '', bits = ''] = network.split('/')
    const list = new BlockList()
    list.addSubnet(base, Number(bits))
    return list.check(proxy)
  }
  assert.deepEqual([inside(subnet), inside(ip_range)], [true, false])
})

test('PostgreSQL accepts as many connections as the formula gives', () => {
  const page = readFileSync(join(here, '../../docs/how-to/engineer/deploy.md'), 'utf8')
  const [, api, worker, more] = /\(API processes \+ 1\) × (\d+) \+ \(workers \+ 1\) × (\d+) \+ (\d+)/.exec(page)?.map(Number) ?? [] // prettier-ignore
  const needed = 3 * (api ?? NaN) + 2 * (worker ?? NaN) + (more ?? NaN)
  const allowed = Number(/max_connections=(\d+)/.exec(services['postgres']?.command?.join(' ') ?? '')?.[1])
  assert(needed > 100 && allowed >= needed, `${allowed} for ${needed}`)
})

test('every file that is mounted exists', () => {
  for (const { volumes: mounts = [] } of Object.values(services))
    for (const mount of mounts) {
      const [source = ''] = mount.split(':')
      if (source.startsWith('/')) continue // Of the machine.
      if (source.startsWith('.')) assert(existsSync(join(here, source)), source)
      else assert(source in volumes, source)
    }
})

test('Prometheus scrapes every process and evaluates the alerts', () => {
  const { rule_files, scrape_configs } = parse(readFileSync(join(here, 'prometheus.yaml'), 'utf8')) as {
    rule_files: string[]
    scrape_configs: { job_name: string; static_configs: object[] }[]
  }
  const labels = { installation: 'compose' }
  assert.deepEqual(
    scrape_configs.map(({ job_name, static_configs }) => [job_name, static_configs]),
    [
      ['parts-api', [{ targets: ['api_1:9464', 'api_2:9464'], labels }]],
      ['parts-worker', [{ targets: ['worker:9465'], labels }]],
      ['parts-proxy', [{ targets: ['haproxy:8405'], labels }]],
      ['parts-database', [{ targets: ['postgres_exporter:9187'], labels }]],
      ['parts-disk', [{ targets: ['node_exporter:9100'], labels }]],
    ],
  )
  assert.deepEqual(rule_files, ['alerts.yml'])
  assert(services['prometheus']?.volumes?.includes('../prometheus/alerts.yml:/etc/prometheus/alerts.yml:ro'))
})
