import { mkdirSync, writeFileSync } from 'node:fs'

/**
 * Writes to `bench/results/`, which git ignores: figures belong to the machine that they were measured on.
 * Returns the path of the JSON file.
 */
export function saveResults(kind: string, data: object, picture?: string): string {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const name = `${new Date().toISOString().slice(0, 19).replaceAll(':', '-')}-${kind}`
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(data, null, 2)}\n`)
  if (picture !== undefined) writeFileSync(new URL(`${name}.svg`, folder), picture)
  return `bench/results/${name}.json`
}
