/**
 * The functions and views that live in the database. Each file stands beside the operation that calls it, begins with
 * `create or replace`, and is called as what it creates: `place_order.sql` creates `place_order`.
 */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const functionsDir = fileURLToPath(new URL('..', import.meta.url))

export interface FunctionFile {
  /** As it is stored in the table `installed_functions`. */
  readonly file: string
  readonly text: string
  readonly digest: string
}

const pathsIn = (dir: string): string[] => globSync('**/*_*.sql', { cwd: dir })

/** Those of the version of the service in this folder, if it has any; views first, because functions return their rows. */
export function readFunctions(dir: string): FunctionFile[] {
  return pathsIn(dir)
    .map((path) => {
      const text = readFileSync(join(dir, path), 'utf8')
      return { file: basename(path), text, digest: hash('sha256', text) }
    })
    .toSorted((a, b) => Number(isView(b)) - Number(isView(a)) || (a.file < b.file ? -1 : 1))
}

const isView = ({ text }: FunctionFile): boolean => /^create or replace view /m.test(text)

/** The names of the files that this version of the service needs. */
export const functionFiles: readonly string[] = pathsIn(functionsDir).map((path) => basename(path))
