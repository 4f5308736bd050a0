/** The guides that name an operation in their line "In the API reference:", so that the operation can name them. */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface Guide {
  readonly title: string
  /** Where the site has it. */
  readonly path: string
  readonly operations: readonly string[]
}

const docs = fileURLToPath(new URL('../../../../docs/', import.meta.url))
const files = ['tutorial', 'how-to/integrator', 'reference'].flatMap((folder) =>
  readdirSync(docs + folder)
    .filter((file) => file.endsWith('.md'))
    .map((file) => `${folder}/${file}`),
)
const guides = files.map((file): Guide => {
  const text = readFileSync(docs + file, 'utf8')
  const [, title = ''] = /^# (.*)$/m.exec(text) ?? []
  const [, line = ''] = /^In the API reference: (.*)$/m.exec(text) ?? []
  const operations = [...line.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)
  return { title, path: `/docs/${file.replace(/\.md$/, '')}`, operations }
})

export const guidesOf = (operationId: string): Guide[] =>
  guides.filter(({ operations }) => operations.includes(operationId))
