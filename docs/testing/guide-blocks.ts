/** The code blocks of a page of the documentation; those of a group have the title of their tab: ```ts [TypeScript]. */

export interface GuideBlock {
  /** `sh`, `ts`, `python`, `php`, `java` or `json`; empty for what a command prints. */
  readonly language: string
  readonly code: string
  /** A program names its file in its first line: `// receiver.ts`. */
  readonly file: string | undefined
}

export function blocksOf(page: string): GuideBlock[] {
  return [...page.matchAll(/^```(\w*)(?: \[\w+\])?\n([^]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    language,
    code,
    file: /^(?:<\?php )?(?:\/\/|#) ([\w-]+\.(?:ts|py|php|java|csv))$/m.exec(code.split('\n', 1)[0] ?? '')?.[1],
  }))
}

/** The commands of a page, line by line. */
export const commandsOf = (page: string): string[] =>
  blocksOf(page)
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => code.trim().split('\n'))
