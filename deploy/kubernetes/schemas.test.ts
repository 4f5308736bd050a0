/**
 * The manifests against the schemas of Kubernetes, CloudNativePG and the Prometheus operator. The validators refuse wrong
 * values and missing fields; the compiler, for which every manifest is written as a typed constant, refuses fields that do
 * not exist, which a schema allows and a cluster drops.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly [field: string]: unknown
}

const root = join(import.meta.dirname, '../..')
const production = parseAllDocuments(
  execFileSync('kubectl', ['kustomize', join(import.meta.dirname, 'overlays/production')], { encoding: 'utf8' }),
).map((document) => asKnown(document.toJS() as Manifest))

/**
 * There is no package for the schema of an ObjectStore. By the plugin's documentation its configuration is what
 * `backup.barmanObjectStore` of a cluster was, which there is one for.
 */
function asKnown(manifest: Manifest): Manifest {
  if (manifest.kind !== 'ObjectStore') return manifest
  const { retentionPolicy, configuration, ...more } = manifest['spec'] as Record<string, unknown>
  assert.deepEqual(more, {})
  return {
    apiVersion: 'postgresql.cnpg.io/v1',
    kind: 'Cluster',
    metadata: manifest['metadata'],
    spec: { instances: 1, storage: {}, backup: { retentionPolicy, barmanObjectStore: configuration } },
  }
}

const rule = (): Manifest => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'parts' },
  spec: parse(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8')) as object,
})
const packages: Record<string, string> = {
  'postgresql.cnpg.io/v1': '@kubernetes-models/cloudnative-pg',
  'monitoring.coreos.com/v1': '@kubernetes-models/prometheus-operator',
}
const moduleOf = ({ apiVersion }: Manifest): string => `${packages[apiVersion] ?? 'kubernetes-models'}/${apiVersion}`

async function validate(manifest: Manifest): Promise<void> {
  const models = (await import(moduleOf(manifest))) as Record<
    string,
    new (data: object) => { readonly validate: () => void }
  >
  const Model = models[manifest.kind]
  assert(Model !== undefined, `There is no schema of ${manifest.apiVersion} ${manifest.kind}.`)
  new Model(manifest).validate()
}

/** What the compiler says about the manifests. */
function compile(manifests: readonly Manifest[]): string {
  // In the repository, where the packages are found.
  const folder = mkdtempSync(join(root, 'node_modules', '.manifests-'))
  try {
    writeFileSync(
      join(folder, 'manifests.ts'),
      manifests
        .map(
          (manifest, n) =>
            `export const m${n}: import('${moduleOf(manifest)}').I${manifest.kind} = ${JSON.stringify(manifest, null, 1)}\n`,
        )
        .join(''),
    )
    const options = { module: 'nodenext', target: 'esnext', strict: true, noEmit: true, skipLibCheck: true, types: [] }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['manifests.ts'] }))
    return spawnSync(join(root, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' }).stdout
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test('every manifest, and the alerts as a rule of the operator, are what the schemas allow', async () => {
  for (const manifest of [...production, rule()]) await validate(manifest)
  assert.equal(compile([...production, rule()]), '')
})

test('a wrong value, a missing field and a field that does not exist are found', async () => {
  // oxlint-disable-next-line typescript/no-explicit-any -- The test breaks what the types would protect.
  const deployment = (edit: (api: any) => void): Manifest => {
    const api = structuredClone(production.find(({ kind, metadata }) => kind === 'Deployment' && (metadata as { name: string }).name === 'api')) // prettier-ignore
    assert(api !== undefined)
    edit(api)
    return api
  }
  await assert.rejects(validate(deployment((api) => (api.spec.replicas = 'two'))), /replicas/)
  await assert.rejects(validate(deployment((api) => delete api.spec.selector)), /selector/)
  const misspelt = deployment((api) => (api.spec.template.spec.terminationGracePeriod = 30))
  assert.match(compile([misspelt]), /error TS2353: .*'?terminationGracePeriod'?/)
})
