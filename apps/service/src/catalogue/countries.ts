/** Countries and regions of ISO 3166 as the package `iso-3166` maintains them. */
import { iso31661, iso31662 } from 'iso-3166'
import Type, { type Static } from 'typebox'
import { refusalError, type RefusalError } from '../vocabulary/refusals.ts'

export const Country = Type.Object(
  {
    country_code: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
    country_name: Type.String({ description: 'In English.' }),
  },
  { $id: 'Country', examples: [{ country_code: 'DE', country_name: 'Germany' }] },
)
export type Country = Static<typeof Country>

export const Region = Type.Object(
  {
    region_code: Type.String({ description: 'ISO 3166-2; for a country without subdivisions, its country code.' }),
    region_name: Type.String({ description: 'As ISO 3166-2 writes it.' }),
    country_code: Type.String({ description: 'ISO 3166-1 alpha-2.' }),
  },
  {
    $id: 'Region',
    examples: [{ region_code: 'DE-BE', region_name: 'Berlin', country_code: 'DE' }],
  },
)
export type Region = Static<typeof Region>

export const countries: readonly Country[] = iso31661
  .map(({ alpha2, name }) => ({ country_code: alpha2, country_name: name }))
  .sort((a, b) => compare(a.country_code, b.country_code))

const subdivisions: Region[] = iso31662.map(({ code, name }) => ({
  region_code: code,
  region_name: name,
  country_code: code.slice(0, 2),
}))

// An order needs a region. About fifty countries, such as Hong Kong, have none in ISO 3166-2: there the country is its own region.
const divided = new Set(subdivisions.map(({ country_code }) => country_code))
const undivided: Region[] = countries
  .filter(({ country_code }) => !divided.has(country_code))
  .map(({ country_code, country_name }) => ({ region_code: country_code, region_name: country_name, country_code }))

export const regions: readonly Region[] = [...subdivisions, ...undivided].sort((a, b) =>
  compare(a.region_code, b.region_code),
)

const countryCodes = new Set(countries.map(({ country_code }) => country_code))
const countryOfRegion = new Map(regions.map(({ region_code, country_code }) => [region_code, country_code]))
const regionsOfCountry = Map.groupBy(regions, ({ country_code }) => country_code)

export function listRegions(countryCode: string | undefined): readonly Region[] {
  return countryCode === undefined ? regions : (regionsOfCountry.get(countryCode) ?? [])
}

/** The problems of a country and a region as parts of an address. */
export function regionProblems(country_code: string, region_code: string): RefusalError[] {
  if (!countryCodes.has(country_code)) return [refusalError('country_code_unknown', { country_code }, 'country_code')]
  if (countryOfRegion.get(region_code) === country_code) return []
  return [refusalError('region_code_unknown', { region_code, country_code }, 'region_code')]
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b)
}
