import type { InboxEntry } from '@parts-ordering/client/operator'
import { command } from '../command.ts'
import { formatDuration, formatMoney, formatSigned } from '../format.ts'
import { listOptions, showList } from '../list.ts'
import type { Column } from '../table.ts'

export const inboxCommand = command({
  name: 'inbox',
  summary: 'list requests that wait for a decision, oldest first',
  options: listOptions,
  notes: [
    'BEFORE → AFTER also shows whether accepting would cancel the order, because no line is left, and the reason that the client gave. Of a return it shows the pieces, and how many can be returned.',
    'EFFECT shows what accepting would change: the stock, and the exposure of the contract (the total of its open orders) with its limit, if it has one.',
    'Pass the two words in the column REQUEST to `parts accept` or `parts reject`. POSSIBLE shows which of them would succeed now: without enough stock or limit, an adjustment can only be rejected; nor can a return of goods that came back already be accepted.',
  ],
  examples: ['inbox', 'inbox --limit 10', "inbox --json --all | jq -r 'select(.age_seconds > 86400) | .order_number'"],
  run: (call) =>
    showList(call, {
      read: (page) => call.api().listInbox(page),
      columns,
      none: 'No requests wait for a decision.',
    }),
})

const columns: readonly Column<InboxEntry>[] = [
  { title: 'AGE', of: ({ age_seconds }) => formatDuration(age_seconds), right: true, whole: true },
  { title: 'REQUEST', of: requestOf },
  { title: 'CLIENT', of: ({ client_name }) => client_name },
  { title: 'ORDER', of: ({ order_number }) => order_number, whole: true },
  { title: 'BEFORE → AFTER', of: change },
  { title: 'EFFECT', of: effect },
  { title: 'POSSIBLE', of: ({ decisions }) => decisions.join(' ') },
]

function requestOf({ kind, adjustment_id, return_request, order_number }: InboxEntry): string {
  return `${kind} ${adjustment_id ?? return_request?.return_request_id ?? order_number}`
}

function change({ kind, items, state_before, state_after, request, return_request }: InboxEntry): string {
  if (return_request !== null) {
    const lines = return_request.lines.map(
      ({ item_vendor_code, quantity, returnable }) => `${item_vendor_code} ${quantity} of ${returnable}`,
    )
    return [...lines, `reason: ${return_request.reason}`].join('; ')
  }
  const states = `${state_before} → ${state_after}`
  if (kind === 'cancellation') return states
  return [
    ...items.map(
      ({ item_vendor_code, quantity_before, quantity_after, quantity_allowed }) =>
        `${item_vendor_code} ${quantity_before} → ${quantity_after}${quantity_allowed ? '' : ' (against its quantity rules)'}`,
    ),
    ...(state_before === state_after ? [] : [`order ${states}`]),
    ...(typeof request?.reason === 'string' ? [`reason: ${request.reason}`] : []),
  ].join('; ')
}

/** The change of stock and of the contract's exposure if the request is accepted. */
function effect(entry: InboxEntry): string {
  if (entry.kind === 'return') return 'none until the goods arrive'
  const { limit, used, change: by } = entry.contract
  const exposure =
    limit === 0
      ? formatSigned(formatMoney(by))
      : `${formatMoney(used)} ${formatSigned(formatMoney(by))} of ${formatMoney(limit)}`
  return `${stockEffect(entry)}; exposure ${exposure}`
}

function stockEffect({ items }: InboxEntry): string {
  if (items.every(({ available }) => available === null)) return 'reserves no stock'
  const [item] = items
  const freed = items.reduce((sum, { quantity_before, quantity_after }) => sum + quantity_before - quantity_after, 0)
  if (freed < 0) return `takes ${-freed} of ${item?.available} free`
  return items.length === 1 ? `frees ${freed} of ${item?.item_vendor_code}` : `frees ${freed} of ${items.length} items`
}
