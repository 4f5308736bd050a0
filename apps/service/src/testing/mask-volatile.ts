/** Compares answers in which the service chooses some values. */

/** Stands in expected data for a time in the contract's form. */
export const at = 'YYYY-MM-DD HH:MM:SS'

/** Stands in expected data for an id that the service chooses. */
export const anyId = 'any id'

/** The same, where there may be none. */
export const anyIdOrNull = 'any id, or null'

/** Stands in expected data for a text that the service chooses. */
export const anyText = 'any text'

/** Replaces times, ids and texts of the actual data where the expected data has `at`, `anyId` or `anyText`. */
export function maskVolatile(actual: unknown, expected: unknown): unknown {
  if (expected === at)
    return typeof actual === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(actual) ? at : actual
  if (expected === anyText) return typeof actual === 'string' && actual !== '' ? anyText : actual
  if (expected === anyIdOrNull) return Number.isSafeInteger(actual) || actual === null ? anyIdOrNull : actual
  if (expected === anyId) return Number.isSafeInteger(actual) ? anyId : actual
  if (Array.isArray(actual))
    return actual.map((value, i) => maskVolatile(value, Array.isArray(expected) ? expected[i] : undefined))
  if (typeof actual !== 'object' || actual === null) return actual
  const of = (expected ?? {}) as Record<string, unknown>
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, maskVolatile(value, of[name])]))
}
