/**
 * Writes the package that is published to `packages/client/dist/`, or to another folder (`node packages/client/build.ts FOLDER`): JavaScript, types, README, LICENSE, CHANGELOG and a package.json
 * whose exports are the JavaScript. Inside the repository the exports are the sources, so nothing has to be built there.
 */
import { execFileSync } from 'node:child_process'
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const folder = import.meta.dirname
const dist = process.argv[2] ?? join(folder, 'dist')
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc')

rmSync(dist, { recursive: true, force: true })
execFileSync(process.execPath, [tsc, '--project', join(folder, 'tsconfig.build.json'), '--outDir', dist], {
  stdio: 'inherit',
})
for (const file of ['README.md', 'CHANGELOG.md']) copyFileSync(join(folder, file), join(dist, file))
copyFileSync(join(folder, '../../LICENSE'), join(dist, 'LICENSE'))

const {
  private: _,
  devDependencies: __,
  scripts: ___,
  exports: sources,
  ...described
} = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
  private: boolean
  devDependencies: object
  scripts: object
  exports: Record<string, string>
}
const built = (source: string, ending: string): string => source.replace('./src/', './').replace(/\.ts$/, ending)
const exported = Object.entries(sources).map(([path, source]) => [
  path,
  { types: built(source, '.d.ts'), default: built(source, '.js') },
])
const manifest = { ...described, exports: { ...Object.fromEntries(exported), './package.json': './package.json' } }
writeFileSync(join(dist, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
