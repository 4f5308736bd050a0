/** A thread that attacks the service until it is ended, so that the attack does not delay what its victim measures. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/** Who attacks, and with what. */
export interface Target {
  readonly port: number
  readonly key: string
  /** A cart group that can never be ordered: its thousand items are not in stock. */
  readonly groupKey: string
  /** A cart of which somebody else holds the lock. */
  readonly heldCart: number
  /** Keys that are well formed and unknown. */
  readonly unknownKeys: readonly string[]
}

export interface Attack {
  readonly name: AttackName
  readonly target: Target
}

const get = (path: string, key = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: parts.example\r\n${key === '' ? '' : `Authorization: ${key}\r\n`}\r\n`

const put = (path: string, key: string, form: string): string =>
  [
    `PUT ${path} HTTP/1.1`,
    'Host: parts.example',
    `Authorization: ${key}`,
    'Content-Type: application/x-www-form-urlencoded',
    `Content-Length: ${form.length}`,
    '',
    form,
  ].join('\r\n')

const address = 'zip=10115&country_code=DE&region_code=DE-BE&city=Berlin&street=Invalidenstr&home=116'
const unknownFields = Array.from({ length: 1_000 }, (_, n) => `unknown${n}=1`)
  .join('&')
  .slice(0, 11_000)

/** What each attack sends in one round, and how long it rests after it. All stay within the rate limit of one key. */
const attacks = {
  'unread documents': { restMs: 1_000, send: ({ port }: Target) => unread(port, get('/openapi.json'), 78_000) },
  'unread pages': { restMs: 1_000, send: ({ port }: Target) => unread(port, get('/docs/'), 78_000) },
  'large pages of events': {
    restMs: 250,
    send: ({ port, key }: Target) => read(port, get('/api/v1/events/?limit=500', key)),
  },
  'large pages, pipelined and left': {
    restMs: 1_900,
    send: ({ port, key }: Target) => leave(port, get('/api/v1/events/?limit=500', key).repeat(95)),
  },
  'a thousand unknown fields': {
    restMs: 25,
    send: ({ port, key }: Target) => read(port, put('/api/v1/carts/', key, unknownFields)),
  },
  'an order of 1,000 lines that fails': {
    restMs: 50,
    send: ({ port, key, groupKey }: Target) =>
      read(port, put('/api/v1/orders/', key, `cart_group_key=${groupKey}&${address}`)),
  },
  'requests for a locked row': {
    restMs: 100,
    send: ({ port, key, heldCart }: Target) =>
      leaveLater(port, put(`/api/v1/carts/${heldCart}/items/`, key, 'item_id=1&stock_id=1&quantity=1')),
  },
  'unknown keys': {
    restMs: 5,
    send: ({ port, unknownKeys }: Target) =>
      read(port, get('/api/v1/carts/', unknownKeys[Math.floor(Math.random() * unknownKeys.length)])),
  },
} as const

export type AttackName = keyof typeof attacks
export const attackNames = Object.keys(attacks) as AttackName[]

function open(port: number, text: string): net.Socket {
  const socket = net.connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.write(text)
  return socket
}

/** Sends the request again and again on one connection, up to a number of bytes, and never reads an answer. */
function unread(port: number, request: string, bytes: number): void {
  const socket = open(port, request.repeat(Math.floor(bytes / request.length))).pause()
  setTimeout(() => socket.destroy(), 10_000).unref()
}

/** Reads and drops the answer. */
async function read(port: number, request: string): Promise<void> {
  const socket = open(port, request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')).resume()
  await new Promise((closed) => socket.on('close', closed))
}

function leave(port: number, requests: string): void {
  const socket = open(port, requests)
  setTimeout(() => socket.resetAndDestroy(), 100)
}

function leaveLater(port: number, request: string): void {
  const socket = open(port, request).resume()
  setTimeout(() => socket.destroy(), 2_000).unref()
}

if (parentPort !== null) {
  const { name, target } = workerData as Attack
  const { restMs, send } = attacks[name]
  await send(target)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- It is a thread, not a window.
  parentPort.postMessage('attacking')
  for (;;) {
    await sleep(restMs)
    await send(target)
  }
}
