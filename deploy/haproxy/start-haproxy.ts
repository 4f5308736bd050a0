/** The real HAProxy with our configuration, for tests. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../../apps/service/src/testing/process.ts'
import { freePort } from '../../packages/pg-statements/src/testing-cluster.ts'

export const configFile = join(import.meta.dirname, 'haproxy.cfg')
export const config = readFileSync(configFile, 'utf8')

export interface ProxyAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

export interface ProxyRequest {
  readonly headers?: Readonly<Record<string, string>>
  readonly form?: string
  /** The address of this machine from which it is sent. */
  readonly from?: string
}

export interface Haproxy {
  readonly port: number
  readonly metricsUrl: string
  readonly log: () => string
  readonly send: (method: string, path: string, sent?: ProxyRequest) => Promise<ProxyAnswer>
  readonly stop: () => void
}

/** `servers` are the addresses of the two API processes. */
export async function startHaproxy(servers: readonly [string, string], text = config): Promise<Haproxy> {
  const folder = mkdtempSync(join(tmpdir(), 'parts-haproxy-'))
  const [certificate, privateKey, both] = ['certificate.pem', 'key.pem', 'both.pem'].map((name) => join(folder, name)) as [string, string, string] // prettier-ignore
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2', '-subj',
      '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-keyout', privateKey, '-out', certificate],
    { stdio: 'ignore' },
  ) // prettier-ignore
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(privateKey, 'utf8'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, text)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const env = {
    PATH: `${process.env['PATH']}:/usr/sbin`,
    HTTPS_BIND: `127.0.0.1:${port}`,
    METRICS_BIND: `127.0.0.1:${metricsPort}`,
    CERTIFICATE: both,
    API_1: servers[0],
    API_2: servers[1],
  }
  execFileSync('haproxy', ['-c', '-q', '-f', file], { env })
  const child = spawn('haproxy', ['-db', '-f', file], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let log = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (log = (log + chunk).slice(-100_000)))
  const agent = new https.Agent({ keepAlive: true, ca: readFileSync(certificate) })
  const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`
  await eventually(async () => {
    assert.equal(child.exitCode, null, log)
    return fetch(metricsUrl).then(({ ok }) => ok, () => false) // prettier-ignore
  })
  return {
    port,
    metricsUrl,
    log: () => log,
    send: (method, path, { headers = {}, form, from } = {}) =>
      new Promise((resolve, reject) => {
        const body = form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }
        const options = { host: 'localhost', port, family: 4, agent, method, path, headers: { ...headers, ...body } }
        const request = https.request(
          { ...options, ...(from !== undefined && { localAddress: from }) },
          (response) => {
            let answer = ''
            response.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
            const { statusCode: status = 0 } = response
            response.on('end', () => resolve({ status, headers: response.headers, text: answer })).on('error', reject)
          },
        ) // prettier-ignore
        request.on('error', reject)
        request.end(form)
      }),
    stop: () => {
      agent.destroy()
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true })
    },
  }
}
