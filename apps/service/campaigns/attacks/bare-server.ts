/** Answers every request with 429 and does nothing else: no server can be cheaper for its neighbours. Prints its address. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const body = '{"errors":[{"code":"rate_limited"}]}'
const server = createServer((_request, response) => {
  response.writeHead(429, { 'content-type': 'application/json', 'content-length': body.length, 'retry-after': '1' })
  response.end(body)
}).listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
