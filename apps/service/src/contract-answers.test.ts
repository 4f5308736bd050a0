/**
 * The answers of every operation of the contract and of the lookups, byte for byte as recorded in
 * `contract-answers.txt`. After an intended change, record again, read the diff of that file, and commit both:
 *
 *     RECORD=1 node --test apps/service/src/contract-answers.test.ts
 *
 * In the file, `>` is sent and `<` is received. Bodies are exact, with a line break added before each object. Only days and
 * times near today have names. Every id, key of a group and cursor is the same in each run, because the database is new.
 */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { contractScenario, type ScenarioRequest } from './contract-answers.cases.ts'
import { addClient, addFixtures } from './testing/fixtures.ts'
import { makeOperators } from './testing/operators.ts'
import { startService, type Answer, type TestService } from './testing/service.ts'
import { day } from './testing/world.ts'

const file = new URL('contract-answers.txt', import.meta.url)
const request_id = 'recorded' // Sent with each request, so that the service does not choose one.
const longBytes = 8 * 1024 // Of a longer body only the digest is recorded: all countries, all regions.

test('every operation of the contract answers as recorded', async (t) => {
  const played = await playInOneDay()
  if (process.env['RECORD'] === '1') writeFileSync(file, `${played.join('\n\n')}\n`)
  const recorded = readFileSync(file, 'utf8').trimEnd().split('\n\n')
  assert.deepEqual(played.map(sentOf), recorded.map(sentOf), 'The scenario has changed: record the answers again.')
  for (const [i, answer] of played.entries())
    await t.test(`${i + 1}: ${sentOf(answer).join(' ')}`, () =>
      assert.deepEqual(fieldsOf(answer), fieldsOf(recorded[i] ?? '')),
    )
})

/** Nothing is lost by splitting; the difference of two long lines would be hard to find. */
const fieldsOf = (block: string): string[] => block.split(/\n|(?<=,)(?=")/)

const sentOf = (block: string): string[] => block.split('\n').filter((line) => line.startsWith('> '))

/** Plays the scenario again if the day has changed meanwhile: the answers depend on it. */
async function playInOneDay(): Promise<string[]> {
  const today = day(0)
  const played = await play()
  return day(0) === today ? played : playInOneDay()
}

async function play(): Promise<string[]> {
  const service = await startService()
  try {
    await addFixtures(service)
    const values = await makeValues(service)
    const prepare = { ...service, ...(await makeOperators(service)) }
    const played: string[] = []
    for (const step of contractScenario) {
      if (typeof step === 'function') await step(prepare)
      else played.push(await send(service, step, values))
    }
    return played
  } finally {
    await service.close()
  }
}

/** What the names in the scenario stand for. Keys of groups and cursors are added as they are shown. */
async function makeValues(service: TestService): Promise<Map<string, string>> {
  const values = new Map<string, string>()
  values.set('<weber>', (await addClient(service)).key)
  values.set('<krause>', (await addClient(service, { name: 'Garage Krause' })).key)
  values.set('<reader>', (await addClient(service, { scopes: ['carts:read'] })).key)
  const days = [...Array.from({ length: 101 }, (_, n) => n - 1), 3650, 3651] // The horizon of shipping dates.
  for (const ahead of days) values.set(`<today${ahead < 0 ? '' : '+'}${ahead}>`, day(ahead))
  return values
}

async function send(service: TestService, request: ScenarioRequest, values: Map<string, string>): Promise<string> {
  const [method, path, body, own = {}] = request
  const type = body === undefined ? '' : 'application/x-www-form-urlencoded'
  const headers = Object.entries({ authorization: '<weber>', 'content-type': type, ...own, 'x-request-id': request_id })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => [name, fill(value, values)])
  const options = {
    headers: Object.fromEntries(headers) as Record<string, string>,
    ...(body === undefined ? {} : { body: fill(body, values) }),
  }
  const url = `/api/v1${fill(path, values)}`
  const answer = await service.request(method, url, options)
  if (answer.status === 200) learn(answer.text, values)
  if (answer.status === 200 && method === 'GET') {
    const withoutSlash = await service.request(method, url.replace(/\/(?=$|\?)/, ''), options)
    assert.equal(withoutSlash.text, answer.text, `${path} without its last slash`)
  }
  const sent = [`${method} /api/v1${path}`, ...headerLines(own), ...(body === undefined ? [] : [shorten(body)])]
  return [...sent.map((line) => `> ${line}`), withNames(show(answer), values)].join('\n')
}

/** Replaces names by their values. */
const fill = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replaceAll(/<[^>]+>/g, (name) => values.get(name) ?? assert.fail(`Nothing is named ${name} yet.`))

/** Names the keys of groups and the cursors in the order of their first appearance: `<cart_group_key 1>`. */
function learn(text: string, values: Map<string, string>): void {
  const known = new Set(values.values())
  for (const [, field = '', value = ''] of text.matchAll(/"(cart_group_key|next_cursor)":"([^"]+)"/g)) {
    if (known.has(value)) continue
    const number = [...values.keys()].filter((name) => name.startsWith(`<${field} `)).length + 1
    values.set(`<${field} ${number}>`, value)
    known.add(value)
  }
}

function show({ status, headers, text }: Answer): string {
  assert(!text.includes('\n'), 'A line break in a body would look like an added one.')
  const body =
    text.length > longBytes ? `sha256 ${hash('sha256', text)} of ${Buffer.byteLength(text)} bytes` : breakLines(text)
  return [...[String(status), ...headerLines(unusual(headers))].map((line) => `< ${line}`), body].join('\n').trimEnd()
}

const breakLines = (body: string): string => body.replaceAll('{"', '\n{"').trimStart()

const headerLines = (headers: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(headers).map(([name, value]) => (value === '' ? `without ${name}` : `${name}: ${String(value)}`))

/** Headers of every answer. They are recorded only where they differ. */
const usual = {
  connection: 'keep-alive',
  'keep-alive': 'timeout=72',
  'x-request-id': request_id,
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
}

function unusual(headers: Answer['headers']): Record<string, unknown> {
  const missing = Object.fromEntries(Object.keys(usual).map((name) => [name, '']))
  const all: [string, unknown][] = Object.entries({ ...missing, ...headers })
  const recorded = ([name, value]: [string, unknown]): boolean =>
    name !== 'date' && name !== 'content-length' && (usual as Record<string, unknown>)[name] !== value
  return Object.fromEntries(all.filter(recorded))
}

const shorten = (body: string): string =>
  body.length > 300 ? `${body.slice(0, 20)}… ${Buffer.byteLength(body)} bytes` : body

/** Names the days near today, and times of today. A shipping date is a time too, but never of today. */
function withNames(text: string, values: ReadonlyMap<string, string>): string {
  const names = new Map([...values].map(([name, value]) => [value, name]))
  return text.replaceAll(/(\d{4}-\d\d-\d\d)( \d\d:\d\d:\d\d)?/g, (found, date: string, time = '') => {
    const name = names.get(date)
    if (name === undefined) return found
    return name === '<today+0>' && time !== '' ? '<now>' : `${name}${time}`
  })
}
