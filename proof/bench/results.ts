import { mkdirSync, writeFileSync } from 'node:fs'

/**
 * Writes to `proof/bench/results/`, which git ignores: figures belong to the machine that they were measured on.
 * Returns the path of the JSON file. Pictures are beside it.
 */
export function saveResults(kind: string, data: object, pictures: Readonly<Record<string, string>> = {}): string {
  const folder = new URL('results/', import.meta.url)
  mkdirSync(folder, { recursive: true })
  const time = new Date().toISOString().slice(0, 19).replaceAll(':', '-')
  const name = `${time}-${kind}`
  writeFileSync(new URL(`${name}.json`, folder), `${JSON.stringify(data, null, 2)}\n`)
  for (const [what, picture] of Object.entries(pictures)) writeFileSync(new URL(`${time}-${what}.svg`, folder), picture)
  return `proof/bench/results/${name}.json`
}
