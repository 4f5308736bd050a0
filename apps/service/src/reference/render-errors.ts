import { exampleError, refusals, type RefusalCode } from '../vocabulary/refusals.ts'

/** `docs/reference/errors.md`. */
export function renderErrorsPage(): string {
  return `# Error codes

Generated from \`apps/service/src/vocabulary/refusals.ts\` by \`npm run generate\`.

A failed request gets \`{"status":"fail","errors":[{"code","message","field"?,"details"?}],"request_id"}\`. Branch on \`code\`: its meaning never changes.
\`details\` carries the figures, \`field\` names the invalid field, and \`message\` is a sentence for people. Sorted by status, each code with an example of its \`field\` and \`details\`.

${errorSections()}
`
}

/** Each error with an example of what it carries beside the message. */
function errorSections(): string {
  return Object.entries(refusals)
    .toSorted(([, a], [, b]) => a.status - b.status)
    .map(([code, { status, meaning, advice }]) => {
      const { field, details } = exampleError(code as RefusalCode)
      const carried =
        field === undefined && details === undefined ? '' : `\n\n\`${JSON.stringify({ field, details })}\``
      return `## ${code}\n\n${status}. ${meaning} ${advice}${carried}`
    })
    .join('\n\n')
}
