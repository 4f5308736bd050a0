/** What `kubectl kustomize` makes of the manifests. There is no cluster in CI: they have not been applied to one here. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { commands } from '../../apps/service/src/commands/command-line.ts'
import { readConfig } from '../../apps/service/src/config.ts'
import { postgresMetrics } from '../prometheus/postgres-metrics.ts'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface PodContainer {
  readonly image: string
  readonly args?: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[]
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly securityContext: object
  readonly resources: { readonly limits: { readonly memory: string } }
}
interface Pod {
  readonly metadata: { readonly labels: Readonly<Record<string, string>> }
  readonly spec: {
    readonly securityContext: { readonly runAsNonRoot: boolean; readonly runAsUser: number }
    readonly terminationGracePeriodSeconds?: number
    readonly containers: readonly PodContainer[]
    readonly volumes?: readonly { readonly name: string; readonly secret: { readonly secretName: string } }[]
  }
}
interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  // oxlint-disable-next-line typescript/no-explicit-any -- Of any kind.
  readonly spec: any
}

const built = (folder: string): Manifest[] =>
  parseAllDocuments(
    execFileSync('kubectl', ['kustomize', join(import.meta.dirname, folder)], { encoding: 'utf8' }),
  ).map((document) => document.toJS() as Manifest)

const base = built('base')
const production = built('overlays/production')
const podOf = ({ kind, spec }: Manifest): Pod | undefined =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template : ['Deployment', 'Job'].includes(kind) ? spec.template : undefined
const pods = base.map(podOf).filter((pod) => pod !== undefined)

test('base and overlay have everything that runs, with its budget, policy, scaling and monitoring', () => {
  const names = (manifests: Manifest[]): string[] =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()
  const ofBase = [
    'CronJob check', 'Deployment api', 'Deployment worker', 'HorizontalPodAutoscaler api', 'Job migrate', 'Namespace parts',
    'NetworkPolicy api', 'NetworkPolicy default-deny', 'NetworkPolicy internet', 'NetworkPolicy metrics', 'NetworkPolicy names',
    'NetworkPolicy redis', 'PodDisruptionBudget api', 'PodDisruptionBudget worker', 'Service api', 'Service api-operators', 'NetworkPolicy use-redis',
  ] // prettier-ignore
  assert.deepEqual(names(base), ofBase.toSorted())
  const added = [
    'Cluster parts-db', 'Ingress api', 'Ingress operators', 'NetworkPolicy database', 'NetworkPolicy use-database',
    'ObjectStore parts-db', 'PodMonitor database', 'PodMonitor worker', 'ScheduledBackup parts-db', 'ServiceMonitor api',
  ] // prettier-ignore
  assert.deepEqual(names(production), [...ofBase, ...added].toSorted())
  for (const { kind, metadata } of production) if (kind !== 'Namespace') assert.equal(metadata.namespace, 'parts')
})

test('every pod satisfies the restricted profile, with a read-only root and a memory limit', () => {
  assert.equal(pods.length, 4)
  for (const { spec } of pods) {
    assert.deepEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
      fsGroup: 10_001,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const container of spec.containers) {
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      assert.match(container.resources.limits.memory, /^\d+[MG]i$/)
    }
  }
})

/** The settings of a container; the secrets that are mounted are files of this machine. */
function settingsOf({ env = [] }: PodContainer): ReturnType<typeof readConfig> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-secrets-'))
  try {
    writeFileSync(join(folder, 'DATABASE_URL'), 'postgres://none/none')
    writeFileSync(join(folder, 'WEBHOOK_SECRET_KEYS'), `2026:${Buffer.alloc(32).toString('base64')}`)
    return readConfig(
      Object.fromEntries(env.map(({ name, value }) => [name, value.replace(/^\/run\/secrets\/parts\//, `${folder}/`)])),
    )
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('commands exist, settings are valid, and ports are those of the service', () => {
  for (const manifests of [base, production])
    for (const container of manifests.map(podOf).flatMap((pod) => pod?.spec.containers ?? [])) {
      const { args = ['apps/service/src/main.ts', 'api'], ports = [] } = container
      assert.equal(args[0], 'apps/service/src/main.ts')
      assert(Object.hasOwn(commands, args[1] ?? ''), args.join(' '))
      const config = settingsOf(container)
      const known = [config.port, config.operatorPort, config.metricsPort, config.workerPort, config.workerMetricsPort]
      for (const { containerPort } of ports) assert(known.includes(containerPort))
    }
})

test('each pod gets only the secret of its role, as files that its user can read', () => {
  const secretsOf = pods.map(({ metadata, spec }) => {
    assert.deepEqual(spec.containers[0]?.volumeMounts, [{ name: 'secrets', mountPath: '/run/secrets/parts', readOnly: true }]) // prettier-ignore
    const [volume, ...more] = spec.volumes ?? []
    assert.deepEqual([volume?.name, more], ['secrets', []])
    const { secretName, ...options } = volume?.secret ?? assert.fail()
    assert.deepEqual(options, { defaultMode: 0o440 })
    return [metadata.labels['app.kubernetes.io/name'], secretName]
  })
  assert.deepEqual(Object.fromEntries(secretsOf), { api: 'parts-service', worker: 'parts-service', migrate: 'parts-owner', check: 'parts-reader' }) // prettier-ignore
  assert(!JSON.stringify(production).includes('envFrom'))
})

test('the overlay names the trusted proxies, and the base none: nobody trusts a network by accident', () => {
  const proxiesIn = (manifests: Manifest[]): (readonly string[])[] =>
    manifests.map(podOf).flatMap((pod) => pod?.spec.containers ?? []).map((container) => settingsOf(container).trustedProxies) // prettier-ignore
  assert.deepEqual(proxiesIn(base).flat(), [])
  assert.deepEqual(proxiesIn(production).flat(), ['10.244.0.0/16'])
})

test('operators have a service and a name of their own, and every ingress leads to a port that exists', () => {
  const routes = production
    .filter(({ kind }) => kind === 'Ingress')
    .map(({ spec }) => {
      const [{ host, http }] = spec.rules
      const { name, port } = http.paths[0].backend.service
      return [spec.ingressClassName, host, name, port.name]
    })
  assert.deepEqual(routes, [
    ['haproxy', 'parts.example', 'api', 'http'],
    ['haproxy-internal', 'desk.example', 'api-operators', 'operators'],
  ])
  for (const [, , service, port] of routes) {
    const { spec } = production.find(({ kind, metadata }) => kind === 'Service' && metadata.name === service) ?? assert.fail()
    const { targetPort } = spec.ports.find(({ name }: { name: string }) => name === port)
    const pod = pods.find(({ metadata }) => Object.entries(spec.selector).every(([key, value]) => metadata.labels[key] === value)) // prettier-ignore
    assert(pod?.spec.containers[0]?.ports?.some(({ name }) => name === targetPort))
  }
}) // prettier-ignore

test('the database archives to the store of the nightly backup', () => {
  const of = (name: string): Manifest => production.find(({ kind }) => kind === name) ?? assert.fail(name)
  const plugin = of('Cluster').spec.plugins[0]
  assert.deepEqual(plugin.parameters, { barmanObjectName: of('ObjectStore').metadata.name })
  assert.equal(plugin.isWALArchiver, true)
  assert.deepEqual(of('ScheduledBackup').spec, {
    schedule: '0 0 1 * * *',
    backupOwnerReference: 'self',
    cluster: { name: of('Cluster').metadata.name },
    method: 'plugin',
    pluginConfiguration: { name: plugin.name },
  })
})

test('what is asked of PostgreSQL and of its backups gets the names that the alerts know', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/how-to/engineer/deploy.md'), 'utf8')
  const cluster = production.find(({ kind }) => kind === 'Cluster') ?? assert.fail()
  const [{ name, key }] = cluster.spec.monitoring.customQueriesConfigMap
  assert(text.includes(`create configmap ${name} --from-file=deploy/prometheus/${key}`))
  const monitor = production.find(({ kind, metadata }) => kind === 'PodMonitor' && metadata.name === 'database')
  const renamed = (metric: string): string =>
    monitor?.spec.podMetricsEndpoints[0].metricRelabelings.reduce(
      (name: string, { regex, replacement }: { regex: string; replacement: string }) =>
        name.replace(new RegExp(`^(?:${regex})$`), replacement),
      metric,
    )
  const [ofBackups, ...asked] = postgresMetrics().map(({ name }) => name).toReversed()
  for (const name of asked) assert.equal(renamed(`cnpg_${name}`), name)
  assert.equal(renamed('barman_cloud_cloudnative_pg_io_last_available_backup_timestamp'), ofBackups)
}) // prettier-ignore

test('probes ask the right paths of a named port, and a pod is not killed before it has drained', () => {
  const serving = pods.filter(({ spec }) => spec.containers[0]?.readinessProbe !== undefined)
  assert.deepEqual(serving.map(({ metadata }) => metadata.labels['app.kubernetes.io/name']), ['api', 'worker']) // prettier-ignore
  for (const { spec } of serving) {
    const [container] = spec.containers
    assert.equal(container?.startupProbe?.httpGet.path, '/healthz')
    assert.equal(container?.livenessProbe?.httpGet.path, '/healthz') // A database that is away is no reason to restart.
    assert.equal(container?.readinessProbe?.httpGet.path, '/readyz')
    for (const probe of [container?.startupProbe, container?.livenessProbe, container?.readinessProbe])
      assert(container?.ports?.some(({ name }) => name === probe?.httpGet.port))
    const { shutdownDelayMs, shutdownGraceMs } = settingsOf(container ?? assert.fail())
    assert((spec.terminationGracePeriodSeconds ?? 0) * 1000 > shutdownDelayMs + shutdownGraceMs)
  }
})

test('the monitors give the jobs the names that the alerts use, and the label of the installation', () => {
  const alerts = readFileSync(join(import.meta.dirname, '../prometheus/alerts.yml'), 'utf8')
  const used = new Set([...alerts.matchAll(/job="([^"]+)"/g)].map(([, name]) => name))
  const given = production
    .filter(({ kind }) => kind.endsWith('Monitor'))
    .map(({ spec }): string => {
      const [job, ...others] = (spec.endpoints ?? spec.podMetricsEndpoints)[0].relabelings
      assert.deepEqual(others, [{ sourceLabels: ['__meta_kubernetes_namespace'], targetLabel: 'installation' }])
      assert.equal(job.targetLabel, 'job')
      return job.replacement
    })
  assert.deepEqual(given.toSorted(), ['parts-api', 'parts-database', 'parts-worker'])
  assert.deepEqual(used, new Set(['parts-api', 'parts-worker', 'parts-disk']))
})
