/** Nothing is sent to the machines around us, whatever an address looks like: not one connection is opened. */
import assert from 'node:assert/strict'
import { Duplex } from 'node:stream'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { openLine, type Connect, type LineParts, type Outcome } from './endpoint-connection.ts'
import { isPublic, readUrl, type Resolve } from './public-address.ts'

const where = { allowHttp: false, allowPrivate: false }
const anywhere = { allowHttp: true, allowPrivate: true }

interface Recorded {
  readonly connections: Parameters<Connect>[0][]
  readonly connect: Connect
}

/** In place of the socket: writes down where a connection was to go, and plays an HTTP server that answers as told. */
function recording(answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'): Recorded {
  const connections: Recorded['connections'] = []
  return {
    connections,
    connect: (to) => {
      connections.push(to)
      const socket: Duplex = new Duplex({
        read: () => undefined,
        write: (_chunk, _encoding, done) => {
          setImmediate(() => socket.push(answer))
          done()
        },
      })
      return Object.assign(socket, { destroySoon: () => socket.destroy(), setKeepAlive: () => socket, setNoDelay: () => socket, setTimeout: () => socket, ref: () => socket, unref: () => socket }) as unknown as Socket // prettier-ignore
    },
  }
}

const resolveTo =
  (...answers: string[][]): Resolve =>
  async () =>
    answers.shift() ?? []

async function send(url: string, parts: Partial<LineParts> & { connect: Connect }, times = 1): Promise<Outcome> {
  const line = openLine(url, { where, resolve: resolveTo(['93.184.216.34']), ...parts })
  let outcome: Outcome | undefined
  for (let n = 0; n < times; n++) outcome = await line.post({ headers: {}, body: '{}' }, new AbortController().signal)
  line.close()
  assert(outcome)
  return outcome
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

test('an address that is written as a number in any form is refused when it is stored, and when it is used', async () => {
  for (const url of literals) {
    assert.equal(readUrl(url, where), undefined, url)
    const { connect, connections } = recording()
    assert.equal((await send(url, { connect })).error, 'address_not_allowed', url)
    assert.deepEqual(connections, [], url)
  }
})

test('http, other schemes, credentials, fragments, low ports and overlong addresses are refused', () => {
  const refused = [
    'http://dealer.example/', 'ftp://dealer.example/', 'file:///etc/passwd', 'https:///', 'https://', 'javascript:alert(1)',
    'https://user@dealer.example/', 'https://user:secret@dealer.example/', 'https://dealer.example/#there', 'https://dealer.example:22/',
    'https://dealer.example:99999/', 'https://dealer example/', ' https://dealer.example/', `https://dealer.example/${'x'.repeat(500)}`,
    'dealer.example',
  ] // prettier-ignore
  for (const url of refused) assert.equal(readUrl(url, where), undefined, url)
  assert.equal(readUrl('http://dealer.example/', { ...where, allowHttp: true })?.href, 'http://dealer.example/')
  assert.equal(readUrl('https://dealer.example:8443/a?b=c', where)?.href, 'https://dealer.example:8443/a?b=c')
  assert.equal(readUrl('https://127.0.0.1/', { ...where, allowPrivate: true })?.href, 'https://127.0.0.1/')
})

test('a name with a single private address among public ones is refused', async () => {
  for (const address of ['127.0.0.1', '10.0.0.8', '::1', 'fd12::1', '::ffff:10.0.0.8', '169.254.169.254']) {
    const { connect, connections } = recording()
    const outcome = await send('https://dealer.example/', { connect, resolve: resolveTo(['93.184.216.34', address]) })
    assert.equal(outcome.error, 'address_not_allowed', address)
    assert.deepEqual(connections, [], address)
  }
})

test('a name that resolves differently the second time is asked once, and the connection goes to what was checked', async () => {
  const { connect, connections } = recording('HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n')
  const resolve = resolveTo(['93.184.216.34'], ['127.0.0.1'])
  await send('https://dealer.example/', { connect, resolve }, 3)
  assert(connections.length >= 1)
  for (const { address, host } of connections)
    assert.deepEqual({ address, host }, { address: '93.184.216.34', host: 'dealer.example' })
})

test('a redirect is an answer like any other: nobody goes where it points to', async () => {
  const { connect, connections } = recording(
    'HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1/\r\ncontent-length: 0\r\n\r\n',
  )
  const { status } = await send('https://dealer.example/', { connect })
  assert.equal(status, 302)
  assert.deepEqual(connections, [{ address: '93.184.216.34', port: 443, host: 'dealer.example', secure: true }])
})

test('the test would notice: with private addresses allowed, the same address is connected to', async () => {
  const { connect, connections } = recording()
  assert.equal((await send('http://127.0.0.1:8080/', { connect, where: anywhere })).status, 200)
  assert.deepEqual(connections, [{ address: '127.0.0.1', port: 8080, host: '127.0.0.1', secure: false }])
})

test('an answer that never ends is cut off, and counts by its status', async () => {
  const endless = `HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\n${'x'.repeat(100 * 1024)}`
  const { connect } = recording(endless)
  assert.equal((await send('https://dealer.example/', { connect })).status, 200)
})

test('public addresses are public, and the borders of each range lie where they should', () => {
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
