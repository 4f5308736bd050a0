/** Compares answers in which some values are for the service to choose. */

/** Stands in expected data for a time in the contract's form. */
export const at = 'YYYY-MM-DD HH:MM:SS'

/** Stands in expected data for a value that the answer decides, such as a new id. */
export const anyId = 'any id'

/** Stands in expected data for a text that the answer decides. */
export const anyText = 'any text'

/** Puts `at`, `anyId` and `anyText` wherever the expected data has them and the actual data has a time, an id or a text. */
export function maskVolatile(actual: unknown, expected: unknown): unknown {
  if (expected === at)
    return typeof actual === 'string' && /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(actual) ? at : actual
  if (expected === anyText) return typeof actual === 'string' && actual !== '' ? anyText : actual
  if (expected === anyId) return Number.isSafeInteger(actual) ? anyId : actual
  if (Array.isArray(actual))
    return actual.map((value, i) => maskVolatile(value, Array.isArray(expected) ? expected[i] : undefined))
  if (typeof actual !== 'object' || actual === null) return actual
  const of = (expected ?? {}) as Record<string, unknown>
  return Object.fromEntries(Object.entries(actual).map(([name, value]) => [name, maskVolatile(value, of[name])]))
}
