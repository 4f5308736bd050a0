import type { AuditAction, AuditEntry } from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { listOptions, rowsOf, showList } from '../list.ts'
import { exitCodes, Problem } from '../problem.ts'
import type { Column } from '../table.ts'

export const auditCommand = command({
  name: 'audit',
  summary: 'list the audit log: what operators did',
  options: {
    client: { value: 'ID', meaning: 'only entries about this client' },
    action: { value: 'NAME', meaning: 'only entries of this action, such as cart_deleted' },
    operator: { value: 'ID', meaning: 'only what this operator did, with any key or session' },
    actor: { value: 'TEXT', meaning: 'only entries of this actor, as the list shows it' },
    ...listOptions,
  },
  notes: [
    'Newest first. Names of clients and contacts are the present ones. With --json, entries have the old and new values.',
  ],
  examples: [
    'audit',
    'audit --client 12',
    'audit --operator 3 --all',
    'audit --action cart_deleted',
    'audit --all --json | jq \'select(.audit_action == "key_revoked")\'',
  ],
  run: (call) => {
    const { client, action, operator, actor } = call.options
    const client_id = client === undefined ? undefined : wholeNumber(client, '--client')
    const operator_id = operator === undefined ? undefined : wholeNumber(operator, '--operator')
    const audit_action = action as AuditAction | undefined // The service knows which ones there are.
    return showList(call, {
      read: (page) => call.api().listAuditEntries({ client_id, audit_action, operator_id, actor, ...page }),
      columns,
      none: 'There are no audit entries.',
    })
  },
})

export const auditExportCommand = command({
  name: 'audit export',
  summary: 'write audit entries as NDJSON, from a position on',
  options: {
    after: { value: 'POSITION', meaning: 'only entries after this audit_id; 0 for all', required: true },
  },
  notes: [
    'One entry per line, oldest first. The audit_id of the last line is the position to go on from: no entry is missed before it. Exits with 0 at the end of the log.',
  ],
  examples: ['audit export --after 0', 'audit export --after 1234 | logger -t parts-audit'],
  run: async ({ options, output, api }) => {
    if (!/^\d{1,15}$/.test(options.after))
      throw new Problem(exitCodes.usage, `--after must be a position such as 0 or 12, not '${options.after}'.`)
    const after = Number(options.after)
    for await (const entry of rowsOf((page) => api().listAuditEntries({ after, ...page }), Infinity)) output.data(entry)
  },
})

const columns: readonly Column<AuditEntry>[] = [
  { title: 'ID', of: ({ audit_id }) => audit_id, whole: true },
  { title: 'TIME', of: ({ audit_datetime }) => audit_datetime },
  { title: 'ACTION', of: ({ audit_action }) => audit_action, whole: true },
  { title: 'KEY', of: ({ key_id }) => key_id ?? '', whole: true },
  { title: 'OF', of: holderOf },
  { title: 'CHANGE', of: changeOf },
  { title: 'BY', of: actorOf },
]

/** With the company account, which distinguishes two people of the same name. */
function actorOf({ actor, actor_operator }: AuditEntry): string {
  return actor_operator?.subject ? `${actor} (${actor_operator.subject} at ${actor_operator.issuer})` : actor
}

function holderOf({ client_id, client_name, contact_id, contact_name, operator_name }: AuditEntry): string {
  if (client_id === null) return operator_name ?? ''
  const client = `${client_name} (client ${client_id})`
  return contact_id === null ? client : `${contact_name} (contact ${contact_id}) of ${client}`
}

function changeOf({ subject, old_value, new_value }: AuditEntry): string {
  const shown = (value: object | null): string => (value === null ? '' : JSON.stringify(value))
  const change = old_value === null ? shown(new_value) : `${shown(old_value)} → ${shown(new_value) || 'nothing'}`
  return [shown(subject), change].filter(Boolean).join(' ')
}
