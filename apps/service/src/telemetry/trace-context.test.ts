import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceparent, parseTraceparent, requestIdOfTrace, traceOfRequestId } from './trace-context.ts'

const [traceId, spanId] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']

test('a valid traceparent is read, also of a later version; its lowest flag says whether it is recorded', () => {
  const recorded = { traceId, spanId, sampled: true }
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-01`), recorded)
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-03`), recorded)
  assert.deepEqual(parseTraceparent(`cc-${traceId}-${spanId}-01-what-comes-later`), recorded)
  assert.deepEqual(parseTraceparent(`00-${traceId}-${spanId}-02`), { ...recorded, sampled: false })
  assert.equal(formatTraceparent(recorded), `00-${traceId}-${spanId}-01`)
})

test('an invalid traceparent is ignored', () => {
  const invalid = [
    '',
    traceId,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `ff-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    `00-${traceId}-${spanId}-0x`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01\n`,
  ]
  for (const header of invalid) assert.equal(parseTraceparent(header), undefined, header)
})

test('the request id of a traced request leads back to its trace; other request ids lead to none', () => {
  const context = { traceId, spanId, sampled: true }
  assert.deepEqual(traceOfRequestId(requestIdOfTrace(context)), context)
  assert.match(requestIdOfTrace(context), /^[\w.-]{1,64}$/)
  for (const other of ['pC2k9QxZ-1f', `${traceId}-${spanId}`, 'x'.repeat(52), ''])
    assert.equal(traceOfRequestId(other), undefined)
})
