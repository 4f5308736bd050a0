import { command, wholeNumber, wrongUse } from '../command.ts'
import { findOrder } from '../find-order.ts'
import type { Api } from '../api.ts'

type Metadata = Readonly<Record<string, string>>

/** `erp=A-17, tour=7`; null if there is none. */
export const pairsOf = (metadata: Metadata): string | null =>
  Object.entries(metadata)
    .map(([key, value]) => `${key}=${value}`)
    .join(', ') || null

const subjects = {
  order: async (api: Api, number: number, change: Metadata | undefined) => {
    const { order_id, metadata } = await findOrder(api, number)
    return change === undefined ? { metadata } : api.changeOrderMetadata({ order_id, metadata: change })
  },
  client: (api: Api, client_id: number, change: Metadata | undefined) =>
    change === undefined ? api.readClient({ client_id }) : api.changeClientMetadata({ client_id, metadata: change }),
  item: (api: Api, item_id: number, change: Metadata | undefined) =>
    change === undefined ? api.readCatalogueItem({ item_id }) : api.changeItemMetadata({ item_id, metadata: change }),
} as const

export const metadataCommand = command({
  name: 'metadata',
  summary: 'show or change your metadata of an order, client or item',
  arguments: ['WHAT', 'NUMBER'],
  options: { set: { value: 'KEY=VALUE', meaning: 'set this key; without a value, remove it', multiple: true } },
  notes: [
    'WHAT is order, client or item; NUMBER is the number of the order, or the id of the client or item. Other keys stay. Clients do not see it. `parts orders --metadata KEY:VALUE` finds orders.',
  ],
  examples: [
    'metadata order 100234',
    'metadata order 100234 --set erp=A-17 --set tour=',
    'metadata item 1024 --set shelf=C-14',
  ],
  run: async ({ arguments: [what = '', text = ''], options: { set }, output, api }) => {
    if (!Object.hasOwn(subjects, what))
      throw wrongUse({ name: 'metadata' }, `WHAT must be one of order, client, item, not '${what}'.`)
    const number = wholeNumber(text, 'NUMBER')
    const change = set.length === 0 ? undefined : Object.fromEntries(set.map(pairOf))
    const { metadata } = await subjects[what as keyof typeof subjects](api(), number, change)
    if (output.json) return output.data(metadata)
    output.line(pairsOf(metadata) ?? 'None.')
  },
})

function pairOf(pair: string): [string, string] {
  const at = pair.indexOf('=')
  if (at < 1) throw wrongUse({ name: 'metadata' }, `--set must be KEY=VALUE, not '${pair}'.`)
  return [pair.slice(0, at), pair.slice(at + 1)]
}
