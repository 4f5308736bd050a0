/** The package as it would be published: built, packed, and installed into an empty project. */
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const client = join(import.meta.dirname, '..')

export interface Packed {
  readonly tarball: string
  readonly files: readonly string[]
  /** An empty project into which the tarball was installed. */
  readonly project: string
  readonly remove: () => Promise<void>
}

export async function packClient(): Promise<Packed> {
  const folder = await mkdtemp(join(tmpdir(), 'parts-client-'))
  await run(process.execPath, [join(client, 'build.ts'), join(folder, 'package')])
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', folder, join(folder, 'package')])
  const packed = Object.values(JSON.parse(stdout) as Record<string, { filename: string; files: { path: string }[] }>)[0]
  if (packed === undefined) throw new Error(stdout)
  const tarball = join(folder, packed.filename)
  const project = join(folder, 'project')
  await cp(join(import.meta.dirname, 'project'), project, { recursive: true })
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: project })
  return {
    tarball,
    files: packed.files.map(({ path }) => path),
    project,
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

/** The README's first example. */
export async function firstExample(): Promise<string> {
  const readme = await readFile(join(client, 'README.md'), 'utf8')
  return /## Your first order\n\n```js\n([^]*?)```/.exec(readme)?.[1] ?? ''
}

interface ExampleRun {
  readonly program: string
  readonly options?: readonly string[] | undefined
  readonly url: string
  readonly key: string
}

/** Runs the first example in the project, and returns what it printed. */
export async function runFirstExample(
  { project }: Packed,
  { program, options = [], url, key }: ExampleRun,
): Promise<string> {
  await writeFile(join(project, 'example.js'), await firstExample())
  const { stdout } = await run(program, [...options, 'example.js'], { cwd: project, env: { URL: url, KEY: key } })
  return stdout
}
