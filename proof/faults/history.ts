/** What the clients of a run asked for and saw. The checker compares it with what is stored. */

/** How one sending of a request ended: `200`, `503 busy`, or `lost` for a connection that broke without an answer. */
export interface Sending {
  readonly sentAt: number
  readonly endedAt: number
  readonly outcome: string
}

export interface Line {
  readonly item_id: number
  readonly quantity: number
}

/** An order that a client wants. It is sent again until it is placed or refused, or the run ends. */
export interface WantedOrder {
  readonly client_id: number
  /** The client's own number for the order, different for each. */
  readonly reference: string
  readonly lines: readonly Line[]
  readonly sendings: Sending[]
  /** Of the answer 200. */
  acknowledged?: { readonly order_id: number; readonly at: number }
  /** The code of a definite refusal. */
  refused?: string
}

/** A cart that a client wants, created with an Idempotency-Key. */
export interface WantedCart {
  readonly client_id: number
  readonly name: string
  acknowledged?: { readonly cart_id: number }
}

/** A request for cancellation: from its answer on, nobody may see the order as new. */
export interface Cancellation {
  readonly client_id: number
  readonly order_id: number
  acknowledgedAt?: number
}

export interface OrderRead {
  readonly client_id: number
  readonly order_id: number
  readonly sentAt: number
  /** The state that was shown; null if the order was not found. */
  readonly state: string | null
}

export interface SeenEvent {
  readonly client_id: number
  readonly event_number: number
  readonly event_type: string
  readonly order_id: number | null
}

export interface History {
  readonly orders: WantedOrder[]
  readonly carts: WantedCart[]
  readonly cancellations: Cancellation[]
  readonly reads: OrderRead[]
  /** By the way in which they are read, in the order in which they were read. Webhooks may repeat. */
  readonly events: { readonly client: SeenEvent[]; readonly operator: SeenEvent[]; readonly webhook: SeenEvent[] }
  /** How many answers of each kind, by operation and outcome. */
  readonly answers: Map<string, number>
}

export const newHistory = (): History => ({
  orders: [],
  carts: [],
  cancellations: [],
  reads: [],
  events: { client: [], operator: [], webhook: [] },
  answers: new Map(),
})

export function countAnswer({ answers }: History, operation: string, outcome: string): void {
  const name = `${operation} ${outcome}`
  answers.set(name, (answers.get(name) ?? 0) + 1)
}
