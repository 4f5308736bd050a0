/** The real HAProxy with our configuration, in front of a server that answers its checks slowly. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { config, startHaproxy } from './start-haproxy.ts'

const answerMs = 1_500 // Three times the interval of the checks.
let slow: Server
let answered = 0

before(async () => {
  slow = createServer((_, response) => {
    setTimeout(() => {
      answered += 1
      response.end()
    }, answerMs)
  }).listen(0, '127.0.0.1')
  await once(slow, 'listening')
})
after(() => {
  slow.close()
  slow.closeAllConnections()
})

/** What HAProxy logs with this configuration until `ended`. */
async function logOf(text: string, ended: (log: string) => boolean): Promise<string> {
  const server = `127.0.0.1:${(slow.address() as AddressInfo).port}`
  const proxy = await startHaproxy([server, server], text)
  try {
    for (const deadline = Date.now() + 120_000; !ended(proxy.log());) {
      assert(Date.now() < deadline, proxy.log())
      await sleep(50)
    }
    return proxy.log()
  } finally {
    proxy.stop()
  }
}

test('without `timeout check`, a process that answers after three intervals is taken out of service', async () => {
  const without = config.replace(/^ *timeout check .*\n/m, '')
  assert.notEqual(without, config)
  const log = await logOf(without, (text) => text.includes('api/api_1 is DOWN'))
  assert.match(log, /api\/api_1 is DOWN, reason: Layer7 timeout/)
})

test('with it, the process stays in service', async () => {
  const begun = answered
  const log = await logOf(config, () => answered >= begun + 6) // Three checks of each server.
  assert.doesNotMatch(log, /is DOWN/)
})
