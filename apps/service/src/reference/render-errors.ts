import { exampleError, refusals, type RefusalCode } from '../vocabulary/refusals.ts'

/** `docs/reference/errors.md`. */
export function renderErrorsPage(): string {
  return `# Error codes

Generated from \`apps/service/src/vocabulary/refusals.ts\` by \`npm run generate\`.

A failed request gets \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`. Branch on \`code\`: its meaning never changes.
\`details\` carries the figures, \`field\` names the invalid field, and \`message\` is a sentence for people.

${errorTable()}

${errorSections()}
`
}

/** One row for each error. */
function errorTable(): string {
  const rows = Object.entries(refusals).map(
    ([code, { status, meaning, advice }]) => `| ${status} | \`${code}\` | ${meaning} | ${advice} |`,
  )
  return ['| status | code | meaning | what to do |', '|---|---|---|---|', ...rows].join('\n')
}

/** Each error with an example of its body. */
function errorSections(): string {
  return Object.entries(refusals)
    .map(
      ([code, { status, meaning, advice }]) =>
        `## ${code}\n\n${status}. ${meaning}\n\n${advice}\n\n\`\`\`json\n${JSON.stringify(exampleError(code as RefusalCode), null, 2)}\n\`\`\``,
    )
    .join('\n\n')
}
