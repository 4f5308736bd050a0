/** Clients that send many requests and read no answer, without a key: memory stays bounded, and others are served. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import net from 'node:net'
import { after, before, test } from 'node:test'
import { startProcess, type Running } from '../../testing/process.ts'
import { startService, type TestService } from '../../testing/service.ts'

const memoryMaxMb = 450 // 220 to 300 are used; 890 if every pipelined request were started.
const attackers = 100

let service: TestService
let running: Running
before(async () => {
  service = await startService()
  running = await startProcess('api', {
    DATABASE_URL: service.databaseUrl,
    PORT: '0',
    METRICS_PORT: '0',
    REQUEST_TIMEOUT_MS: '1000',
    LOG_LEVEL: 'info',
  })
})
after(async () => {
  running.child.kill('SIGKILL')
  await service.close()
})

function residentMb(): number {
  const [, kB] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${running.child.pid}/status`, 'utf8')) ?? []
  return Math.round(Number(kB) / 1024)
}

const connect = (): net.Socket =>
  net.connect(Number(new URL(running.address).port), '127.0.0.1').on('error', () => undefined)

async function healthMs(): Promise<number> {
  const asked = performance.now()
  const answer = await fetch(`${running.address}/healthz`)
  assert.equal(answer.status, 200)
  await answer.arrayBuffer()
  return performance.now() - asked
}

test(`${attackers} connections with 78 KB of pipelined requests each, whose answers are not read`, async (t) => {
  for (const path of ['/openapi.json', '/docs/scalar.js']) {
    const requests = `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2_000).slice(0, 78 * 1024)
    const sockets = Array.from({ length: attackers }, () => connect().pause())
    for (const socket of sockets) socket.write(requests)
    let slowest = 0
    let most = 0
    for (let n = 0; n < 50; n++) {
      slowest = Math.max(slowest, await healthMs())
      most = Math.max(most, residentMb())
    }
    t.diagnostic(`${path}: ${most} MB at most; the slowest health check took ${slowest.toFixed(0)} ms`)
    for (const socket of sockets) socket.destroy()
    assert(most < memoryMaxMb, `${most} MB`)
  }
  assert.equal(running.child.exitCode, null)
})

test('a request whose headers or body do not arrive in time is answered with 408, and its connection closed', async () => {
  for (const begun of [
    'GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ',
    'GET /health',
    'PUT /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\na',
    'PUT /healthz HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab',
  ]) {
    const socket = connect()
    socket.write(begun)
    const drip = setInterval(() => socket.writable && socket.write('a'), 200) // Slow, but never silent.
    let text = ''
    for await (const bytes of socket) text += String(bytes)
    clearInterval(drip)
    assert.match(
      text,
      begun.startsWith('PUT') ? /HTTP\/1\.1 (405|408) / : /^HTTP\/1\.1 408 [^]*request_timed_out/,
      begun,
    )
  }
})
