/**
 * The API reference: one document for clients, at `/openapi.json`, and one for operators, at `/operator/openapi.json`; each
 * also as a page, at `/docs/` and `/operator/docs/`, with the guides beside it. Everything is served from memory.
 */
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { makeDocuments, type ReferenceParts } from './documents.ts'
import { clientGuides, operatorGuides, renderGuide, type OperationLinks } from './guides.ts'
import { scalarScriptFile } from './scalar-script.ts'
import { serveFile, type StaticFile } from './serve-file.ts'

/** Nothing comes from elsewhere. Plain http must work, so requests are not upgraded to https. */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'", // Scalar sets styles while it runs.
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const json = 'application/json; charset=utf-8'
const html = 'text/html; charset=utf-8'
const script = 'text/javascript; charset=utf-8'

export function serveReference(
  app: FastifyInstance,
  parts: ReferenceParts,
  sides: readonly ('clients' | 'operators')[],
): void {
  const { client, operator } = makeDocuments(parts)
  const headers = { 'content-security-policy': pagePolicy }
  const operations = linksTo(parts)
  const files: StaticFile[] = [
    { path: '/openapi.json', type: json, content: () => JSON.stringify(client) },
    { path: '/operator/openapi.json', type: json, content: () => JSON.stringify(operator) },
    { path: '/docs/', type: html, content: () => pageOf('Parts Ordering Service', '/openapi.json'), headers },
    {
      path: '/operator/docs/',
      type: html,
      content: () => pageOf('Parts Ordering Service: operators', '/operator/openapi.json'),
      headers,
    },
    { path: '/docs/scalar.js', type: script, content: () => gunzipSync(scalarScript), gzip: scalarScript },
    { path: '/docs/start.js', type: script, content: () => startScript },
    { path: '/docs/guide.css', type: 'text/css; charset=utf-8', content: () => guideStyle },
    ...pictures.map(({ name, content }) => ({ path: `/docs/${name}`, type: 'image/svg+xml', content, headers })),
    ...[...clientGuides, ...operatorGuides].map((guide) => ({
      path: guide.path,
      type: html,
      content: () => renderGuide(guide, operations),
      headers,
    })),
  ]
  for (const file of files) if (sides.includes(sideOf(file)) || isShared(file)) serveFile(app, file)
}

/** Scalar names an operation in the fragment of the page's address. */
function linksTo({ clientSide, operatorSide }: ReferenceParts): OperationLinks {
  const linksOf = (page: string, routes: ReferenceParts['clientSide']): [string, string][] =>
    routes.map(({ operationId, tag, method, path }) => [
      operationId,
      `${page}#tag/${tag.toLowerCase().replaceAll(' ', '-')}/${method}${path.replaceAll(/:(\w+)/g, '{$1}')}`,
    ])
  return new Map([...linksOf('/operator/docs/', operatorSide), ...linksOf('/docs/', clientSide)])
}

const sideOf = ({ path }: StaticFile): 'clients' | 'operators' =>
  path.startsWith('/operator/') ? 'operators' : 'clients'

/** Scripts, styles and pictures, which the pages of both sides use. */
const isShared = ({ path }: StaticFile): boolean => /^\/docs\/[^/]+\.(js|css|svg)$/.test(path)

const read = (path: string): Buffer => readFileSync(new URL(path, import.meta.url))

const scalarScript = readFileSync(scalarScriptFile)
const startScript = read('page/start.js')
const guideStyle = read('page/guide.css')
const pictures = ['order-states.svg', 'order-states-portrait.svg'].map((name) => {
  const picture = read(`../../../../docs/images/${name}`)
  return { name, content: () => picture }
})

const pageOf = (title: string, document: string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<div id="reference" data-document="${document}"></div>
<script src="/docs/scalar.js"></script>
<script type="module" src="/docs/start.js"></script>
</html>
`
