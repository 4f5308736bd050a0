/** No form of a URL makes the service connect to a private network. */
import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import {
  openEndpointConnection,
  type EndpointConnectionOptions,
  type OpenSocket,
  type PostResult,
} from './delivery/endpoint-connection.ts'
import { isPublic, readUrl, type ResolveHost } from './public-address.ts'

const policy = { allowHttp: false, allowPrivate: false }
const allowAll = { allowHttp: true, allowPrivate: true }

interface Recorded {
  readonly connections: Parameters<OpenSocket>[0][]
  readonly openSocket: OpenSocket
}

/** Replaces the socket: records the target of each connection and responds like an HTTP server. */
function recording(response = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'): Recorded {
  const connections: Recorded['connections'] = []
  return {
    connections,
    openSocket: (to) => {
      connections.push(to)
      const socket: Duplex = new Duplex({
        read: () => undefined,
        write: (_chunk, _encoding, done) => {
          setImmediate(() => socket.push(response))
          done()
        },
      })
      return Object.assign(socket, { destroySoon: () => socket.destroy(), setKeepAlive: () => socket, setNoDelay: () => socket, setTimeout: () => socket, ref: () => socket, unref: () => socket }) as unknown as Socket // prettier-ignore
    },
  }
}

const resolveTo =
  (...answers: string[][]): ResolveHost =>
  async () =>
    answers.shift() ?? []

async function send(
  url: string,
  options: Partial<EndpointConnectionOptions> & { openSocket: OpenSocket },
  times = 1,
): Promise<PostResult> {
  const connection = openEndpointConnection(url, { policy, resolve: resolveTo(['93.184.216.34']), ...options })
  let result: PostResult | undefined
  for (let n = 0; n < times; n++) result = await connection.post({ headers: {}, body: '{}' })
  connection.close()
  assert(result)
  return result
}

const literals = [
  'https://169.254.169.254/latest/meta-data/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://2130706433/', // 127.0.0.1 as one number
  'https://0177.0.0.1/', // octal
  'https://0x7f.1/', // hexadecimal
  'https://0x7f000001/',
  'https://127.1/',
  'https://１２７.0.0.1/', // full-width digits
  'https://[::1]/',
  'https://[::]/',
  'https://[fd00::1]/',
  'https://[fe80::1]/',
  'https://[64:ff9b::7f00:1]/', // NAT64
  'https://[2002:7f00:1::]/', // 6to4
  'https://0.0.0.0/',
  'https://10.1.2.3/',
  'https://100.64.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://224.0.0.1/',
  'https://255.255.255.255/',
]

test('a private address in any numeric form is refused when it is stored and when it is used', async () => {
  for (const url of literals) {
    assert.equal(readUrl(url, policy), undefined, url)
    const { openSocket, connections } = recording()
    assert.equal((await send(url, { openSocket })).error, 'address_not_allowed', url)
    assert.deepEqual(connections, [], url)
  }
})

test('the addresses at which clouds give machines their settings and credentials are refused', () => {
  const metadata = {
    '169.254.169.254': 'AWS, Azure, Google (metadata.google.internal), Oracle and others',
    '169.254.170.2': 'AWS, credentials of containers',
    '168.63.129.16': 'Azure, the platform itself',
    '100.100.100.200': 'Alibaba',
    '192.0.0.192': 'Oracle, formerly',
    'fd00:ec2::254': 'AWS',
    'fd00:ec2::23': 'AWS, credentials of pods',
    'fd20:ce::254': 'Google',
    '::ffff:168.63.129.16': 'Azure, as IPv6',
  }
  for (const [address, cloud] of Object.entries(metadata)) {
    assert(!isPublic(address), `${address}: ${cloud}`)
    assert.equal(readUrl(`https://${address.includes(':') ? `[${address}]` : address}/`, policy), undefined, cloud)
  }
  assert(isPublic('168.63.129.15') && isPublic('168.63.129.17'))
})

test('http, other schemes, credentials, fragments, low ports and overlong URLs are refused', () => {
  const refused = [
    'http://dealer.example/', 'ftp://dealer.example/', 'file:///etc/passwd', 'https:///', 'https://', 'javascript:alert(1)',
    'https://user@dealer.example/', 'https://user:secret@dealer.example/', 'https://dealer.example/#there', 'https://dealer.example:22/',
    'https://dealer.example:99999/', 'https://dealer example/', ' https://dealer.example/', `https://dealer.example/${'x'.repeat(500)}`,
    'dealer.example',
  ] // prettier-ignore
  for (const url of refused) assert.equal(readUrl(url, policy), undefined, url)
  assert.equal(readUrl('http://dealer.example/', { ...policy, allowHttp: true })?.href, 'http://dealer.example/')
  assert.equal(readUrl('https://dealer.example:8443/a?b=c', policy)?.href, 'https://dealer.example:8443/a?b=c')
  assert.equal(readUrl('https://127.0.0.1/', { ...policy, allowPrivate: true })?.href, 'https://127.0.0.1/')
})

test('a host name with one private address among public ones is refused', async () => {
  for (const address of ['127.0.0.1', '10.0.0.8', '::1', 'fd12::1', '::ffff:10.0.0.8', '169.254.169.254']) {
    const { openSocket, connections } = recording()
    const result = await send('https://dealer.example/', { openSocket, resolve: resolveTo(['93.184.216.34', address]) })
    assert.equal(result.error, 'address_not_allowed', address)
    assert.deepEqual(connections, [], address)
  }
})

test('a host name is resolved once, and every connection goes to the address that was checked', async () => {
  const { openSocket, connections } = recording('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  const resolve = resolveTo(['93.184.216.34'], ['127.0.0.1'])
  await send('https://dealer.example/', { openSocket, resolve }, 3)
  assert(connections.length >= 1)
  for (const { address, host } of connections)
    assert.deepEqual({ address, host }, { address: '93.184.216.34', host: 'dealer.example' })
})

test('a redirect is not followed', async () => {
  const { openSocket, connections } = recording(
    'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n',
  )
  const { status } = await send('https://dealer.example/', { openSocket })
  assert.equal(status, 302)
  assert.deepEqual(connections, [{ address: '93.184.216.34', port: 443, host: 'dealer.example', secure: true }])
})

test('control: with private addresses allowed, the connection is opened', async () => {
  const { openSocket, connections } = recording()
  assert.equal((await send('http://127.0.0.1:8080/', { openSocket, policy: allowAll })).status, 200)
  assert.deepEqual(connections, [{ address: '127.0.0.1', port: 8080, host: '127.0.0.1', secure: false }])
})

test('an endless response is cut off, and its status counts', async () => {
  const endless = `HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n${'x'.repeat(100 * 1024)}`
  const { openSocket } = recording(endless)
  assert.equal((await send('https://dealer.example/', { openSocket })).status, 200)
})

test('public addresses are accepted, and the bounds of each private range are exact', () => {
  for (const address of [
    '93.184.216.34',
    '9.255.255.255',
    '11.0.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '223.255.255.255',
    '2606:2800:220:1::1',
    '2a00::1',
  ])
    // prettier-ignore
    assert(isPublic(address), address)
  for (const address of [
    '10.0.0.0',
    '10.255.255.255',
    '172.16.0.0',
    '100.127.255.255',
    '240.0.0.1',
    '2001:db8::1',
    '2001::1',
    '4000::1',
    '1fff::1',
    'ff02::1',
    'nonsense',
    '',
  ])
    // prettier-ignore
    assert(!isPublic(address), address)
})
