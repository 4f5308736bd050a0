import type { BlockedClient } from '../../../service/src/clients/client.ts'
import type { ContractTerms } from '../../../service/src/clients/contract-terms.ts'
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
  run: (call) => send(call, { action: 'block', json: { reason: call.options.reason } }),
})

export const unblockCommand = command({
  name: 'unblock',
  summary: 'end the block of a client or a contract',
  arguments: ['CLIENT_ID'],
  options: contract,
  examples: ['unblock 12', 'unblock 12 --contract 7'],
  run: (call) => send(call, { action: 'unblock' }),
})

interface Block {
  readonly action: 'block' | 'unblock'
  readonly json?: { readonly reason: string }
}

async function send(
  { arguments: [text = ''], options, output, service }: Context & { options: { contract: string | undefined } },
  { action, ...body }: Block,
): Promise<void> {
  const path = `/operator/v1/clients/${wholeNumber(text, 'A client id')}/`
  const contract_id = options.contract === undefined ? undefined : wholeNumber(options.contract, '--contract')
  if (contract_id === undefined) {
    const client = await service.call<BlockedClient>('POST', `${path}${action}/`, body)
    if (output.json) return output.data(client)
    return output.line(sentence(`Client ${client.client_id}, ${client.client_name},`, client.block_reason))
  }
  const terms = await service.call<ContractTerms>('POST', `${path}contracts/${contract_id}/${action}/`, body)
  if (output.json) return output.data(terms)
  output.line(sentence(`Contract ${contract_id}, ${terms.contract_name},`, terms.block_reason))
}

const sentence = (who: string, reason: string | null): string =>
  reason === null ? `${who} is not blocked.` : `${who} is blocked: ${reason}`
