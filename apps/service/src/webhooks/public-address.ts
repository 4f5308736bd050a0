/**
 * Which addresses webhooks may be sent to: the public internet, never private networks (SSRF). A host name is resolved
 * once, all its addresses are checked, and the connection goes to a checked address, so DNS rebinding has no effect.
 */
import { lookup, Resolver } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'

export interface AddressPolicy {
  /** Allow plain http; for development. */
  readonly allowHttp: boolean
  /** Allow this machine and its network; for development. */
  readonly allowPrivate: boolean
}

export const urlLengthMax = 500 // Room for a token in the path, and still one line in a log.

/** Completes the sentence "The value … must be …". */
export const urlRule = `an https URL of a public host, on port 443 or a port from 1024 up, without user name, password or fragment, at most ${urlLengthMax} characters long`

/** The normalised URL, in which `0x7f.1` and `2130706433` are `127.0.0.1`; undefined if the policy forbids it. */
export function readUrl(text: string, { allowHttp, allowPrivate }: AddressPolicy): URL | undefined {
  const url = text.length <= urlLengthMax && !/[\p{Cc}\s]/u.test(text) ? URL.parse(text) : null
  if (url === null || url.href.length > urlLengthMax) return undefined
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return undefined
  if (url.username !== '' || url.password !== '' || url.hash !== '' || url.hostname === '') return undefined
  // Ports below 1024 belong to mail, ssh and other services that must not receive our requests.
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

// Public by its number, but every virtual machine of Azure reaches the cloud's own services there: names, health and
// settings of the machine. Those of other clouds are in the ranges above, or outside 2000::/3.
const azurePlatform = '168.63.129.16'

// Within 2000::/3 (no other addresses are public): Teredo and other special assignments, documentation, and 6to4,
// which embeds an IPv4 address.
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
blocked.addAddress(azurePlatform, 'ipv4')
// Excludes mapped IPv4 addresses, NAT64, loopback, link-local, multicast and unique local addresses.
const global6 = new BlockList()
global6.addSubnet('2000::', 3, 'ipv6')

export function isPublic(address: string): boolean {
  if (isIP(address) === 4) return !blocked.check(address, 'ipv4')
  return isIP(address) === 6 && global6.check(address, 'ipv6') && !blocked.check(address, 'ipv6')
}

export class AddressRefused extends Error {}

export type ResolveHost = (host: string, signal: AbortSignal) => Promise<string[]>

/** The address to connect to. */
export async function resolvePublic(
  url: URL,
  { allowPrivate }: AddressPolicy,
  { resolve, signal }: { resolve: ResolveHost; signal: AbortSignal },
): Promise<string> {
  const host = hostOf(url)
  const addresses = isIP(host) === 0 ? await resolve(host, signal) : [host]
  const [first] = addresses
  // A private address among public ones is an attack or a misconfiguration.
  if (first === undefined || (!allowPrivate && !addresses.every(isPublic))) throw new AddressRefused(host)
  return first
}

/**
 * Queries the name servers directly. The system's resolver shares four threads in the whole process, so one slow name
 * server would delay all deliveries.
 */
export const resolveByNameServer: ResolveHost = async (host, signal) => {
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

/** For development: also reads /etc/hosts. */
export const resolveBySystem: ResolveHost = async (host) =>
  (await lookup(host, { all: true, order: 'ipv4first' })).map(({ address }) => address)
