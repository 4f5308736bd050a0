import { createServer, type Server } from 'node:http'
import { AggregatorRegistry, register } from 'prom-client'

const aggregator = new AggregatorRegistry() // In a worker process, answers the main process's request for metrics.

/** The metrics of this process. */
export const ownMetrics = (): Promise<string> => register.metrics()

/** The metrics of all worker processes, aggregated. */
export const metricsOfWorkers = (): Promise<string> => aggregator.clusterMetrics()

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
