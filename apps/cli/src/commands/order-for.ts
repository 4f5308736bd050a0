import type { OrderForClient, OrderForClientParams, PartsOperatorClient } from '@parts-ordering/client/operator'
import { command, wholeNumber } from '../command.ts'
import { atTerminal, confirmed } from '../confirm.ts'
import { formatMoney } from '../format.ts'
import type { Output } from '../output.ts'
import { exitCodes, Problem } from '../problem.ts'
import type { Column } from '../table.ts'

type Line = OrderForClient['lines'][number]

const address = {
  to: { value: 'NAME', meaning: "the client's saved address with this name or id, instead of --zip to --room" },
  zip: { value: 'CODE', meaning: 'the postal code' },
  country: { value: 'CODE', meaning: 'the country, such as DE' },
  region: { value: 'CODE', meaning: 'the region, such as DE-BE' },
  city: { value: 'TEXT', meaning: 'the city' },
  street: { value: 'TEXT', meaning: 'the street' },
  home: { value: 'TEXT', meaning: 'the house number' },
  room: { value: 'TEXT', meaning: 'the premises number' },
  recipient: { value: 'NAME', meaning: 'who receives the goods' },
  company: { value: 'NAME', meaning: 'the company at this address' },
  phone: { value: 'NUMBER', meaning: 'where the carrier can call' },
  email: { value: 'ADDRESS', meaning: 'where the carrier can write to' },
} as const

export const orderForCommand = command({
  name: 'order-for',
  summary: 'order for a client, as on the phone',
  arguments: ['CLIENT'],
  options: {
    line: { value: 'ARTICLE=QUANTITY', meaning: 'order this much of this article; may be repeated', multiple: true },
    item: {
      value: 'ID=QUANTITY',
      meaning: 'order this much of the item with this id; may be repeated',
      multiple: true,
    },
    stock: { value: 'ID', meaning: 'the stock to take the goods from', required: true },
    contract: { value: 'ID', meaning: "the contract (default: the client's default contract)" },
    contact: { value: 'ID', meaning: "the contact who orders (default: the client's first contact)" },
    ...address,
    reference: { value: 'TEXT', meaning: "the client's own number for the order" },
    comment: { value: 'TEXT', meaning: 'a remark for the people who handle the order' },
    yes: { meaning: 'order without asking' },
  },
  notes: [
    'CLIENT is the id of the client. The command shows what the order costs, and asks before it orders. If a price changes in between, nothing is ordered. A lost response is requested again with the same Idempotency-Key, so one run orders at most once.',
  ],
  examples: [
    'order-for 12 --stock 1 --line JF-11024=4 --to "Workshop North"',
    'order-for 12 --stock 1 --line JF-11024=4 --item 1025=1 --reference PO-17 --zip 10115 --country DE --region DE-BE --city Berlin --street Torstrasse --home 1',
  ],
  run: async ({ arguments: [text = ''], options, output, api, mayBeDone, problemOf }) => {
    const client_id = wholeNumber(text, 'The id of the client')
    const { stock, contract, contact, yes } = options
    const order = {
      client_id,
      stock_id: wholeNumber(stock, 'The stock'),
      contract_id: contract === undefined ? undefined : wholeNumber(contract, 'The contract'),
      contact_id: contact === undefined ? undefined : wholeNumber(contact, 'The contact'),
      lines: linesOf(options),
      ...(await addressOf(api(), client_id, options)),
      recipient: options.recipient,
      company: options.company,
      phone: options.phone,
      email: options.email,
      reference: options.reference,
      comment: options.comment,
    }
    const shown = await api().orderForClient({ ...order, dry_run: true })
    if (!output.json) await show(output, shown)
    if (!yes && !(atTerminal() && (await confirmed(`Order for client ${client_id}?`))))
      throw new Problem(
        exitCodes.refused,
        'Nothing was ordered: the order must be confirmed.',
        'Check the figures, then repeat the command with --yes.',
      )
    const placed = await api()
      .orderForClient({ ...order, expected_total: shown.order_total })
      .catch((error: unknown) => {
        const look = `look at \`parts orders --client ${client_id}\` before you repeat the command`
        throw mayBeDone(error) ? problemOf(error, `The order may have been placed: ${look}.`) : error
      })
    if (output.json) return output.data(placed)
    output.line(`Placed order ${placed.order_number} for client ${client_id}.`)
  },
})

type Address = Extract<OrderForClientParams, { zip: string }>
type Options = Readonly<Partial<Record<keyof typeof address, string>>>

async function addressOf(
  api: PartsOperatorClient,
  client_id: number,
  { to, zip, country, region, city, street, home, room }: Options,
): Promise<
  { address_id: number } | Pick<Address, 'zip' | 'country_code' | 'region_code' | 'city' | 'street' | 'home' | 'room'>
> {
  if (to === undefined) {
    if (!zip || !country || !region || !city || !street || !home)
      throw new Problem(
        exitCodes.usage,
        '`parts order-for` requires --zip, --country, --region, --city, --street and --home, or --to.',
      )
    return { zip, country_code: country, region_code: region, city, street, home, room }
  }
  const saved = await Array.fromAsync(api.listClientAddresses({ client_id }))
  const found = saved.find(({ address_id, address_name }) => address_name === to || String(address_id) === to)
  if (found !== undefined) return { address_id: found.address_id }
  const names = saved.map(({ address_name }) => address_name).join(', ')
  throw new Problem(exitCodes.refused, `The client has no address '${to}'.`, `It has saved: ${names || 'none'}.`)
}

function linesOf({ line, item }: { line: readonly string[]; item: readonly string[] }): OrderForClientParams['lines'] {
  if (line.length + item.length === 0)
    throw new Problem(exitCodes.usage, '`parts order-for` requires at least one --line or --item.')
  return [
    ...line.map((text) => {
      const [article, quantity] = pairOf(text, '--line', 'ARTICLE')
      return { article, quantity }
    }),
    ...item.map((text) => {
      const [id, quantity] = pairOf(text, '--item', 'ID')
      return { item_id: wholeNumber(id, 'The id of --item'), quantity }
    }),
  ]
}

function pairOf(text: string, option: string, name: string): [name: string, quantity: number] {
  const at = text.lastIndexOf('=')
  if (at < 1) throw new Problem(exitCodes.usage, `${option} must be ${name}=QUANTITY, not '${text}'.`)
  return [text.slice(0, at), wholeNumber(text.slice(at + 1), `The quantity of ${option}`)]
}

const columns: readonly Column<Line>[] = [
  { title: 'ARTICLE', of: ({ item_vendor_code }) => item_vendor_code, whole: true },
  { title: 'TITLE', of: ({ item_title }) => item_title },
  { title: 'QUANTITY', of: ({ quantity }) => quantity, right: true, whole: true },
  { title: 'PRICE', of: ({ price }) => formatMoney(price), right: true, whole: true },
  { title: 'AMOUNT', of: ({ amount }) => formatMoney(amount), right: true, whole: true },
]

async function show(output: Output, order: OrderForClient): Promise<void> {
  await output.table(columns, order.lines)
  output.pairs([
    ['goods', formatMoney(order.goods)],
    ['discount', formatMoney(order.order_discount)],
    ['tax', formatMoney(order.order_tax)],
    ['total', `${formatMoney(order.order_total)} ${order.currency_code}`],
    ...(order.limit_left_after === null
      ? []
      : [['limit left', `${formatMoney(order.limit_left_after)} ${order.currency_code}`] as const]),
  ])
}
