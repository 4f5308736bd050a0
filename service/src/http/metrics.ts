import { createServer, type Server } from 'node:http'
import { collectDefaultMetrics, register } from 'prom-client'

/** Prometheus metrics on a port of their own, which the outside need not reach. */
export async function serveMetrics(host: string, port: number): Promise<Server> {
  collectDefaultMetrics()
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') {
      response.writeHead(404).end()
      return
    }
    register.metrics().then(
      (text) => response.writeHead(200, { 'content-type': register.contentType }).end(text),
      () => response.writeHead(500).end(),
    )
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}
