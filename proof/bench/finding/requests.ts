/**
 * Every list, search and count of the operator API, alone and with each of its filters. They are derived from the
 * service's own OpenAPI document: a list, a filter or another GET operation that is not known here is an error.
 */
import assert from 'node:assert/strict'

export interface FindingRequest {
  readonly operation: string
  /** The filter, such as `state=new`. */
  readonly variant: string
  /** Requests use them in turn. */
  readonly paths: readonly string[]
  /** The second page is requested: the cursor comes from the first one. */
  readonly next?: true
}

/** Values by parameter, or by `operation.parameter`; several kinds of them are measured apart. */
export type FindingValues = Readonly<Record<string, Readonly<Record<string, readonly Value[]>>>>
type Value = string | number

/** Values for the parameters of a path, by their names, separated by commas. */
export type PathValues = Readonly<Record<string, readonly Readonly<Record<string, Value>>[]>>

interface Parameter {
  readonly name: string
  readonly in: string
  readonly schema: { readonly type?: string; readonly enum?: string[]; readonly items?: { readonly enum?: string[] } }
}

interface Operation {
  readonly operationId: string
  readonly parameters?: readonly (Parameter | { readonly $ref: string })[]
  readonly responses: { readonly 200: { readonly content: object } }
}

export interface OpenapiPaths {
  readonly paths: Readonly<Record<string, { readonly get?: Operation }>>
}

/** Counts, and the feed, which is a list without a CSV form. */
const alsoMeasured = new Set(['readCounts', 'readFigures', 'followEvents'])

/** GET operations that find nothing. */
const notMeasured = new Set([
  'readClientOrder',
  'readPackingSlip',
  'readCartForClient',
  'readCartItemForClient',
  'readClient',
  'readCatalogueItem',
  'readArrivals',
  'readImport',
  'listFeedDeliveries', // By a key, as listClientWebhookDeliveries; the bench has no endpoint of the feed.
  'readMe',
  'readRejectReasons',
  'checkInvariants', // Reads the whole database, on purpose.
])

/** Parameters that select nothing. */
const notFilters = new Set(['csv_separator', 'csv_decimal', 'csv_bom', 'wait'])

const pageSizeMax = 500 // The limit of the service.

export function findingRequests(
  { paths }: OpenapiPaths,
  pathValues: PathValues,
  values: FindingValues,
): FindingRequest[] {
  return Object.entries(paths).flatMap(([path, { get }]) =>
    get !== undefined && isMeasured(get) ? requestsOf(get, filledPaths(path, pathValues), values) : [],
  )
}

function isMeasured({ operationId, responses }: Operation): boolean {
  const isFound = 'text/csv' in responses[200].content || alsoMeasured.has(operationId)
  assert(isFound || notMeasured.has(operationId), `finding does not know ${operationId}: is it a search or a count?`)
  return isFound && !notMeasured.has(operationId)
}

function filledPaths(path: string, pathValues: PathValues): string[] {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  if (names.length === 0) return [path]
  const rows = pathValues[names.join(',')]
  assert(rows !== undefined && rows.length > 0, `finding has no values for ${path}.`)
  return rows.map((row) => path.replace(/\{(\w+)\}/g, (_, name: string) => String(row[name])))
}

function requestsOf(
  { operationId, parameters = [] }: Operation,
  paths: string[],
  values: FindingValues,
): FindingRequest[] {
  const queried = parameters.filter((one): one is Parameter => 'name' in one && one.in === 'query')
  return [
    { operation: operationId, variant: '', paths },
    ...queried
      .filter(({ name }) => !notFilters.has(name))
      .flatMap((parameter): FindingRequest[] => {
        const { name } = parameter
        if (name === 'cursor') return [{ operation: operationId, variant: 'next page', paths, next: true }]
        return Object.entries(valuesOf(operationId, parameter, values)).map(([kind, of]) => ({
          operation: operationId,
          variant: kind === '' ? name : `${name}${kind}`,
          paths: of.flatMap((value, n) => `${paths[n % paths.length] ?? ''}?${name}=${encodeURIComponent(value)}`),
        }))
      }),
  ]
}

/** By kind. Words and flags are measured one by one. */
function valuesOf(operation: string, { name, schema }: Parameter, values: FindingValues): FindingValues[string] {
  const given = values[`${operation}.${name}`] ?? values[name]
  if (given !== undefined) return given
  if (name === 'limit') return { [`=${pageSizeMax}`]: [pageSizeMax] }
  const words = schema.type === 'boolean' ? ['true', 'false'] : (schema.enum ?? schema.items?.enum)
  assert(words !== undefined, `finding has no values for the parameter ${name} of ${operation}.`)
  return Object.fromEntries(words.map((word) => [`=${word}`, [word]]))
}
