/** The operators' steps of the model campaign: each sends a request and compares the answer with the model's. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { ModelBehalf, type PhoneOrder } from './model-behalf.ts'
import { ModelDesk } from './model-desk.ts'
import { requestedOf, type WantedLine } from './model-returns.ts'
import { ModelLines } from './model-lines.ts'
import { ModelOffice } from './model-office.ts'
import {
  correctable,
  moves,
  openOf,
  scale,
  shownMoney,
  type ExpectedAnswer,
  type ModelAccount,
  type ModelOrder,
  type ModelReturnRequest,
} from './model-state.ts'
import { at, some, type OperatorStep } from './model-steps.ts'
import type { Model } from './model.ts'
import { orderMissing } from './model-views.ts'
import { address } from '../src/testing/fixtures.ts'

interface ModelRequest {
  readonly method: string
  readonly path: string
  readonly json?: object
  readonly headers?: Record<string, string>
  /** Of the client, if it sends the request. */
  readonly key?: string
}
type Compare = (request: ModelRequest, expected: ExpectedAnswer) => Promise<void>

interface Drawn {
  readonly a: number
  readonly b: number
  readonly c: number
}

export class ModelOperators {
  readonly #model: Model
  readonly #desk: ModelDesk
  readonly #lines: ModelLines
  readonly #office: ModelOffice
  readonly #behalf: ModelBehalf
  readonly #compare: Compare

  constructor(model: Model, compare: Compare) {
    this.#model = model
    this.#desk = new ModelDesk(model)
    this.#lines = new ModelLines(model)
    this.#office = new ModelOffice(model)
    this.#behalf = new ModelBehalf(model)
    this.#compare = compare
  }

  async play(kind: OperatorStep, account: ModelAccount, drawn: Drawn): Promise<void> {
    if (isOrderStep(kind)) return this.#playOrder(kind, account, drawn)
    const { world } = this.#model
    const { client_id, contracts } = account.client
    const { a, b, c } = drawn
    const [stock, item] = [at(world.stocks, Number(a % 4 === 0)), at(world.items, b)]
    const level = `/operator/v1/stock-levels/${stock}/${item}/`
    const contract = at(contracts, Number(a % 4 !== 0))
    const client = `/operator/v1/clients/${client_id}/`
    switch (kind) {
      case 'count': {
        const on_hand = at([0, 2, 6, 12, 30], c)
        const expected = this.#office.countStock(stock, item, on_hand)
        return this.#post(`${level}count/`, expected, { on_hand, reason: 'Counted.' })
      }
      case 'arrive': {
        const [on_hand, back_order] = [at([4, 12, 20, 40], c), some([undefined, undefined, true, false], a)]
        const expected = this.#office.setStock(stock, item, { onHand: on_hand, backOrder: back_order })
        return this.#compare({ method: 'PUT', path: level, json: { on_hand, back_order } }, expected)
      }
      case 'expect': {
        const today = Temporal.Now.plainDateISO('UTC')
        const arrivals = [c % 3, 3 + (c % 5)]
          .slice(a % 3)
          .map((days, i) => ({ date: today.add({ days }).toString(), quantity: at([1, 5, 20], b + i) }))
        const expected = this.#office.setArrivals(stock, item, arrivals)
        return this.#compare({ method: 'PUT', path: `${level}arrivals/`, json: { arrivals } }, expected)
      }
      case 'levels':
        return this.#get(`/operator/v1/stock-levels/?stock_id=${stock}`, this.#office.levels(stock))
      case 'readClient':
        return this.#get(client, this.#office.client(account))
      case 'block': {
        if (b % 2 === 0) return undefined // A blocked client places no orders to work with.
        const reason = at(['Overdue.', 'Insolvent.'], a)
        if (c % 2 === 0) return this.#post(`${client}block/`, this.#office.blockClient(account, reason), { reason })
        const expected = this.#office.blockContract(account, contract, reason)
        return this.#post(`${client}contracts/${contract}/block/`, expected, { reason })
      }
      case 'unblock':
        if (c % 2 === 0) return this.#post(`${client}unblock/`, this.#office.blockClient(account, null))
        return this.#post(
          `${client}contracts/${contract}/unblock/`,
          this.#office.blockContract(account, contract, null),
        )
      case 'limit': {
        const contract_limit = at([100, 50, 0, 20, 0, 300], b)
        const [expected, confirmed] = [this.#model.limitOf(account, contract) / scale, c % 2 === 0]
        const path = `${client}contracts/${contract}/`
        const limit = { limit: contract_limit * scale, confirmed }
        const answer = this.#office.setLimit(account, contract, limit)
        return this.#compare({ method: 'PATCH', path, json: { contract_limit, expected, confirmed } }, answer)
      }
      case 'markCart': {
        const cartId = some(account.carts, a)?.id ?? 404
        const json = { virtual: b % 3 === 0 }
        const expected = this.#office.markCart(account, cartId, json.virtual)
        return this.#compare({ method: 'PATCH', path: `${client}carts/${cartId}/`, json }, expected)
      }
      case 'orderFor':
        return this.#orderFor(account, { stock, contract, drawn })
      default:
        assert.fail(kind satisfies never)
    }
  }

  /** One to four lines, by id or article, sometimes only tried, and repeated with the same Idempotency-Key. */
  async #orderFor(
    account: ModelAccount,
    { stock, contract, drawn: { a, b, c } }: { stock: number; contract: number; drawn: Drawn },
  ): Promise<void> {
    const lines = Array.from({ length: 1 + (c % 4) }, (_, n) => ({
      item: at(this.#model.world.items, b + n * (1 + (a % 2))),
      quantity: (b + n) % 9 === 0 ? 9 : 1 + ((c + n) % 3),
    }))
    const isDefault = a % 3 === 0
    const order: PhoneOrder = {
      stock,
      contract: isDefault ? account.client.contracts[0] : contract,
      lines,
      address: b % 11 === 0 ? 'Potsdam' : 'Berlin',
      dry: b % 5 === 0,
    }
    const { total } = this.#behalf.total(account, order)
    const expectedTotal = some([undefined, total, total, total + scale], b)
    const json = {
      stock_id: stock,
      ...(isDefault ? {} : { contract_id: order.contract }),
      lines: lines.map(({ item, quantity }, n) => (n % 2 === 0 ? { item_id: item, quantity } : { article: `m ${item}`, quantity })), // prettier-ignore
      ...address,
      city: order.address,
      ...(expectedTotal === undefined ? {} : { expected_total: shownMoney(expectedTotal) }),
      ...(order.dry ? { dry_run: true } : {}),
    }
    const headers = { 'idempotency-key': randomUUID() }
    const request = { method: 'POST', path: `/operator/v1/clients/${account.client.client_id}/orders/`, json, headers }
    const expected = this.#behalf.orderFor(account, { ...order, expectedTotal })
    let answered: unknown
    await this.#compare(request, {
      ...expected,
      learn: (data: unknown) => {
        answered = data
        expected.learn?.(data)
      },
    })
    if (answered !== undefined && !order.dry) await this.#compare(request, { status: 200, data: answered })
  }

  async #playOrder(kind: OrderStep, account: ModelAccount, { a, b, c }: Drawn): Promise<void> {
    const order =
      b % 16 === 0 ? some(account.orders, a) : (some(account.orders.filter(suits[kind]), a) ?? some(account.orders, a))
    if (!order) return this.#get('/operator/v1/orders/404/', orderMissing(404))
    const path = `/operator/v1/orders/${order.id}/`
    const read = (): Promise<void> => this.#get(path, this.#desk.read(account, order))
    switch (kind) {
      case 'advance':
      case 'move': {
        const possible = moves[order.state]
        const wanted = kind === 'advance' ? possible[0] : b % 5 === 0 ? undefined : some(possible, c)
        const to = wanted ?? at(targets, c)
        const text = to === 'canceled' || c % 3 === 0 ? `Move ${c}.` : undefined
        const expected = this.#desk.move(account, order, to, text ?? '')
        return this.#post(`${path}move/`, expected, { state_id: to, text })
      }
      case 'ship': {
        if (order.lines.some(({ id }) => id === 0)) await read()
        const lines = c % 3 === 0 ? undefined : this.#pieces(order, openOf, { b, c })
        const [carrier, tracking] = [some([undefined, 'DHL'], a), some([undefined, '0034'], b)]
        const text = [carrier, tracking].filter((part) => part !== undefined).join(' ')
        const shown = order.lines.reduce((sum, line) => sum + openOf(line), 0)
        const expected = this.#desk.ship(account, order, { lines, carrier, tracking, text })
        return this.#post(`${path}shipments/`, expected, { lines, carrier, tracking, expected: shown })
      }
      case 'closeOpen': {
        const line = order.lines.find((one) => openOf(one) > 1)
        if (line && order.shipments.length === 0 && b % 4 !== 0) {
          if (line.id === 0) await read()
          const lines = [{ order_item_id: line.id, quantity: 1 }]
          await this.#post(`${path}shipments/`, this.#desk.ship(account, order, { lines, text: '' }), { lines })
        }
        const reason = 'Sold out.'
        return this.#post(`${path}close-open/`, this.#desk.closeOpen(account, order, reason), { reason })
      }
      case 'decideCancellation': {
        const rejection = c % 2 === 0 ? undefined : 'Already being loaded.'
        const expected = this.#desk.decideCancellation(account, order, rejection)
        if (rejection === undefined) return this.#post(`${path}cancellation/accept/`, expected)
        return this.#post(`${path}cancellation/reject/`, expected, { message: rejection })
      }
      case 'undoCancellation': {
        const expected = this.#desk.undoCancellation(account, order, 'By mistake.')
        return this.#post(`${path}undo-cancellation/`, expected, { reason: 'By mistake.' })
      }
      case 'hold': {
        const reason = at(['Overdue.', 'Address unclear.'], b)
        return this.#post(`${path}hold/`, this.#desk.hold(account, order, reason), { reason })
      }
      case 'release':
        return this.#post(`${path}release/`, this.#desk.hold(account, order, null))
      case 'return': {
        if (order.lines.some(({ id }) => id === 0)) await read()
        const lines = this.#pieces(order, ({ shipped, returned }) => shipped - returned, { b, c })
        const { returnRequests } = order
        const request =
          c % 3 === 0 ? some(returnRequests, b) : returnRequests.find(({ status }) => status === 'ACCEPTED')
        const back = { lines, reason: 'Does not fit.', restock: a % 3 !== 0 }
        const expected = order.lines.reduce((sum, { shipped, returned }) => sum + shipped - returned, 0)
        const json = { ...back, expected, return_request_id: request?.id }
        return this.#post(`${path}returns/`, this.#desk.return(account, order, { ...back, request }), json)
      }
      case 'requestReturn': {
        if (order.lines.some(({ id }) => id === 0)) await read()
        const left = (line: ModelOrder['lines'][number]): number =>
          line.shipped - line.returned - requestedOf(order, line, ['WAIT', 'ACCEPTED'])
        const json = { lines: this.#pieces(order, left, { b, c }), reason: `Reason ${c}` }
        const expected = this.#model.returns.request(account, order.id, json.lines, json.reason)
        const to = `/api/v1/orders/${order.id}/return-requests/`
        return this.#compare({ method: 'PUT', path: to, json, key: account.client.key }, expected)
      }
      case 'withdrawReturn': {
        const id = this.#requestOf(order, { b, c })?.id ?? 404
        const expected = this.#model.returns.withdraw(account, order.id, id)
        const to = `/api/v1/orders/${order.id}/return-requests/${id}/`
        return this.#compare({ method: 'DELETE', path: to, key: account.client.key }, expected)
      }
      case 'acceptReturn':
      case 'rejectReturn': {
        const request = this.#requestOf(order, { b, c })
        if (!request) return undefined
        const to = `/operator/v1/return-requests/${request.id}/`
        const words = kind === 'acceptReturn' ? `To stock ${c}.` : `Not ${c}.`
        if (kind === 'rejectReturn')
          return this.#post(`${to}reject/`, this.#model.returns.reject(account, order, request, words), { message: words }) // prettier-ignore
        const expected = this.#model.returns.accept(account, order, request, words)
        return this.#post(`${to}accept/`, expected, { instruction: words })
      }
      case 'note': {
        const note = { text: `Note ${c}.`, internal: b % 2 === 0 }
        return this.#post(`${path}notes/`, this.#desk.note(account, order, note), note)
      }
      case 'clearVirtual':
        return this.#post(`${path}clear-virtual/`, this.#desk.clearVirtual(account, order))
      case 'changeDate': {
        const today = Temporal.Now.plainDateISO('UTC')
        const window = { earliest_date: today.toString(), latest_date: today.add({ days: 3650 }).toString() }
        const shipping_date = today.add({ days: at([-1, 0, 7, 7, 3650, 3651], b) }).toString()
        const expected = this.#desk.reschedule(account, order, shipping_date, window)
        return this.#post(`${path}reschedule/`, expected, { shipping_date })
      }
      case 'changeLine': {
        if (order.lines.some(({ id }) => id === 0)) await read()
        const line = some(order.lines, b) // Also of removed lines.
        const lineId = c % 17 === 0 || !line ? 404 : line.id
        const quantity = at([0, 1, 2, 3, Math.max((line?.quantity ?? 1) - 1, 0), line?.shipped ?? 0, 30], c)
        const change = { quantity, reason: 'Damaged.', dry: a % 4 === 0 }
        const json = { quantity, reason: 'Damaged.', dry_run: change.dry, expected: line?.quantity }
        const expected = this.#lines.change(account, order, lineId, change)
        return this.#compare({ method: 'PATCH', path: `${path}items/${lineId}/`, json }, expected)
      }
      case 'addLine': {
        const item = at(this.#model.world.items, b)
        const change = { quantity: at([1, 2, 4, 20], c), reason: 'Forgotten.', dry: a % 4 === 0 }
        const expected = this.#lines.add(account, order, item, change)
        const { quantity, reason, dry: dry_run } = change
        return this.#post(`${path}items/`, expected, { item_id: item, quantity, reason, dry_run })
      }
      case 'readFull':
        return read()
      default:
        assert.fail(kind satisfies never)
    }
  }

  #requestOf({ returnRequests }: ModelOrder, { b, c }: Pick<Drawn, 'b' | 'c'>): ModelReturnRequest | undefined {
    const waiting = returnRequests.filter(({ status }) => status === 'WAIT')
    return (c % 4 === 0 ? undefined : some(waiting, b)) ?? some(returnRequests, b)
  }

  /** One or two lines; rarely more than there is, or a line of another order. */
  #pieces(
    order: ModelOrder,
    possible: (line: ModelOrder['lines'][number]) => number,
    { b, c }: Pick<Drawn, 'b' | 'c'>,
  ): WantedLine[] {
    const lines = b % 8 === 0 ? order.lines : order.lines.filter((line) => possible(line) > 0)
    const chosen = [...new Set([some(lines, b), ...(c % 2 === 0 ? [some(lines, b + 1)] : [])])].filter(
      (line) => line !== undefined,
    )
    const pieces = chosen.map((line) => ({
      order_item_id: line.id,
      quantity: c % 11 === 0 ? possible(line) + 1 : 1 + (c % Math.max(possible(line), 1)),
    }))
    return pieces.length > 0 && c % 23 !== 0 ? pieces : [{ order_item_id: 404, quantity: 1 }]
  }

  /** Everything that the service shows in the end: orders, events, stock and exposure. */
  async compareAll(compareEvents: (account: ModelAccount, expected: ExpectedAnswer) => Promise<void>): Promise<void> {
    for (const stock of this.#model.world.stocks)
      await this.#get(`/operator/v1/stock-levels/?stock_id=${stock}`, this.#office.levels(stock))
    for (const account of this.#model.accounts) {
      if (account.events.length === 0) continue
      await this.#get(`/operator/v1/clients/${account.client.client_id}/`, this.#office.client(account))
      for (const order of account.orders)
        await this.#get(`/operator/v1/orders/${order.id}/`, this.#desk.read(account, order))
      await compareEvents(account, this.#office.events(account, 0))
    }
  }

  async #get(path: string, expected: ExpectedAnswer): Promise<void> {
    await this.#compare({ method: 'GET', path }, expected)
  }

  async #post(path: string, expected: ExpectedAnswer, json?: object): Promise<void> {
    await this.#compare({ method: 'POST', path, ...(json && { json }) }, expected)
  }
}

const targets = ['new', 'processing', 'fulfilling', 'shipped', 'completed', 'canceled'] as const

const open = ({ state }: ModelOrder): boolean => correctable.includes(state)
const any = (): boolean => true

/** The orders with which a step can succeed: most are drawn from these. */
const suits = {
  advance: ({ state, hold, virtual }: ModelOrder) =>
    (state === 'new' || state === 'processing') && hold === null && !virtual,
  move: ({ state, hold }: ModelOrder) => moves[state].length > 0 && hold === null,
  ship: ({ state, hold, virtual }: ModelOrder) => state === 'fulfilling' && hold === null && !virtual,
  closeOpen: ({ state, hold, virtual }: ModelOrder) => state === 'fulfilling' && hold === null && !virtual,
  decideCancellation: ({ state }: ModelOrder) => state === 'zayavka-na-otmen',
  undoCancellation: ({ state }: ModelOrder) => state === 'canceled',
  hold: open,
  release: ({ hold }: ModelOrder) => hold !== null,
  return: ({ shipments }: ModelOrder) => shipments.length > 0,
  requestReturn: ({ shipments }: ModelOrder) => shipments.length > 0,
  withdrawReturn: ({ returnRequests }: ModelOrder) => returnRequests.length > 0,
  acceptReturn: ({ returnRequests }: ModelOrder) => returnRequests.some(({ status }) => status === 'WAIT'),
  rejectReturn: ({ returnRequests }: ModelOrder) => returnRequests.length > 0,
  note: any,
  clearVirtual: ({ virtual }: ModelOrder) => virtual,
  changeDate: open,
  changeLine: open,
  addLine: open,
  readFull: any,
} satisfies Partial<Record<OperatorStep, (order: ModelOrder) => boolean>>
type OrderStep = keyof typeof suits

const isOrderStep = (kind: OperatorStep): kind is OrderStep => Object.hasOwn(suits, kind)
