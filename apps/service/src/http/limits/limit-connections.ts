/**
 * Limits the connections of a process, in total and of one address, so that neither memory nor file descriptors run out.
 * A connection over the limit gets a short 503 and is closed, before anything is read from it.
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyBaseLogger } from 'fastify'
import { Counter, Gauge } from 'prom-client'
import { answerTooManyConnections } from '../answer-failure.ts'
import { addressGroup, plainAddress, type ClientAddresses } from '../client-address.ts'

export interface ConnectionLimits {
  readonly connectionsMax: number
  /** Does not apply to trusted proxies. */
  readonly connectionsPerAddressMax: number
}

const connections = new Gauge({ name: 'parts_http_connections', help: 'Open connections.' })
const refused = new Counter({
  name: 'parts_refused_connections_total',
  help: 'Connections refused because there were too many, in total or of one address.',
  labelNames: ['limit'],
})

const logEveryMs = 10_000 // Under attack, a line for each connection would fill the disk.

export function limitConnections(
  server: Server,
  { connectionsMax, connectionsPerAddressMax }: ConnectionLimits,
  { addresses, logger }: { addresses: ClientAddresses; logger: FastifyBaseLogger },
): void {
  const ofAddress = new Map<string, number>()
  let total = 0
  let loggedAt = -logEveryMs

  function refuse(socket: Socket, limit: 'total' | 'address'): void {
    refused.inc({ limit })
    if (performance.now() - loggedAt >= logEveryMs) {
      loggedAt = performance.now()
      const address = plainAddress(socket.remoteAddress ?? '')
      logger.warn({ limit, address, connections: total }, 'too many connections; refusing new ones')
    }
    answerTooManyConnections(socket)
  }

  server.on('connection', (socket: Socket) => {
    const address = plainAddress(socket.remoteAddress ?? '')
    const group = addressGroup(address)
    const open = ofAddress.get(group) ?? 0
    if (total >= connectionsMax) return refuse(socket, 'total')
    if (open >= connectionsPerAddressMax && !addresses.isProxy(address)) return refuse(socket, 'address')
    total++
    connections.inc()
    ofAddress.set(group, open + 1)
    socket.once('close', () => {
      total--
      connections.dec()
      const left = (ofAddress.get(group) ?? 1) - 1
      if (left === 0) ofAddress.delete(group)
      else ofAddress.set(group, left)
    })
  })
}
