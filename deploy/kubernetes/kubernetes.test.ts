/** What `kubectl kustomize` makes of the manifests. There is no cluster in CI: they have not been applied to one here. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parseAllDocuments } from 'yaml'
import { commands } from '../../apps/service/src/commands/command-line.ts'
import { readConfig } from '../../apps/service/src/config.ts'

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}
interface PodContainer {
  readonly image: string
  readonly args?: readonly string[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly env?: readonly { readonly name: string; readonly value: string }[]
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
const podOf = ({ kind, spec }: Manifest): Pod | undefined =>
  kind === 'CronJob' ? spec.jobTemplate.spec.template : ['Deployment', 'Job'].includes(kind) ? spec.template : undefined
const pods = base.map(podOf).filter((pod) => pod !== undefined)
const containers = pods.flatMap(({ spec }) => spec.containers)

test('base and overlay have everything that runs, with its budget, policy, scaling and monitoring', () => {
  const names = (manifests: Manifest[]): string[] =>
    manifests.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted()
  const ofBase = [
    'CronJob check', 'Deployment api', 'Deployment worker', 'HorizontalPodAutoscaler api', 'Job migrate', 'Namespace parts',
    'NetworkPolicy api', 'NetworkPolicy default-deny', 'NetworkPolicy worker', 'PodDisruptionBudget api',
    'PodDisruptionBudget worker', 'Service api',
  ] // prettier-ignore
  assert.deepEqual(names(base), ofBase)
  const production = built('overlays/production')
  assert.deepEqual(
    names(production),
    [...ofBase, 'Cluster parts-db', 'PodMonitor worker', 'ServiceMonitor api'].toSorted(),
  )
  for (const { kind, metadata } of production) if (kind !== 'Namespace') assert.equal(metadata.namespace, 'parts')
})

test('every pod satisfies the restricted profile, with a read-only root and a memory limit', () => {
  assert.equal(pods.length, 4)
  for (const { spec } of pods) {
    assert.deepEqual(spec.securityContext, {
      runAsNonRoot: true,
      runAsUser: 10_001,
      runAsGroup: 10_001,
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

test('commands exist, settings are valid, and ports are those of the service', () => {
  const config = readConfig({ DATABASE_URL: 'postgres://none/none' })
  const known = [config.port, config.metricsPort, config.workerPort, config.workerMetricsPort]
  for (const { args = ['apps/service/src/main.ts', 'api'], env = [], ports = [] } of containers) {
    assert.equal(args[0], 'apps/service/src/main.ts')
    assert(Object.hasOwn(commands, args[1] ?? ''), args.join(' '))
    readConfig({
      DATABASE_URL: 'postgres://none/none',
      ...Object.fromEntries(env.map(({ name, value }) => [name, value])),
    })
    for (const { containerPort } of ports) assert(known.includes(containerPort))
  }
})

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
    const settings = Object.fromEntries(container?.env?.map(({ name, value }) => [name, value]) ?? [])
    const { shutdownDelayMs, shutdownGraceMs } = readConfig({ DATABASE_URL: 'postgres://none/none', ...settings })
    assert((spec.terminationGracePeriodSeconds ?? 0) * 1000 > shutdownDelayMs + shutdownGraceMs)
  }
})

test('the monitors give the jobs the names that the alerts use', () => {
  const alerts = readFileSync(join(import.meta.dirname, '../prometheus/alerts.yml'), 'utf8')
  const used = new Set([...alerts.matchAll(/job="([^"]+)"/g)].map(([, name]) => name))
  const monitors = built('overlays/production').filter(({ kind }) => kind.endsWith('Monitor'))
  const given = monitors.flatMap(({ spec }) => (spec.endpoints ?? spec.podMetricsEndpoints)[0].relabelings)
  assert.deepEqual(given, [
    { targetLabel: 'job', replacement: 'parts-worker' },
    { targetLabel: 'job', replacement: 'parts-api' },
  ])
  assert.deepEqual(used, new Set(['parts-api', 'parts-worker']))
})
