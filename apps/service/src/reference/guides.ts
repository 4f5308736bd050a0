/** The guides of `docs/` as pages beside the API reference, so that a reader of the reference can reach them. */
import { readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Marked, type Tokens } from 'marked'

export interface Guide {
  /** In `docs/`. */
  readonly file: string
  readonly markdown: string
  readonly path: string
  readonly title: string
  readonly about: string
}

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url))

const guide = (file: string, path: string, title: string, about: string): Guide => ({
  file,
  path,
  title,
  about,
  markdown: readFileSync(join(docs, file), 'utf8'),
})

export const clientGuides: readonly Guide[] = [
  guide('tutorial/first-order.md', '/docs/guides/first-order/', 'Your first order', 'from an item to an order'),
  guide(
    'how-to/integrator/find-goods.md',
    '/docs/guides/find-goods/',
    'Find goods and check prices',
    'search, articles, prices and availability',
  ),
  guide(
    'how-to/integrator/show-totals.md',
    '/docs/guides/show-totals/',
    'Show totals before ordering',
    'what an order will cost, and what would stop it',
  ),
  guide(
    'how-to/integrator/order-many-lines.md',
    '/docs/guides/order-many-lines/',
    'Order a list from a spreadsheet',
    'up to 1,000 rows at once',
  ),
  guide(
    'how-to/integrator/read-orders.md',
    '/docs/guides/read-orders/',
    'Read orders in full',
    'lines, address, shipments, your own number',
  ),
  guide(
    'how-to/integrator/change-orders.md',
    '/docs/guides/change-orders/',
    'Change, reschedule and cancel',
    'until an order is shipped',
  ),
  guide(
    'how-to/integrator/react-to-changes.md',
    '/docs/guides/react-to-changes/',
    'React to changes',
    'follow events instead of polling orders',
  ),
  guide('how-to/integrator/webhooks.md', '/docs/guides/webhooks/', 'Receive webhooks', 'have events sent to you'),
  guide(
    'how-to/integrator/migrate-from-polling.md',
    '/docs/guides/migrate-from-polling/',
    'Migrate from polling',
    'to events, in four steps',
  ),
  guide(
    'how-to/integrator/handle-errors.md',
    '/docs/guides/handle-errors/',
    'Handle every error',
    'what to do, by status and by code',
  ),
  guide(
    'how-to/integrator/retries-and-limits.md',
    '/docs/guides/retries-and-limits/',
    'Retries, rate limits and overload',
    'what to do when a response is lost or a request is refused',
  ),
  guide(
    'how-to/integrator/http.md',
    '/docs/guides/http/',
    'Requests over HTTP',
    'where things belong, pages, caches, compression',
  ),
  guide('how-to/integrator/keys.md', '/docs/guides/keys/', 'Manage your keys', 'see and revoke them'),
  guide('how-to/integrator/go-live.md', '/docs/guides/go-live/', 'Go live', 'what to prepare, and what to watch'),
  guide('reference/words.md', '/docs/guides/words/', 'Words', 'what the words mean, and the life of an order'),
  guide('reference/versioning.md', '/docs/guides/versioning/', 'Versions', 'what may change, and what may not'),
  guide('reference/errors.md', '/docs/guides/error-codes/', 'Error codes', 'every code, and what to do about it'),
  guide('reference/event-types.md', '/docs/guides/event-types/', 'Event types', 'every type, with an example'),
]

export const operatorGuides: readonly Guide[] = [
  guide(
    'how-to/operator/keys-and-roles.md',
    '/operator/docs/guides/keys-and-roles/',
    'Operator keys',
    'the first key, and what each role may do',
  ),
  guide('how-to/operator/orders.md', '/operator/docs/guides/orders/', 'Orders', 'decide requests and move orders'),
  guide('how-to/operator/ship.md', '/operator/docs/guides/ship/', 'Ship an order', 'whole or in parts'),
  guide(
    'how-to/operator/correct-orders.md',
    '/operator/docs/guides/correct-orders/',
    'Correct an order',
    'lines, notes, dates, and wrong moves',
  ),
  guide(
    'how-to/operator/hold-and-block.md',
    '/operator/docs/guides/hold-and-block/',
    'Hold and block',
    'stop an order, or the orders of a client',
  ),
  guide(
    'how-to/operator/clients.md',
    '/operator/docs/guides/clients/',
    'Clients',
    'contacts, contracts, keys and webhooks',
  ),
  guide('how-to/operator/goods.md', '/operator/docs/guides/goods/', 'Goods', 'items, prices and stock, and imports'),
  guide(
    'how-to/operator/count-stock.md',
    '/operator/docs/guides/count-stock/',
    'Count stock',
    'what is really there, and which orders are short',
  ),
  guide(
    'how-to/operator/files.md',
    '/operator/docs/guides/files/',
    'Files and paper',
    'CSV, imports from spreadsheets, slips and pick lists',
  ),
  guide(
    'how-to/operator/find.md',
    '/operator/docs/guides/find/',
    'Find',
    'orders, clients, items, prices and what happened',
  ),
  guide(
    'how-to/operator/monitor.md',
    '/operator/docs/guides/monitor/',
    'Events and checks',
    'follow what happens, and check the data',
  ),
  guide(
    'reference/command-line.md',
    '/operator/docs/guides/command-line/',
    'The parts command',
    'operators at a terminal',
  ),
]

/** Where the API reference shows each operation, by its `operationId`. */
export type OperationLinks = ReadonlyMap<string, string>

/** The guides that name an operation in their line about the API reference. */
export const guidesOf = (operationId: string): Guide[] =>
  namedBy.flatMap(({ guide, operations }) => (operations.includes(operationId) ? [guide] : []))

const namedBy = clientGuides.map((guide) => ({ guide, operations: namedOperations(guide.markdown) }))

function namedOperations(markdown: string): string[] {
  const [, line = ''] = /^In the API reference: (.*)$/m.exec(markdown) ?? []
  return [...line.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
}

/** The page of a guide. */
export function renderGuide({ file, title, path, markdown }: Guide, operations: OperationLinks): string {
  const [reference, guides] = path.startsWith('/operator/')
    ? ['/operator/docs/', operatorGuides]
    : ['/docs/', clientGuides]
  const links = guides.map((one) =>
    one.path === path ? `<b>${one.title}</b>` : `<a href="${one.path}">${one.title}</a>`,
  )
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/guide.css">
<nav><a href="${reference}">API reference</a> ${links.join(' ')}</nav>
<main>
${renderMarkdown(markdown, file, operations)}</main>
</html>
`
}

function renderMarkdown(markdown: string, file: string, operations: OperationLinks): string {
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        return `<h${depth} id="${slug(text)}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const target = targetOf(href, file)
        const text = this.parser.parseInline(tokens)
        return target === undefined ? text : `<a href="${target}">${text}</a>`
      },
      codespan({ text }: Tokens.Codespan) {
        const target = operations.get(text)
        return target === undefined ? `<code>${escaped(text)}</code>` : `<a href="${target}"><code>${text}</code></a>`
      },
      image({ href, text }: Tokens.Image) {
        return `<img src="/docs/${posix.basename(href)}" alt="${text}">`
      },
      table({ header, rows }: Tokens.Table) {
        const row = (cells: Tokens.TableCell[], tag: string): string =>
          `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join('')}</tr>\n`
        const body = rows.map((cells) => row(cells, 'td')).join('')
        return `<div class="wide"><table>\n${row(header, 'th')}${body}</table></div>\n`
      },
    },
  })
  return marked.parse(markdown, { async: false })
}

/** A link to another guide leads to its page; pages of `docs/` that are not served here are not linked. */
function targetOf(href: string, from: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [path = '', anchor] = href.split('#')
  const file = posix.join(posix.dirname(from), path)
  const found = [...clientGuides, ...operatorGuides].find((one) => one.file === file)
  if (found === undefined) return undefined
  return anchor === undefined ? found.path : `${found.path}#${anchor}`
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
