import { command, wholeNumber, type Context } from '../command.ts'

const contract = { contract: { value: 'ID', meaning: 'only this contract of the client' } } as const

export const blockCommand = command({
  name: 'block',
  summary: 'block a client or a contract: no new orders',
  arguments: ['CLIENT_ID'],
  options: { ...contract, reason: { value: 'TEXT', meaning: 'the reason, which the client can read', required: true } },
  notes: [
    'Everything else continues: reading, carts, cancellations, adjustments, and the orders that are placed already. Another reason replaces the reason.',
  ],
  examples: ['block 12 --reason "Payment is overdue."', 'block 12 --contract 7 --reason "Under review."'],
  run: (call) => setBlock(call, call.options.reason),
})

export const unblockCommand = command({
  name: 'unblock',
  summary: 'end the block of a client or a contract',
  arguments: ['CLIENT_ID'],
  options: contract,
  examples: ['unblock 12', 'unblock 12 --contract 7'],
  run: (call) => setBlock(call),
})

/** Without a reason, the block ends. */
async function setBlock(
  { arguments: [text = ''], options, output, api }: Context & { options: { contract: string | undefined } },
  reason?: string,
): Promise<void> {
  const client_id = wholeNumber(text, 'A client id')
  if (options.contract === undefined) {
    const client = await (reason === undefined
      ? api().unblockClient({ client_id })
      : api().blockClient({ client_id, reason }))
    if (output.json) return output.data(client)
    return output.line(sentence(`Client ${client_id}, ${client.client_name},`, client.block_reason))
  }
  const contract_id = wholeNumber(options.contract, '--contract')
  const terms = await (reason === undefined
    ? api().unblockContract({ client_id, contract_id })
    : api().blockContract({ client_id, contract_id, reason }))
  if (output.json) return output.data(terms)
  output.line(sentence(`Contract ${contract_id}, ${terms.contract_name},`, terms.block_reason))
}

const sentence = (who: string, reason: string | null): string =>
  reason === null ? `${who} is not blocked.` : `${who} is blocked: ${reason}`
