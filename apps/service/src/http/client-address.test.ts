import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressGroup, clientAddresses, isNetwork } from './client-address.ts'

const from = (remoteAddress: string, forwarded?: string) =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as never

test('without a trusted proxy, X-Forwarded-For does not count', () => {
  const addresses = clientAddresses([])
  assert.equal(addresses.of(from('192.0.2.1', '198.51.100.7')), '192.0.2.1')
  assert.equal(addresses.of(from('::ffff:192.0.2.1')), '192.0.2.1')
  assert.equal(addresses.isProxy('192.0.2.1'), false)
})

test('behind trusted proxies, the last address that is not a proxy counts', () => {
  const addresses = clientAddresses(['10.0.0.0/8', '2001:db8:1::/48', '192.0.2.9'])
  for (const [remote, forwarded, expected] of [
    ['10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['::ffff:10.1.2.3', '198.51.100.7', '198.51.100.7'],
    ['2001:db8:1::5', '2001:db8:2::7', '2001:db8:2::7'],
    ['192.0.2.9', '203.0.113.1, 198.51.100.7 ,10.0.0.4', '198.51.100.7'], // The first may be invented.
    ['10.1.2.3', undefined, '10.1.2.3'],
    ['10.1.2.3', 'unknown', '10.1.2.3'],
    ['10.1.2.3', '10.0.0.4', '10.1.2.3'],
    ['192.0.2.8', '198.51.100.7', '192.0.2.8'],
  ] as const)
    assert.equal(addresses.of(from(remote, forwarded)), expected, `${remote} ${forwarded}`)
})

test('an IPv6 subscriber has 64 bits of addresses', () => {
  assert.equal(addressGroup('192.0.2.1'), '192.0.2.1')
  assert.equal(addressGroup('2001:DB8:1:2:3:4:5:6'), '2001:db8:1:2::/64')
  assert.equal(addressGroup('2001:db8::6'), '2001:db8:0:0::/64')
  assert.equal(addressGroup('::1'), '0:0:0:0::/64')
  assert.equal(addressGroup('fe80::1%eth0'), 'fe80:0:0:0::/64')
})

test('a proxy is an address or a network', () => {
  for (const good of ['10.0.0.1', '10.0.0.0/8', '::1', '2001:db8::/32']) assert(isNetwork(good), good)
  for (const bad of ['', '10.0.0', '10.0.0.0/33', '::/129', '10.0.0.0/8/8', 'proxy.example', '10.0.0.0/']) {
    assert(!isNetwork(bad), bad)
  }
})
