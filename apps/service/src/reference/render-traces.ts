import type { Route } from '../http/routing/route.ts'
import { auditMeanings } from '../keys/audit/audit-entry.ts'

/** `docs/reference/traces.md`. */
export function renderTracesPage(operatorSide: readonly Route[]): string {
  const changing = operatorSide.filter(({ trace }) => trace !== undefined)
  const rows = changing.map(
    ({ operationId, method, path, trace = '' }) => `| \`${operationId}\` | \`${method} ${path}\` | ${trace} |`,
  )
  const actions = Object.entries(auditMeanings).map(([action, meaning]) => `| \`${action}\` | ${meaning} |`)
  return `# Traces of operators

Generated from the routes and \`apps/service/src/keys/audit/audit-entry.ts\` by \`npm run generate\`. [The audit log](../how-to/engineer/audit-log.md) says how to read and export it.

Every change by an operator leaves who, when, the request, and the old and the new value: an event of the client, an audit entry, or a change of the catalogue. A list that is downloaded as CSV leaves the audit entry \`list_exported\`.

| operation | request | trace |
|---|---|---|
${rows.join('\n')}

## Actions of audit entries

| audit_action | when |
|---|---|
${actions.join('\n')}
`
}
