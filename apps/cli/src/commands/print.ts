/** What is printed in the stock: packing slips and pick lists, as text or as pages. */
import { text as textOf } from 'node:stream/consumers'
import type { PickedOrder } from '@parts-ordering/client/operator'
import { openAs, type Api } from '../api.ts'
import { command, wholeNumber } from '../command.ts'
import { findOrder } from '../find-order.ts'
import { pageSizeMax } from '../list.ts'
import { exitCodes, Problem } from '../problem.ts'

const html = { meaning: 'print a page in HTML for A4 instead of text' } as const

export const slipCommand = command({
  name: 'slip',
  summary: 'print the packing slip of a shipment',
  arguments: ['NUMBER'],
  options: { shipment: { value: 'ID', meaning: "the shipment (default: the order's last one)" }, html },
  examples: ['slip 100234', 'slip 100234 --html > slip.html'],
  run: async ({ arguments: [text = ''], options, output, api }) => {
    const number = wholeNumber(text, 'An order number')
    const { order_id, shipments } = await findOrder(api(), number)
    const shipment_id =
      options.shipment === undefined ? shipments.at(-1)?.shipment_id : wholeNumber(options.shipment, '--shipment')
    if (shipment_id === undefined) throw new Problem(exitCodes.refused, `Order ${number} has no shipment yet.`)
    if (options.html) return printPage(api(), `orders/${order_id}/shipments/${shipment_id}/slip/`)
    const slip = await api().readPackingSlip({ order_id, shipment_id })
    if (output.json) return output.data(slip)
    const { address } = slip
    output.pairs(
      [
        ['order', `${slip.order_number} of ${slip.order_create_datetime}`],
        ['reference', slip.reference],
        ['shipment', `${slip.shipment_id} of ${slip.shipment_datetime}`],
        ['from', slip.stock_name],
        ['to', `${address.company ?? slip.client_name}, ${address.recipient ?? slip.contact_name}`],
        ...(address.street === ''
          ? [['', `address erased, ${address.country_code}`]]
          : [
              ['', [address.street, address.home, address.room].filter(Boolean).join(' ')],
              ['', `${address.zip} ${address.city}, ${address.country_code}`],
            ]),
        ['phone', address.phone],
        ['e-mail', address.email],
        ['carrier', slip.carrier],
        ['tracking', slip.tracking],
        ['remark', slip.comment],
      ].flatMap(([name, value]): [string, string][] => (value ? [[name ?? '', value]] : [])),
    )
    await output.table(
      [
        { title: 'ARTICLE', of: ({ item }) => item.item_vendor_code, whole: true },
        { title: 'BARCODE', of: ({ item }) => item.item_barcode, whole: true },
        { title: 'TITLE', of: ({ item }) => item.item_title },
        { title: 'ORDERED', of: ({ ordered }) => ordered, right: true, whole: true },
        { title: 'SHIPPED', of: ({ quantity }) => quantity, right: true, whole: true },
        { title: 'OPEN', of: ({ open }) => open, right: true, whole: true },
      ],
      slip.lines,
    )
  },
})

async function printPage(api: Api, path: string): Promise<void> {
  process.stdout.write(await textOf(await openAs(api, 'text/html', `/operator/v1/${path}`)))
}

type PickedLine = PickedOrder['lines'][number] & { readonly order: PickedOrder }

export const pickListCommand = command({
  name: 'pick-list',
  summary: 'print what is to be picked in a stock',
  arguments: ['STOCK'],
  options: { html },
  notes: ['The orders of the stock in fulfilling, oldest first, with what is open of each line.'],
  examples: ['pick-list 1', 'pick-list 1 --html > pick-list.html'],
  run: async ({ arguments: [text = ''], options, output, api }) => {
    const stock_id = wholeNumber(text, 'A stock id')
    if (options.html) return printPage(api(), `stocks/${stock_id}/pick-list/`)
    async function* lines(): AsyncGenerator<PickedLine> {
      for await (const order of api().listPickList({ stock_id, limit: pageSizeMax }))
        for (const line of order.lines) yield { ...line, order }
    }
    const count = await output.table(
      [
        { title: 'ORDER', of: ({ order }) => order.order_number, right: true, whole: true },
        { title: 'CLIENT', of: ({ order }) => order.client_name },
        { title: 'SHIP ON', of: ({ order }) => order.shipping_date, whole: true },
        { title: 'ARTICLE', of: ({ item }) => item.item_vendor_code, whole: true },
        { title: 'BARCODE', of: ({ item }) => item.item_barcode, whole: true },
        { title: 'TITLE', of: ({ item }) => item.item_title },
        { title: 'QUANTITY', of: ({ quantity }) => quantity, right: true, whole: true },
      ],
      lines(),
    )
    if (count === 0 && !output.json) output.note('There is nothing to pick.')
  },
})
