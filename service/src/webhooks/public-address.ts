/**
 * Where webhooks may go: to the public internet, and not to the machines around us. A name is resolved once, every address that it
 * has is checked, and the connection is made to the checked address: what the name says a moment later does not matter.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export interface Where {
  /** For development: plain http. */
  readonly allowHttp: boolean
  /** For development: this machine and its network. */
  readonly allowPrivate: boolean
}

export const urlLengthMax = 500 // Room for a token in the path; a line of a log.

/** Completes the sentence "The address must be …". */
export const urlRule = `an https address of a public host, on port 443 or one from 1024 on, without a name, password or fragment, of at most ${urlLengthMax} characters`

/** The address in its normal form, in which `0x7f.1` and `2130706433` are `127.0.0.1`; undefined when nothing may be sent there. */
export function readUrl(text: string, { allowHttp, allowPrivate }: Where): URL | undefined {
  const url = text.length <= urlLengthMax && !/[\p{Cc}\s]/u.test(text) ? URL.parse(text) : null
  if (url === null || url.href.length > urlLengthMax) return undefined
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return undefined
  if (url.username !== '' || url.password !== '' || url.hash !== '' || url.hostname === '') return undefined
  // Ports below 1024 belong to mail, shells and the like, which must not hear of us.
  if (url.port !== '' && Number(url.port) < 1024) return undefined
  const host = hostOf(url)
  if (isIP(host) !== 0 && !allowPrivate && !isPublic(host)) return undefined
  return url
}

/** Without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

const notPublic4 = [
  '0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24', '192.0.2.0/24',
  '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/4', '240.0.0.0/4',
] // prettier-ignore

// Of 2000::/3, outside of which nothing is public: Teredo and other assignments, documentation, and 6to4, which hides an IPv4 address.
const notPublic6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const blocked = new BlockList()
for (const [list, family] of [
  [notPublic4, 'ipv4'],
  [notPublic6, 'ipv6'],
] as const)
  // prettier-ignore
  for (const range of list) {
    const [network = '', bits] = range.split('/')
    blocked.addSubnet(network, Number(bits), family)
  }
const global6 = new BlockList() // Leaves out mapped IPv4 addresses, NAT64, loopback, link-local, multicast and local ones.
global6.addSubnet('2000::', 3, 'ipv6')

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !blocked.check(address, 'ipv4')
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}

export class AddressRefused extends Error {}

export type Resolve = (host: string, signal: AbortSignal) => Promise<string[]>

/** The address to connect to. */
export async function resolvePublic(
  url: URL,
  { allowPrivate }: Where,
  { resolve, signal }: { resolve: Resolve; signal: AbortSignal },
): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
  const [first] = addresses
  // One bad address among good ones is somebody's trick.
  if (first === undefined || (!allowPrivate && !addresses.every(isPublic))) throw new AddressRefused(host)
  return first
}

/**
 * Asks the name servers directly. The system's own look-up has four threads for the whole process, on which one slow name server would
 * hold up everybody's deliveries.
 */
export const resolveByNameServer: Resolve = async (host, signal) => {
  const resolver = new Resolver({ timeout: 2_000, tries: 2 })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    const addresses = found.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    const [failed] = found
    if (addresses.length === 0 && failed.status === 'rejected') throw failed.reason
    return addresses
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** For development, where names stand in /etc/hosts. */
export const resolveBySystem: Resolve = async (host) =>
  (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)
