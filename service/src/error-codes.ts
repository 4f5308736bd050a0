import { refusals } from './refusals.ts'

/** The refusal table as Markdown, for the reference and for `docs/errors.md`. */
export function errorCodeTable(): string {
  const rows = Object.entries(refusals).map(
    ([code, { status, meaning, advice }]) => `| ${status} | \`${code}\` | ${meaning} | ${advice} |`,
  )
  return ['| status | code | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n')
}
