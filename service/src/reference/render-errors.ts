import { exampleError, refusals, type RefusalCode } from '../refusals.ts'

/** The refusal table as Markdown, for the reference. */
export function errorCodeTable(): string {
  const rows = Object.entries(refusals).map(
    ([code, { status, meaning, advice }]) => `| ${status} | \`${code}\` | ${meaning} | ${advice} |`,
  )
  return ['| status | code | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n')
}

/** Each error with an example of its body, for `docs/reference/errors.md`. */
export function errorCodeChapters(): string {
  return Object.entries(refusals)
    .map(
      ([code, { status, meaning, advice }]) =>
        `## ${code}\n\n${status}. ${meaning}\n\n${advice}\n\n\`\`\`json\n${JSON.stringify(exampleError(code as RefusalCode), null, 2)}\n\`\`\``,
    )
    .join('\n\n')
}
