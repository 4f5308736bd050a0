import { command, wholeNumber } from '../command.ts'

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
