/** What Node's HTTP parser cannot read never reaches Fastify; it is answered in the same shape from here. */
import type { Socket } from 'node:net'
import { failure } from '../envelope.ts'
import { newRequestId } from './request-id.ts'
import { Refusal } from '../../refusals.ts'

export function answerBrokenRequest(error: { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const refusal = refusalOf(error.code)
  const request_id = newRequestId({ headers: {} })
  const body = JSON.stringify(failure(refusal.errors, request_id))
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${refusal.status === 400 ? 'Bad Request' : 'Refused'}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${request_id}`,
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  )
}

function refusalOf(code: string | undefined): Refusal {
  if (code === 'HPE_HEADER_OVERFLOW') return new Refusal('headers_too_large', {})
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refusal('request_timed_out', {})
  return new Refusal('malformed_request', { reason: 'it is not valid HTTP/1.1' })
}
