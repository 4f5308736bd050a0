/** `/llms.txt`: the pages by reader, for programs that read documentation. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readers } from './site-map.ts'

export function renderLlms(pages: string): string {
  const sections = readers.map(({ title, about, groups }) => {
    const lines = groups.flatMap((group) =>
      group.pages.flatMap((page) => {
        const text = readFileSync(join(pages, `${page.path}.md`), 'utf8')
        return /^layout:/m.test(text) ? [] : [`- [${page.title}](/docs/${page.path}.md): ${firstSentence(text)}`]
      }),
    )
    return `## ${title}: ${about}\n\n${lines.join('\n')}`
  })
  return `# Parts Ordering Service

> A JSON API that lets dealers' software order parts from a distributor: carts, orders, rescheduling, cancellation and adjustments. Each page below is Markdown; without \`.md\` the same address is a page for people.

- [OpenAPI for clients](/openapi.json): every operation of \`/api/v1/\`, with schemas, examples and errors
- [OpenAPI for operators](/operator/openapi.json): every operation of \`/operator/v1/\`
- [This installation](/docs/installation.json): version, time zone and limits
- [The TypeScript client](/docs/client/parts-ordering-client.tgz): a package for npm

${sections.join('\n\n')}
`
}

/** The first sentence below the title, without links. */
function firstSentence(text: string): string {
  const paragraph = /^# .*\n+(?:Generated from .*\n+)?(?![|#`-])(.+)/m.exec(text)?.[1] ?? ''
  const plain = paragraph.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  return /^.*?[.:](?=\s|$)/.exec(plain)?.[0].replace(/:$/, '.') ?? plain
}
