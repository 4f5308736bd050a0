import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorOf, reader } from './frames.ts'

/** A message as PostgreSQL sends it. */
function message(kind: string, body: string): Buffer {
  const bytes = Buffer.alloc(5 + Buffer.byteLength(body))
  bytes.write(kind, 0)
  bytes.writeInt32BE(bytes.length - 1, 1)
  bytes.write(body, 5)
  return bytes
}

const sent = [
  ['1', ''],
  ['T', 'a description of columns\0'],
  ['D', 'a row with ümlauts'],
  ['D', ''],
  ['C', 'SELECT 2\0'],
  ['Z', 'I'],
  ['E', 'SERROR\0VERROR\0C26000\0Mmissing\0\0'],
] as const
const stream = Buffer.concat(sent.map(([kind, body]) => message(kind, body)))

function readIn(chunks: readonly Buffer[]): string[][] {
  const received: string[][] = []
  const read = reader((kind, bytes, start, end) =>
    received.push([String.fromCharCode(kind), bytes.toString('utf8', start, end)]),
  )
  for (const chunk of chunks) read(chunk)
  return received
}

test('messages are read whole, wherever the stream is cut', () => {
  for (let cut = 0; cut <= stream.length; cut++)
    for (let second = cut; second <= stream.length; second += 7)
      assert.deepEqual(
        readIn([stream.subarray(0, cut), stream.subarray(cut, second), stream.subarray(second)]),
        sent.map((each) => [...each]),
      )
})

test('messages are read whole when every byte arrives alone', () => {
  assert.deepEqual(
    readIn([...stream].map((byte) => Buffer.from([byte]))),
    sent.map((each) => [...each]),
  )
})

test('the fields of an error are read by their letters, the severity in English', () => {
  const body = Buffer.from('SFEHLER\0VERROR\0C23514\0Mzu viel\0Dmehr\0ncounter_full\0RExecConstraints\0\0')
  const { severity, code, message: text, detail, constraint, routine } = errorOf(body, 0, body.length)
  assert.deepEqual(
    { severity, code, text, detail, constraint, routine },
    {
      severity: 'ERROR',
      code: '23514',
      text: 'zu viel',
      detail: 'mehr',
      constraint: 'counter_full',
      routine: 'ExecConstraints',
    },
  )
})
