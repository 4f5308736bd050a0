/**
 * Writes the program as JavaScript into `dist/`, for `npm pack`: the types are stripped, nothing else changes. It follows the
 * imports from `src/main.ts`. A workspace package that the program imports is put beside it, so that the tarball needs no
 * other package.
 */
import { mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { dirname, join, relative, sep } from 'node:path'

const root = join(import.meta.dirname, '../..')
const target = join(import.meta.dirname, 'dist')
const main = join(import.meta.dirname, 'src', 'main.ts')

rmSync(target, { recursive: true, force: true })
const written = new Set<string>()
const waiting = [main]
for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
  if (written.has(file)) continue
  written.add(file)
  const { text, imported } = toJavaScript(file)
  waiting.push(...imported)
  mkdirSync(dirname(packed(file)), { recursive: true })
  writeFileSync(packed(file), text)
}

/** With imports that lead to the packed files. */
function toJavaScript(file: string): { text: string; imported: string[] } {
  const imported: string[] = []
  const text = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(
    /(\bfrom |\bimport |\bimport\()(['"])([^'"\n]+)\2/g,
    (whole, before: string, quote: string, name: string) => {
      const found = inRepository(file, name)
      if (found === undefined) return whole
      imported.push(found)
      const path = relative(dirname(packed(file)), packed(found))
        .split(sep)
        .join('/')
      return `${before}${quote}${path.startsWith('.') ? path : `./${path}`}${quote}`
    },
  )
  return { text, imported }
}

/** The file that an import names, if it is one of the repository; Node's own modules and installed packages are not. */
function inRepository(from: string, name: string): string | undefined {
  if (name.startsWith('node:')) return undefined
  const found = realpathSync(createRequire(from).resolve(name)) // A workspace package is a link to its folder.
  return found.startsWith(root + sep) && !found.includes(`${sep}node_modules${sep}`) ? found : undefined
}

/** `apps/cli/src/run.ts` becomes `dist/cli/run.js`. */
function packed(file: string): string {
  const [, name = '', ...rest] = relative(root, file).split(sep)
  return join(target, name, ...(rest[0] === 'src' ? rest.slice(1) : rest)).replace(/\.ts$/, '.js')
}
