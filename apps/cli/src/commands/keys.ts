import type { ClientKey, Scope } from '@parts-ordering/client/operator'
import { command, wholeNumber, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

const scopes = 'carts:read, carts:write, orders:read, orders:write, events:read, webhooks:write and keys:write'

/** For both kinds of keys. */
export const keyShownOnce =
  'The key is shown only once. Standard output contains only the key, so it can be redirected to a file.'
export const keyRevoked =
  'Every process of the service refuses the key within 5 seconds. A revoked key cannot be restored.'

export const keyCommands: readonly Command[] = [
  command({
    name: 'key issue',
    summary: 'issue a key for a contact of a client',
    options: {
      client: { value: 'ID', meaning: 'client id', required: true },
      contact: { value: 'ID', meaning: 'contact id', required: true },
      scopes: { value: 'LIST', meaning: `comma-separated scopes (default: all): ${scopes}` },
      expires: { value: 'DATE', meaning: 'first day on which the key no longer works, YYYY-MM-DD (default: never)' },
    },
    notes: [keyShownOnce],
    examples: [
      'key issue --client 12 --contact 31',
      'key issue --client 12 --contact 31 --scopes orders:read,events:read --expires 2027-06-30',
    ],
    run: async ({ options, output, api }) => {
      const client_id = wholeNumber(options.client, '--client')
      const contact_id = wholeNumber(options.contact, '--contact')
      const issued = await api().issueClientKey({
        client_id,
        contact_id,
        scopes: options.scopes?.split(',').map((scope) => scope.trim() as Scope), // The service refuses other words.
        expires_on: options.expires,
      })
      if (output.json) return output.data(issued)
      output.note(
        `Issued key ${issued.key_id} for contact ${contact_id} of client ${client_id}. It is not shown again:`,
      )
      output.line(issued.key)
    },
  }),
  command({
    name: 'key list',
    summary: 'list the keys of a client, including revoked ones',
    options: { client: { value: 'ID', meaning: 'client id', required: true }, ...listOptions },
    examples: ['key list --client 12', "key list --client 12 --json | jq 'select(.revoked_at == null)'"],
    run: (call) => {
      const client_id = wholeNumber(call.options.client, '--client')
      return showList(call, {
        read: (page) => call.api().listClientKeys({ client_id, ...page }),
        columns,
        none: `Client ${client_id} has no keys.`,
      })
    },
  }),
  command({
    name: 'key revoke',
    summary: "revoke a client's key",
    arguments: ['KEY_ID'],
    notes: [keyRevoked],
    examples: ['key revoke 17'],
    run: async ({ arguments: [text = ''], output, api }) => {
      const key_id = wholeNumber(text, 'A key id')
      const revoked = await api().revokeClientKey({ key_id })
      if (output.json) return output.data(revoked)
      output.line(`Revoked key ${key_id} of client ${revoked.client_id} at ${revoked.revoked_at}.`)
    },
  }),
]

const columns: readonly Column<ClientKey>[] = [
  { title: 'KEY', of: ({ key_id }) => key_id, whole: true },
  { title: 'CONTACT', of: ({ contact_id }) => contact_id, whole: true },
  { title: 'SCOPES', of: ({ scopes: allowed }) => allowed.join(' ') },
  { title: 'ISSUED', of: ({ created_at }) => created_at },
  { title: 'EXPIRES', of: ({ expires_at }) => expires_at ?? 'never' },
  { title: 'REVOKED', of: ({ revoked_at }) => revoked_at ?? '' },
]
