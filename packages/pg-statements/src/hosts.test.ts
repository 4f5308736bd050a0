import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readHosts } from './hosts.ts'

const reserved = new Set(['statement_timeout', 'timezone'])
const urlsOf = (url: string): readonly string[] => readHosts(url, reserved).urls

test('a URL with one host is used as it is', () => {
  for (const url of [
    'postgres://u:p%40ss@db.example:5433/parts?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem',
    'postgresql://u@db.example/parts',
    'postgres://u@[::1]:5432/parts',
  ])
    assert.deepEqual(readHosts(url, reserved), { urls: [url], readWriteOnly: false })
})

test('each host of a list is a URL of its own', () => {
  assert.deepEqual(readHosts('postgres://u:p@one:5432,two:5433,three/db?sslmode=require', reserved).urls, [
    'postgres://u:p@one:5432/db?sslmode=require',
    'postgres://u:p@two:5433/db?sslmode=require',
    'postgres://u:p@three/db?sslmode=require',
  ])
  assert.deepEqual(urlsOf('postgres://u@/db?host=one,two&port=5432,5433'), [
    'postgres://u@one:5432/db',
    'postgres://u@two:5433/db',
  ])
  assert.deepEqual(urlsOf('postgres://u@/db?host=one,two&port=5433'), [
    'postgres://u@one:5433/db',
    'postgres://u@two:5433/db',
  ])
  assert.deepEqual(urlsOf('postgres://u@/db?host=/run/postgresql&port=5433'), [
    'postgres://u@/db?host=%2Frun%2Fpostgresql&port=5433',
  ])
})

test('target_session_attrs is read and not passed on', () => {
  const url = 'postgres://u@one,two/db?target_session_attrs='
  assert.deepEqual(readHosts(`${url}read-write`, reserved), {
    urls: ['postgres://u@one/db', 'postgres://u@two/db'],
    readWriteOnly: true,
  })
  assert.equal(readHosts(`${url}primary`, reserved).readWriteOnly, true)
  assert.equal(readHosts(`${url}any`, reserved).readWriteOnly, false)
  assert.throws(() => readHosts(`${url}standby`, reserved), { name: 'UnusableDatabase' })
})

test('further options are passed on', () => {
  assert.deepEqual(urlsOf('postgres://u@one/db?options=-c%20search_path%3Dparts'), [
    'postgres://u@one/db?options=-c%20search_path%3Dparts',
  ])
})

test('what is no list of hosts is refused with a sentence', () => {
  for (const url of ['mysql://u@one/db', 'postgres://u@one,,two/db'])
    assert.throws(() => readHosts(url, reserved), { name: 'UnusableDatabase', message: /^The database URL .*\.$/ })
})

test('a repeated parameter is refused: programs differ in which one they read', () => {
  assert.throws(() => urlsOf('postgres://db/parts?sslmode=require&sslmode=disable'), {
    message: 'The database URL has sslmode more than once.',
  })
})
