/**
 * Variables of the environment that were meant as settings of ours but are none: a misspelt one would be ignored, and its
 * default used without a word. Others' variables must not be refused, so a variable counts as meant for us only
 *
 * - if it differs from a setting by at most two letters (both have at least eight), or begins with the same two words as
 *   a setting of at least three words, as SHUTDOWN_GRACE_SECONDS does,
 * - and that setting is not set.
 *
 * Of the variables `OTEL_…`, which other programs read too, only those with other letters count.
 *
 * The second condition is the way out for a variable that belongs to somebody else: set ours as well.
 */
export function findUnknown(
  environment: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): { name: string; meant: string }[] {
  return Object.keys(environment).flatMap((name) => {
    if (known.includes(name) || setByKubernetes.test(name)) return []
    const meant = known.find((setting) => environment[setting] === undefined && isMeant(name.toUpperCase(), setting))
    return meant === undefined ? [] : [{ name, meant }]
  })
}

/** For each service of the cluster, named after it: a service `worker-metrics` gives WORKER_METRICS_SERVICE_HOST. */
const setByKubernetes = /_SERVICE_(?:HOST|PORT)(?:_|$)|_PORT_\d+_(?:TCP|UDP)(?:_|$)/

const comparedLengthMin = 8
const distanceMax = 2

function isMeant(name: string, setting: string): boolean {
  const words = setting.split('_')
  if (words.length >= 3 && words[0] !== 'OTEL' && `${name}_`.startsWith(`${words.slice(0, 2).join('_')}_`)) return true
  if (Math.min(name.length, setting.length) < comparedLengthMin) return false
  return Math.abs(name.length - setting.length) <= distanceMax && distance(name, setting) <= distanceMax
}

/** How many letters were added, left out, replaced or swapped with the next one. */
function distance(a: string, b: string): number {
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (beforeLast[j - 2] ?? Infinity) + 1 : Infinity
      row.push(Math.min(replaced, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, swapped))
    }
    beforeLast = last
    last = row
  }
  return last[b.length] ?? 0
}
