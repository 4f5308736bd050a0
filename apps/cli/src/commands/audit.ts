import type { AuditEntry } from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

export const auditCommand = command({
  name: 'audit',
  summary: 'list the audit log: keys, sign-ins and erasures',
  options: { client: { value: 'ID', meaning: 'only entries about this client' }, ...listOptions },
  notes: ['Newest first. Names of clients and contacts are the present ones.'],
  examples: ['audit', 'audit --client 12', 'audit --all --json | jq \'select(.audit_action == "key_revoked")\''],
  run: (call) => {
    const { client } = call.options
    const client_id = client === undefined ? undefined : wholeNumber(client, '--client')
    return showList(call, {
      read: (page) => call.api().listAuditEntries({ client_id, ...page }),
      columns,
      none: 'There are no audit entries.',
    })
  },
})

const columns: readonly Column<AuditEntry>[] = [
  { title: 'TIME', of: ({ audit_datetime }) => audit_datetime },
  { title: 'ACTION', of: ({ audit_action }) => audit_action, whole: true },
  { title: 'KEY', of: ({ key_id }) => key_id ?? '', whole: true },
  { title: 'OF', of: holderOf },
  { title: 'BY', of: actorOf },
]

/** With the company account, by which two people of one name are told apart. */
function actorOf({ actor, actor_operator }: AuditEntry): string {
  return actor_operator?.subject ? `${actor} (${actor_operator.subject} at ${actor_operator.issuer})` : actor
}

function holderOf({ client_id, client_name, contact_id, contact_name, operator_name }: AuditEntry): string {
  if (client_id === null) return operator_name ?? ''
  return `${contact_name} (contact ${contact_id}) of ${client_name} (client ${client_id})`
}
