/** Where a request comes from: the address of its connection or, behind a trusted proxy, the address that the proxy reports. */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP } from 'node:net'

export interface ClientAddresses {
  /** Whether the address is that of a configured proxy. */
  readonly isProxy: (address: string) => boolean
  /** The address from which a request was sent. */
  readonly of: (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string
}

/** `proxies` are addresses or networks such as `10.0.0.0/8`; see `isNetwork`. */
export function clientAddresses(proxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList()
  for (const proxy of proxies) {
    const [address = '', prefix = isIP(address) === 4 ? '32' : '128'] = proxy.split('/')
    trusted.addSubnet(address, Number(prefix), isIP(address) === 4 ? 'ipv4' : 'ipv6')
  }
  const isProxy = (address: string): boolean =>
    proxies.length > 0 && isIP(address) !== 0 && trusted.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')

  return {
    isProxy,
    of: ({ headers, socket }) => {
      const own = plainAddress(socket.remoteAddress ?? '')
      if (!isProxy(own)) return own
      // Each proxy appends the address that it sees. The last one that is not a proxy cannot be invented by the client.
      const forwarded = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
      const reported = forwarded.map((address) => plainAddress(address.trim())).filter((address) => isIP(address) !== 0)
      return reported.findLast((address) => !isProxy(address)) ?? own
    },
  }
}

/** An IPv4 address that arrived on an IPv6 socket is `::ffff:192.0.2.1`. */
export const plainAddress = (address: string): string => address.replace(/^::ffff:(?=\d+\.)/i, '')

/** What one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address. */
export function addressGroup(address: string): string {
  if (isIP(address) !== 6) return address
  const [head = '', tail] = address.toLowerCase().replace(/%.*$/, '').split('::', 2)
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length)
  const parts = [...left, ...Array.from({ length: zeros }, () => '0'), ...right]
  return `${parts.slice(0, 4).join(':')}::/64`
}

/** Whether the text is an address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/')
  const bits = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1
  return bits > 0 && rest.length === 0 && (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits))
}
