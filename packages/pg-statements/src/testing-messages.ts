/** For proxies in tests: the messages of PostgreSQL's protocol, cut out of a stream of bytes. */

/** A message is a letter, a length and a body; the client's first message has no letter. */
export function readMessages(
  from: 'client' | 'server',
  onMessage: (type: string, body: Buffer, message: Buffer) => void,
): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let started = from === 'server'
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      const head = started ? 1 : 0
      if (rest.length < head + 4) return
      const end = head + rest.readUInt32BE(head)
      if (rest.length < end) return
      if (started) onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, end), rest.subarray(0, end))
      started = true
      rest = rest.subarray(end)
    }
  }
}

/** Bind carries the portal's name and then the statement's. */
export function boundStatement(body: Buffer): string {
  const end = body.indexOf(0)
  return body.subarray(end + 1, body.indexOf(0, end + 1)).toString()
}
