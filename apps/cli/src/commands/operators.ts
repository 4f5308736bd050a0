import type { Operator } from '@parts-ordering/client/operator'
import { command, wholeNumber, type Command } from '../command.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

export const operatorCommands: readonly Command[] = [
  command({
    name: 'operator list',
    summary: 'list operators, including erased ones',
    options: listOptions,
    notes: ['ACCOUNT is the subject at the identity provider. It distinguishes two people of the same name.'],
    examples: ['operator list'],
    run: (call) =>
      showList(call, {
        read: (page) => call.api().listOperators(page),
        columns,
        none: 'There are no operators.',
      }),
  }),
  command({
    name: 'operator erase',
    summary: "erase an operator's name",
    arguments: ['OPERATOR_ID'],
    notes: [
      'Removes the name and the subject at the identity provider, ends the sessions and revokes the keys. What the operator did stays, under its id. It cannot be undone.',
    ],
    examples: ['operator erase 3'],
    run: async ({ arguments: [text = ''], output, api }) => {
      const operator_id = wholeNumber(text, 'An operator id')
      const erased = await api().eraseOperator({ operator_id })
      if (output.json) return output.data(erased)
      output.line(`Erased operator ${operator_id}.`)
      output.pairs([
        ['Keys revoked', String(erased.revoked_keys)],
        ['Sessions ended', String(erased.ended_sessions)],
      ])
    },
  }),
]

const columns: readonly Column<Operator>[] = [
  { title: 'ID', of: ({ operator_id }) => operator_id, whole: true },
  { title: 'OPERATOR', of: ({ operator_name }) => operator_name },
  { title: 'ACCOUNT', of: ({ issuer, subject }) => [subject, issuer].filter(Boolean).join(', ') },
  { title: 'ROLES', of: ({ roles }) => roles.join(', ') },
  { title: 'KEYS', of: ({ keys }) => keys, right: true, whole: true },
  { title: 'ADDED', of: ({ created_at }) => created_at },
  { title: 'ERASED', of: ({ erased_at }) => erased_at ?? '' },
]
