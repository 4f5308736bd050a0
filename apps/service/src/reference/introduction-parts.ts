/** Parts of the introductions of both documents. */
import { refusals, type RefusalCode } from '../vocabulary/refusals.ts'

/** Lists, not tables: the column of the page is too narrow for a table. */
export const glossary = (terms: readonly (readonly [term: string, meaning: string])[]): string =>
  terms.map(([term, meaning]) => `- **${term}**: ${meaning}`).join('\n')

export const errorList = (codes: readonly RefusalCode[]): string =>
  codes
    .toSorted((a, b) => refusals[a].status - refusals[b].status)
    .map((code) => `- ${refusals[code].status} \`${code}\`: ${refusals[code].meaning} ${refusals[code].advice}`)
    .join('\n')
