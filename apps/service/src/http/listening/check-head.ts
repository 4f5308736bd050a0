/**
 * Checks the target and the headers of a request before anything is decided by them. In a path of the client API, an
 * encoded letter, digit or mark is the character. Other paths have one spelling: `/%6Fperator/` is refused, since a proxy
 * in front that keeps clients away from operators' paths would not apply its rule to it.
 */
import type { IncomingMessage, RequestListener } from 'node:http'

type Refuse = (request: IncomingMessage, response: Parameters<RequestListener>[1], reason: string) => void

export const checkHead =
  (answer: RequestListener, refuse: Refuse): RequestListener =>
  (request, response) => {
    // Nothing is upgraded, but Node's parser drops what arrives together with such a request, after it.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false
    const reason = problemOfTarget(request) ?? repeatedHeader(request.rawHeaders)
    if (reason === undefined) answer(request, response)
    else refuse(request, response, reason)
  }

const plainTarget = /^\/[^%#?]*(?:\?[^#]*)?$/

/** One of the characters that need no encoding (RFC 3986, section 2.3). */
const encodedUnreserved = /%(?:2[de]|3\d|[46][1-9a-f]|5[0-9af]|7[0-9ae])/gi

/** Why the target is refused; undefined if it is accepted. The absolute form, `http://host/path`, becomes the path. */
function problemOfTarget(request: IncomingMessage): string | undefined {
  const { url = '' } = request
  if (plainTarget.test(url) || url === '*') return undefined
  if (url.includes('#')) return 'the target has a fragment (#)'
  const [absolute, rest = ''] = /^https?:\/\/[^/?]+([/?].*)?$/i.exec(url) ?? []
  const target = absolute === undefined ? url : rest.startsWith('/') ? rest : `/${rest}`
  if (!target.startsWith('/')) return 'the target is neither a path nor a URL of http or https'
  const [path = ''] = target.split('?', 1)
  const decoded = path.replaceAll(encodedUnreserved, decodeURIComponent)
  request.url = decoded + target.slice(path.length)
  const [encoded] = path.match(encodedUnreserved) ?? []
  if (encoded === undefined || decoded.startsWith('/api/')) return undefined
  return `the path has ${encoded}; write ${decodeURIComponent(encoded)} unencoded`
}

/** By length. Node keeps the first of these and drops the others, where a proxy may have looked at the last. */
const onlyOnce: Readonly<Record<number, string>> = { 4: 'host', 12: 'content-type', 13: 'authorization' }

function repeatedHeader(rawHeaders: readonly string[]): string | undefined {
  const seen: string[] = []
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    const known = onlyOnce[name.length]
    if (known === undefined || name.toLowerCase() !== known) continue
    if (seen.includes(known)) return `the header ${name} is sent more than once`
    seen.push(known)
  }
  return undefined
}
