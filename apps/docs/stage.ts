/**
 * Writes what VitePress builds the site from into `.site/`: the pages of `site-map.ts` with their links led to pages of the
 * site, one page for the operations of each tag, and the pictures. Run alone, it is the first half of `npm run dev`.
 */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { renderOperations } from './operations.ts'
import { clientTags, operatorTags, sitePages, type SitePage } from './site-map.ts'

const root = join(import.meta.dirname, '../..')
export const stage = join(import.meta.dirname, '.site')

const bySource = new Map(sitePages.flatMap((page) => (page.from === undefined ? [] : [[page.from, page] as const])))

/** Files that the service has at an address of its own. */
const served = new Map([
  ['openapi.json', '/openapi.json'],
  ['operator-openapi.json', '/operator/openapi.json'],
])

export function stagePages(): void {
  rmSync(stage, { recursive: true, force: true })
  cpSync(join(import.meta.dirname, 'pages'), stage, { recursive: true })
  cpSync(join(root, 'docs/images'), join(stage, 'public/images'), { recursive: true })
  const pictures = new Map<string, string>()
  for (const [from, page] of bySource) write(`${page.path}.md`, linked(read(from), from, page, pictures))
  for (const [side, file, tags] of [
    ['operations', 'openapi.json', clientTags],
    ['operator-operations', 'operator-openapi.json', operatorTags],
  ] as const)
    for (const [name, text] of Object.entries(renderOperations(JSON.parse(read(file)), tags)))
      write(`reference/${side}/${name}.md`, text)
  for (const [from, to] of pictures) cpSync(join(root, from), join(stage, 'public', to))
}

/** A page with its links led to pages of the site. A link to a file that the site does not have becomes its text. */
export function linked(text: string, from: string, page: SitePage, pictures: Map<string, string>): string {
  return text.replaceAll(
    /^(```|~~~)[^]*?^\1$|(!?)\[((?:[^\]`]|`[^`]*`)*)\]\(([^)\s]+)\)/gm,
    (all: string, fence: string | undefined, picture: string, label: string, href: string) => {
      if (fence !== undefined || /^([a-z]+:|#)/.test(href)) return all
      const [path = '', anchor] = href.split('#')
      const target = posix.join(posix.dirname(from), path)
      if (picture !== '') {
        const to = `/images/${target.replace(/^docs\/(images|explanation)\//, '')}`
        pictures.set(target, to)
        return `![${label}](${to})`
      }
      const file = served.get(target)
      if (file !== undefined) return `[${label}](pathname://${file})`
      const found = target === 'docs/README.md' ? home : (bySource.get(target) ?? bySource.get(`${target}README.md`))
      if (found === undefined) return label
      const relative = posix.relative(posix.dirname(page.path), found.path)
      return `[${label}](${relative.startsWith('.') ? '' : './'}${relative}.md${anchor === undefined ? '' : `#${anchor}`})`
    },
  )
}

const home: SitePage = { title: 'Documentation', path: 'index' }

const read = (file: string): string => readFileSync(join(root, file), 'utf8')

function write(file: string, text: string): void {
  mkdirSync(join(stage, dirname(file)), { recursive: true })
  writeFileSync(join(stage, file), text)
}

if (import.meta.main) stagePages()
