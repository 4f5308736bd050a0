import type { FastifyReply } from 'fastify'

/** Adds a request header on which the response depends, for caches. */
export function addVary(reply: FastifyReply, header: string): void {
  const others = reply.getHeader('vary')
  reply.header('vary', others === undefined ? header : `${String(others)}, ${header}`)
}
