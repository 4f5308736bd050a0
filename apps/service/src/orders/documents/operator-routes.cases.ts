import type { OperatorCases } from '../../testing/cases.ts'
import type { OperatorWorld } from '../../testing/operators.ts'
import { order } from '../../testing/orders.ts'
import { unknownId } from '../../testing/world.ts'
import { operatorView } from '../operator-shared.cases.ts'

const pathOf = (order_id: number): string => `/operator/v1/orders/${order_id}/documents/`

const invoice = { kind: 'invoice', number: 'R/1 ä', url: 'https://erp.example/R1.pdf?a=b&c' }
const note = { kind: 'delivery_note', number: '7', url: 'https://erp.example/7', issued_on: '2026-11-20' }
const query = `?kind=invoice&number=${encodeURIComponent(invoice.number)}`

async function withInvoice(world: OperatorWorld): Promise<number> {
  const { order_id } = await order(world)
  await world.operators.ok('PUT', pathOf(order_id), invoice)
  return order_id
}

export const documentCases: Record<string, OperatorCases> = {
  'PUT /operator/v1/orders/{order_id}/documents/': {
    success: async (world) => {
      const order_id = await withInvoice(world)
      return {
        path: pathOf(order_id),
        json: note,
        data: { ...(await operatorView(world, order_id)), documents: [note, { ...invoice, issued_on: null }] },
      }
    },
    refusals: {
      order_not_found: async () => ({ path: pathOf(unknownId), json: invoice, details: { order_id: unknownId } }),
      order_documents_full: async (world) => {
        const order_id = await withInvoice(world)
        await world.service.sql(
          `insert into order_documents (client_id, order_id, kind, number, url)
           select $1, $2, 'other', n, 'https://erp.example/' from generate_series(1, 49) n`,
          [world.me.client_id, order_id],
        )
        return { path: pathOf(order_id), json: note, details: { order_id, limit: 50 } }
      },
    },
  },
  'DELETE /operator/v1/orders/{order_id}/documents/': {
    success: async (world) => {
      const order_id = await withInvoice(world)
      await world.operators.ok('PUT', pathOf(order_id), note)
      return {
        path: `${pathOf(order_id)}${query}`,
        data: { ...(await operatorView(world, order_id)), documents: [note] },
      }
    },
    refusals: {
      order_not_found: async () => ({ path: `${pathOf(unknownId)}${query}`, details: { order_id: unknownId } }),
      document_not_found: async (world) => {
        const order_id = await withInvoice(world)
        const named = { kind: 'credit_note', number: invoice.number }
        return {
          path: `${pathOf(order_id)}${query.replace('invoice', named.kind)}`,
          details: { order_id, ...named },
        }
      },
    },
  },
}
