/** The CPU time of the API for reading an order, with traces off, with the default ratio, and with every request recorded. */
import assert from 'node:assert/strict'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { addClient, addFixtures, shopper } from '../src/testing/fixtures.ts'
import { percentile } from '../src/testing/percentile.ts'
import { startProcess, type Running } from '../src/testing/process.ts'
import { startService, type TestService } from '../src/testing/service.ts'

const rounds = Number(process.env['TRACING_ROUNDS'] ?? 60)
const requestsPerRound = 300 // Short turns, so that a busy machine slows down all processes alike.
const warmUpRequests = 4_000 // Until the code is compiled.
const concurrency = 16
const shareMax = 1.05 // The goal of decision 23, for the default ratio.

let service: TestService
let collector: http.Server
let spansSent = 0
let path: string
let key: string
const running: Running[] = []
const agent = new http.Agent({ keepAlive: true, maxSockets: concurrency })

before(async () => {
  service = await startService()
  await addFixtures(service)
  const me = await addClient(service)
  const { createCart, add, order } = shopper(service, me)
  const cart_id = await createCart()
  await add(cart_id, { item_id: 1, quantity: 1 })
  path = `/api/v1/orders/${await order(cart_id)}/`
  key = me.key
  collector = http.createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      spansSent += body.split('"spanId"').length - 1
      response.setHeader('content-type', 'application/json').end('{}')
    })
  })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
})
after(async () => {
  for (const { child } of running) child.kill('SIGKILL')
  agent.destroy()
  collector.close()
  collector.closeAllConnections()
  await service.close()
})

const start = async (traces: Record<string, string>): Promise<Running> => {
  const settings = {
    PORT: '0',
    METRICS_PORT: '0',
    RATE_LIMIT: 'off',
    SHED_AFTER_MS: 'off',
    STATEMENT_TIMEOUT_MS: '60000',
  }
  const api = await startProcess('api', { ...settings, ...traces, DATABASE_URL: service.databaseUrl })
  running.push(api)
  return api
}

async function cpuSeconds({ metrics }: Running): Promise<number> {
  const text = await (await fetch(`${metrics}/metrics`)).text()
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1])
}

/** Microseconds of CPU time per request. */
async function measure(api: Running, requests: number): Promise<number> {
  const begun = await cpuSeconds(api)
  let left = requests
  const reader = async (): Promise<void> => {
    while (left-- > 0) assert.equal(await status(api), 200)
  }
  await Promise.all(Array.from({ length: concurrency }, reader))
  return (((await cpuSeconds(api)) - begun) / requests) * 1e6
}

const status = ({ address }: Running): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    http
      .get(address + path, { agent, headers: { authorization: key } }, (response) =>
        response.resume().on('end', () => resolve(response.statusCode)),
      )
      .on('error', reject)
  })

const median = (values: readonly number[]): number => percentile(values, 0.5)

test(`reading an order with traces of the default ratio costs at most ${shareMax} times the CPU time of one without`, async (t) => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}` }
  const processes = {
    off: await start({}),
    control: await start({}),
    default: await start(endpoint),
    all: await start({ ...endpoint, OTEL_TRACES_SAMPLER_ARG: '1' }),
  }
  const names = ['off', 'control', 'default', 'all'] as const
  for (const name of names) await measure(processes[name], warmUpRequests)
  const measured = { off: [], control: [], default: [], all: [] } as Record<(typeof names)[number], number[]>
  for (let round = 0; round < rounds; round++)
    for (const name of round % 2 === 0 ? names : names.toReversed())
      measured[name].push(await measure(processes[name], requestsPerRound))
  const share = (name: (typeof names)[number]): number =>
    median(measured[name].map((micros, round) => micros / (measured.off[round] ?? NaN)))
  for (const name of names)
    t.diagnostic(`${name}: ${median(measured[name]).toFixed(0)} µs, ${share(name).toFixed(3)} of off`)
  assert(spansSent > requestsPerRound, `The collector got ${spansSent} spans.`)
  assert(share('default') <= shareMax)
})
