import { createServer, type Server } from 'node:http'
import { AggregatorRegistry, register } from 'prom-client'

const aggregator = new AggregatorRegistry() // In a process that shares the port, answers the main process's request for metrics.

export const ownMetrics = (): Promise<string> => register.metrics()

/** The metrics of the processes that share a port (`PROCESSES`), added up by the main process. */
export const metricsOfProcesses = (): Promise<string> => aggregator.clusterMetrics()

/** Serves Prometheus metrics on a port of their own, which need not be public. */
export async function serveMetrics(host: string, port: number, metrics: () => Promise<string>): Promise<Server> {
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    metrics().then(
      (text) => response.writeHead(200, { 'content-type': register.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
