/** Opens what is printed in a tab of its own, which prints and closes, so that the page and its selection stay. */
import type { OperatorOrder } from '@parts-ordering/client/operator'

export interface Printed {
  /** The stock whose pick list it is. */
  readonly stock?: number
  /** Orders to pick, and orders whose last shipment is packed. */
  readonly picks?: readonly number[]
  readonly slips?: readonly number[]
}

export function openPrint({ stock, picks = [], slips = [] }: Printed): void {
  const search = new URLSearchParams({
    ...(stock === undefined ? {} : { stock: String(stock) }),
    ...(picks.length === 0 ? {} : { picks: picks.join() }),
    ...(slips.length === 0 ? {} : { slips: slips.join() }),
  })
  window.open(`/console/print?${search}`)
}

type Printable = Pick<OperatorOrder, 'order_id' | 'order_state_id' | 'hold_reason' | 'virtual'>

/** What their states ask for: pick lists of what is assembled, slips of what was shipped. */
export const printedOf = (orders: readonly Printable[]): Required<Pick<Printed, 'picks' | 'slips'>> => ({
  picks: orders
    .filter((order) => order.order_state_id === 'fulfilling' && order.hold_reason === null && !order.virtual)
    .map(({ order_id }) => order_id),
  slips: orders
    .filter(({ order_state_id }) => order_state_id === 'shipped' || order_state_id === 'completed')
    .map(({ order_id }) => order_id),
})
