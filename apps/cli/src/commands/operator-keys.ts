import type { OperatorKey, Role } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'
import { issueFirstKey } from './database.ts'
import { keyRevoked, keyShownOnce } from './keys.ts'

export const operatorKeyCommands: readonly Command[] = [
  command({
    name: 'operator-key issue',
    summary: 'issue a key for an operator',
    options: {
      name: { value: 'NAME', meaning: 'name of the operator, recorded with every change', required: true },
      role: { value: 'ROLE', meaning: 'viewer, decider, cataloguer or admin', required: true },
      operator: { value: 'ID', meaning: 'the operator, if it has a key already (default: a new one)' },
      expires: { value: 'DATE', meaning: 'first day on which the key no longer works, YYYY-MM-DD (default: never)' },
      first: { meaning: 'use the database in DATABASE_URL instead of the service; requires no key' },
    },
    notes: [
      'Use --first for the very first key, and to recover when no admin has a key: it is refused while one has.',
      keyShownOnce,
    ],
    examples: [
      'operator-key issue --name "Anna Berg" --role decider',
      'operator-key issue --first --name "Anna Berg" --role admin > ~/.parts-key',
    ],
    run: async ({ options: { name, role, operator, expires, first }, output, api, environment }) => {
      if (first && (expires ?? operator) !== undefined)
        throw wrongUse({ name: 'operator-key issue' }, '--first cannot be combined with --expires or --operator.')
      const issued = first
        ? await issueFirstKey(environment, { name, role })
        : await api().issueOperatorKey({
            operator_id: operator === undefined ? undefined : wholeNumber(operator, '--operator'),
            operator_name: name,
            role: role as Role, // The service refuses other words.
            expires_on: expires,
          })
      if (output.json) return output.data(issued)
      output.note(`Issued operator key ${issued.key_id} for ${name} (${role}). It is not shown again:`)
      output.line(issued.key)
    },
  }),
  command({
    name: 'operator-key list',
    summary: 'list operator keys, including revoked ones',
    options: listOptions,
    examples: ['operator-key list'],
    run: (call) =>
      showList(call, {
        read: (page) => call.api().listOperatorKeys(page),
        columns,
        none: 'There are no operator keys.',
      }),
  }),
  command({
    name: 'operator-key revoke',
    summary: 'revoke an operator key',
    arguments: ['KEY_ID'],
    notes: [keyRevoked],
    examples: ['operator-key revoke 3'],
    run: async ({ arguments: [text = ''], output, api }) => {
      const key_id = wholeNumber(text, 'A key id')
      const revoked = await api().revokeOperatorKey({ key_id })
      if (output.json) return output.data(revoked)
      output.line(`Revoked operator key ${key_id} of ${revoked.operator_name} at ${revoked.revoked_at}.`)
    },
  }),
]

const columns: readonly Column<OperatorKey>[] = [
  { title: 'KEY', of: ({ key_id }) => key_id, whole: true },
  { title: 'ID', of: ({ operator_id }) => operator_id, whole: true },
  { title: 'OPERATOR', of: ({ operator_name }) => operator_name },
  { title: 'ROLE', of: ({ role }) => role },
  { title: 'ISSUED', of: ({ created_at }) => created_at },
  { title: 'EXPIRES', of: ({ expires_at }) => expires_at ?? 'never' },
  { title: 'REVOKED', of: ({ revoked_at }) => revoked_at ?? '' },
]
