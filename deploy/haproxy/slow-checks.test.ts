/** The real HAProxy with our configuration, in front of a server that answers its checks slowly. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../packages/pg-statements/src/testing-cluster.ts'

const config = readFileSync(join(import.meta.dirname, 'haproxy.cfg'), 'utf8')
const answerMs = 1_500 // Three times the interval of the checks.
let folder: string
let slow: Server
let answered = 0

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'parts-haproxy-'))
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj', '/CN=localhost',
      '-keyout', join(folder, 'both.pem'), '-out', join(folder, 'certificate.pem')],
    { stdio: 'ignore' },
  ) // prettier-ignore
  const pem = readFileSync(join(folder, 'certificate.pem'), 'utf8') + readFileSync(join(folder, 'both.pem'), 'utf8')
  writeFileSync(join(folder, 'both.pem'), pem)
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
  rmSync(folder, { recursive: true })
})

/** What HAProxy logs with this configuration until `ended`. */
async function logOf(text: string, ended: (log: string) => boolean): Promise<string> {
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  const server = `127.0.0.1:${(slow.address() as AddressInfo).port}`
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HTTPS_BIND: `127.0.0.1:${await freePort()}`,
    CERTIFICATE: join(folder, 'both.pem'),
    API_1: server,
    API_2: server,
  }
  const proxy = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [proxy.stdout, proxy.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (log += chunk))
  try {
    for (const deadline = Date.now() + 120_000; !ended(log);) {
      assert(proxy.exitCode === null && Date.now() < deadline, log)
      await sleep(50)
    }
    return log
  } finally {
    proxy.kill('SIGKILL')
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
