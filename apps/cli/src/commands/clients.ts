import type { OperatorClient } from '@parts-ordering/client/operator'
import { command, wholeNumber, wrongUse, type Command } from '../command.ts'
import { formatMoney } from '../format.ts'
import type { Column } from '../table.ts'

const referencesNote =
  'A client may give each order a reference: its own number for it. If references are unique, the service refuses a second order with the same one. That applies to orders placed from then on.'

export const clientCommands: readonly Command[] = [
  command({
    name: 'client show',
    summary: 'show a client with its contacts and contracts',
    arguments: ['CLIENT_ID'],
    notes: [referencesNote],
    examples: ['client show 12', 'client show 12 --json | jq .contacts'],
    run: async ({ arguments: [text = ''], output, api }) => {
      const client_id = wholeNumber(text, 'A client id')
      const client = await api().readClient({ client_id })
      if (output.json) return output.data(client)
      output.line(`Client ${client_id}`, 'bold')
      output.pairs([
        ['Name', client.client_name],
        ...blockOf('Blocked', client.block_reason),
        ...client.contracts.flatMap(({ contract_id, block_reason }) =>
          blockOf(`Contract ${contract_id} blocked`, block_reason),
        ),
        ['References', client.unique_references ? 'unique' : 'any'],
        ['Stocks', client.stocks.map(({ stock_id, stock_name }) => `${stock_name} (stock ${stock_id})`).join(', ')],
      ])
      output.line('')
      await output.table(contactColumns, client.contacts)
      output.line('')
      await output.table(contractColumns, client.contracts)
    },
  }),
  command({
    name: 'client change',
    summary: "change whether a client's references are unique",
    arguments: ['CLIENT_ID'],
    options: { references: { value: 'unique|any', meaning: 'whether its references are unique', required: true } },
    notes: [referencesNote],
    examples: ['client change 12 --references unique'],
    run: async ({ arguments: [text = ''], options, output, api }) => {
      const client_id = wholeNumber(text, 'A client id')
      const { references } = options
      if (references !== 'unique' && references !== 'any')
        throw wrongUse({ name: 'client change' }, `--references must be 'unique' or 'any', not '${references}'.`)
      const changed = await api().changeClient({ client_id, unique_references: references === 'unique' })
      if (output.json) return output.data(changed)
      const now = changed.unique_references ? 'are unique now' : 'need not be unique'
      output.line(`The references of client ${client_id}, ${changed.client_name}, ${now}.`)
    },
  }),
]

const contactColumns: readonly Column<OperatorClient['contacts'][number]>[] = [
  { title: 'CONTACT', of: ({ contact_id }) => contact_id, whole: true },
  { title: 'NAME', of: ({ contact_name }) => contact_name },
  { title: 'EMAIL', of: ({ contact_email }) => contact_email },
]

const contractColumns: readonly Column<OperatorClient['contracts'][number]>[] = [
  { title: 'CONTRACT', of: ({ contract_id }) => contract_id, whole: true },
  { title: 'NAME', of: ({ contract_name }) => contract_name },
  { title: 'DEFAULT', of: ({ contract_default }) => (contract_default ? 'yes' : 'no'), whole: true },
  { title: 'LIMIT', of: limitOf, right: true, whole: true },
  { title: 'OPEN', of: ({ exposure }) => formatMoney(exposure), right: true, whole: true },
  { title: 'DISCOUNT', of: ({ discount_percent }) => `${discount_percent}%`, right: true, whole: true },
  { title: 'TAX', of: ({ tax_percent, tax_mode }) => `${tax_percent}% ${tax_mode}`, right: true, whole: true },
]

const blockOf = (title: string, reason: string | null): [string, string][] => (reason === null ? [] : [[title, reason]])

function limitOf({ contract_limit }: OperatorClient['contracts'][number]): string {
  return contract_limit === 0 ? 'none' : formatMoney(contract_limit)
}

export const eraseContactCommand = command({
  name: 'contact erase',
  summary: "erase a contact's personal data",
  options: {
    client: { value: 'ID', meaning: 'client id', required: true },
    contact: { value: 'ID', meaning: 'contact id', required: true },
  },
  notes: [
    "Replaces the contact's name, also in stored events, removes its email address, the comments of its orders and the reasons of their adjustments, and revokes its keys. It cannot be undone. Addresses and other texts of its orders stay, or are erased when the orders are done: the setting ERASE_ADDRESSES_AFTER_DAYS of the service decides.",
  ],
  examples: ['contact erase --client 12 --contact 31'],
  run: async ({ options, output, api }) => {
    const client_id = wholeNumber(options.client, '--client')
    const contact_id = wholeNumber(options.contact, '--contact')
    const erased = await api().eraseContact({ client_id, contact_id })
    if (output.json) return output.data(erased)
    output.line(`Erased contact ${contact_id} of client ${client_id}.`)
    output.pairs([
      ['Keys revoked', String(erased.revoked_keys)],
      ['Comments erased', String(erased.erased_comments)],
      ['Reasons erased', String(erased.erased_reasons)],
      ['Events changed', String(erased.erased_events)],
    ])
  },
})
