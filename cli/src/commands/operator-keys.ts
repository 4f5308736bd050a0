import type { OperatorKey } from '../../../service/src/access/operator-key.ts'
import { command, wholeNumber, wrongUse, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'
import { issueFirstKey } from './database.ts'
import { keyRevoked, keyShownOnce } from './keys.ts'

interface Issued {
  readonly key_id: number
  readonly key: string
}

export const operatorKeyCommands: readonly Command[] = [
  command({
    name: 'operator-key issue',
    summary: 'issue a key to an operator',
    options: {
      name: { value: 'NAME', meaning: 'whose key it is; stands in the log of everything done with it', required: true },
      role: { value: 'ROLE', meaning: 'viewer, decider, cataloguer or admin', required: true },
      expires: { value: 'DAY', meaning: 'the first day on which it no longer works, YYYY-MM-DD; never if not given' },
      first: { meaning: 'goes to the database in DATABASE_URL instead of the service, and needs no key' },
    },
    notes: [
      'With --first it is the way to the first key, and the way back when no admin has one any more.',
      keyShownOnce,
    ],
    examples: [
      'operator-key issue --name "Anna Berg" --role decider',
      'operator-key issue --first --name "Anna Berg" --role admin > ~/.parts-key',
    ],
    run: async ({ options: { name, role, expires, first }, output, service, environment }) => {
      if (first && expires !== undefined)
        throw wrongUse({ name: 'operator-key issue' }, '--first and --expires do not go together.')
      const issued = first
        ? await issueFirstKey(environment, { name, role })
        : await service.ask<Issued>('POST', '/operator/v1/operator-keys/', {
            json: { operator_name: name, role, expires_on: expires },
          })
      if (output.json) return output.data(issued)
      output.note(`Operator key ${issued.key_id} for ${name}, ${role}; it is not shown again:`)
      output.line(issued.key)
    },
  }),
  command({
    name: 'operator-key list',
    summary: 'the keys of operators, revoked ones too',
    options: listOptions,
    examples: ['operator-key list'],
    run: (call) =>
      showList(call, { path: '/operator/v1/operator-keys/', columns, none: 'There are no operator keys.' }),
  }),
  command({
    name: 'operator-key revoke',
    summary: "revoke an operator's key",
    arguments: ['KEY_ID'],
    notes: [keyRevoked],
    examples: ['operator-key revoke 3'],
    run: async ({ arguments: [text = ''], output, service }) => {
      const key_id = wholeNumber(text, 'The id of a key')
      const revoked = await service.ask<OperatorKey>('DELETE', `/operator/v1/operator-keys/${key_id}/`)
      if (output.json) return output.data(revoked)
      output.line(`Operator key ${key_id} of ${revoked.operator_name} was revoked at ${revoked.revoked_at}.`)
    },
  }),
]

const columns: readonly Column<OperatorKey>[] = [
  { title: 'KEY', of: ({ key_id }) => key_id, whole: true },
  { title: 'OPERATOR', of: ({ operator_name }) => operator_name },
  { title: 'ROLE', of: ({ role }) => role },
  { title: 'ISSUED', of: ({ created_at }) => created_at },
  { title: 'EXPIRES', of: ({ expires_at }) => expires_at ?? 'never' },
  { title: 'REVOKED', of: ({ revoked_at }) => revoked_at ?? '' },
]
