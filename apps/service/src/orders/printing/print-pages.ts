/** Packing slips and pick lists as pages to print on A4. Everything that others wrote is escaped; there is no script. */
import type { PickedOrder } from './list-pick-list.ts'
import type { PackingSlip } from './packing-slip.ts'
import { html, printedPage, type Html } from '../../input/print-html.ts'

export function slipPage(slip: PackingSlip): string {
  const { address, lines } = slip
  const street = [address.street, address.home, address.room].filter((part) => part !== null && part !== '').join(' ')
  const place = address.street === '' ? 'Address erased' : html`${street}<br />${address.zip} ${address.city}`
  const facts: [string, string | null][] = [
    ['Order', `${slip.order_number} of ${slip.order_create_datetime.slice(0, 10)}`],
    ['Your reference', slip.reference],
    ['Phone', address.phone],
    ['E-mail', address.email],
    ['Shipment', `${slip.shipment_id} of ${slip.shipment_datetime.slice(0, 10)}`],
    ['From', slip.stock_name],
    ['Carrier', slip.carrier],
    ['Tracking', slip.tracking],
  ]
  return printedPage(
    `Packing slip ${slip.order_number}-${slip.shipment_id}`,
    html`<section class="head">
        <p class="address">
          ${address.company ?? slip.client_name}<br />${address.recipient ?? slip.contact_name}<br />${place}<br />${address.country_code}
        </p>
        ${factsOf(facts)}
      </section>
      ${factsOf([['Remark', slip.comment]])}
      <table>
        <thead>
          <tr>
            ${articleHeads(slip.order_number)}
            <th class="n">Ordered</th>
            <th class="n">In this shipment</th>
            <th class="n">Still open</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ({ item, ordered, quantity, open }) =>
              html`<tr>
                <td>${item.item_vendor_code}</td>
                <td>${item.item_barcode}</td>
                <td>${item.brand.brand_name} ${item.item_title}</td>
                <td class="n">${ordered}</td>
                <td class="n"><b>${quantity}</b></td>
                <td class="n">${open}</td>
              </tr>`,
          )}
        </tbody>
      </table>
      <p class="end">
        ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}, ${sum(lines)} pieces in this shipment.
      </p>`,
  )
}

/** `more`: the list was cut off. */
export function pickListPage(orders: readonly PickedOrder[], stock_id: number, more: boolean): string {
  const pieces = sum(orders.flatMap(({ lines }) => lines))
  return printedPage(
    `Pick list of stock ${stock_id}`,
    html`<p>
        ${orders.length} ${orders.length === 1 ? 'order' : 'orders'}, ${pieces}
        pieces.${more ? ' There are more orders.' : ''}
      </p>
      ${orders.map(
        (order) =>
          html`<section class="order">
            <h2>Order ${order.order_number}</h2>
            ${factsOf([
              ['Client', order.client_name],
              ['To be shipped on', order.shipping_date],
              ['Remark', order.comment],
            ])}
            <table>
              <thead>
                <tr>
                  <th class="box">Picked</th>
                  ${articleHeads(order.order_number)}
                  <th class="n">Quantity</th>
                </tr>
              </thead>
              <tbody>
                ${order.lines.map(
                  ({ item, quantity }) =>
                    html`<tr>
                      <td class="box"><span class="tick"></span></td>
                      <td>${item.item_vendor_code}</td>
                      <td>${item.item_barcode}</td>
                      <td>${item.brand.brand_name} ${item.item_title}</td>
                      <td class="n"><b>${quantity}</b></td>
                    </tr>`,
                )}
              </tbody>
            </table>
          </section>`,
      )}`,
  )
}

/** A table's head is repeated on each page, so it says which order the page belongs to. */
const articleHeads = (order_number: number): Html =>
  html`<th class="article">Article of order ${order_number}</th>
    <th class="barcode">Barcode</th>
    <th>Title</th>`

const factsOf = (facts: readonly (readonly [string, string | null])[]): Html =>
  html`<dl>
    ${facts.flatMap(([name, value]) =>
      value === null
        ? []
        : [
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
          ],
    )}
  </dl>`

const sum = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((all, { quantity }) => all + quantity, 0)
