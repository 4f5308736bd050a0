/**
 * Runs a guide as its reader does: programs are stored in files, the commands are pasted into one shell, in order. The
 * shell keeps its variables and what it runs in the background. What a command prints is compared with what the page shows.
 */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { blocksOf, type GuideBlock } from './guide-blocks.ts'

const docs = fileURLToPath(new URL('..', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

export interface GuideRun extends AsyncDisposable {
  readonly page: string
  /** What each block of commands printed. */
  readonly printed: readonly string[]
  /** The JSON that a block printed: its only response, or the last one. */
  // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- The test names what the block prints.
  readonly dataOf: <T>(block: number) => T
  /** The directory in which the reader works. */
  readonly directory: string
  /** The free port that stands in for each port of the page, from 8088 up. */
  readonly ports: Readonly<Record<string, number>>
}

interface Demo {
  readonly baseUrl: string
}

/** Disposing of the result ends what the guide left running. */
export async function runGuide(file: string, demo: Demo, note: (text: string) => void): Promise<GuideRun> {
  const page = readFileSync(join(docs, file), 'utf8')
  const blocks = blocksOf(page)
  const directory = workingDirectory()
  const ports: Record<string, number> = {}
  for (const shown of new Set(page.match(/\b80(?:8[89]|9\d)\b/g))) ports[shown] = await freePort()
  const here = (text: string): string =>
    Object.entries(ports).reduce(
      (changed, [shown, port]) => changed.replaceAll(shown, String(port)),
      text.replaceAll('http://127.0.0.1:8080', demo.baseUrl),
    )
  const programs = blocks.filter((block) => block.file !== undefined)
  const commands = blocks.filter(({ language }) => language === 'sh')
  for (const { file: name, language } of blocks)
    assert(
      ['', 'sh', 'json'].includes(language) || name !== undefined,
      `${file}: a block of ${language} has no file name`,
    )
  for (const { file: name = '', code } of programs) {
    assert(
      commands.some((command) => command.code.includes(name)),
      `${file}: no command runs ${name}`,
    )
    writeFileSync(join(directory, name), here(code))
  }
  const shell = startShell(directory)
  const printed: string[] = []
  const run: GuideRun = {
    page,
    printed,
    directory,
    ports,
    // oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- As above.
    dataOf: <T>(block: number) => (responsesIn(printed[block] ?? '').at(-1) as { data: T }).data,
    [Symbol.asyncDispose]: async () => {
      await shell.end()
      rmSync(directory, { recursive: true, force: true })
    },
  }
  try {
    for (const [i, block] of blocks.entries()) {
      if (block.language !== 'sh') continue
      const missing = missingProgram(block)
      if (missing !== undefined) note(`${file}: not run without ${missing}: ${block.code.trim()}`)
      const output = missing === undefined ? await shell.paste(here(block.code)) : ''
      printed.push(output)
      const next = blocks[i + 1]
      if (missing === undefined) compare(output, next?.language === '' ? next.code : '', `${file}: ${block.code}`)
    }
  } catch (error) {
    await run[Symbol.asyncDispose]()
    throw error
  }
  return run
}

/** Where `@parts-ordering/client` can be imported, as in a project that has it installed. */
export function workingDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'parts-guide-'))
  writeFileSync(join(directory, 'package.json'), '{"type":"module"}')
  mkdirSync(join(directory, 'node_modules', '@parts-ordering'), { recursive: true })
  symlinkSync(join(root, 'packages/client'), join(directory, 'node_modules', '@parts-ordering', 'client'))
  symlinkSync(join(root, 'node_modules', '@types'), join(directory, 'node_modules', '@types'))
  return directory
}

/** Every machine that runs the tests has Node and Python; `.ci/run` installs PHP, but no JDK, which is large. */
function missingProgram({ code }: GuideBlock): string | undefined {
  return ['php', 'java'].find(
    (program) => new RegExp(`\\b${program} `).test(code) && spawnSync('which', [program]).status !== 0,
  )
}

/** The page shows a response shortened by `…`: what it names must be in the real one. Anything not shown is a success. */
function compare(output: string, shown: string, at: string): void {
  const responses = responsesIn(output)
  if (!/^(HTTP\S+ \d+\s+)?\{"status"/.test(shown)) {
    for (const { status } of responses) assert.equal(status, 'ok', `${at}\n${output}`)
    return
  }
  assert.equal(/"status":"(\w+)"/.exec(output)?.[1], /"status":"(\w+)"/.exec(shown)?.[1], `${at}\n${output}`)
  const names = new Set([...shown.matchAll(/"(\w+)":/g)].map(([name]) => name))
  const absent = [...names].filter((name) => !output.includes(name))
  assert.deepEqual(absent, [], `${at}\n${output}`)
}

/** `curl` prints responses one after the other, without a line break. */
const responsesIn = (output: string): { status: string; data?: unknown }[] =>
  output
    .split(/\n|(?<=\})(?=\{"status":)/)
    .filter((text) => text.startsWith('{"status":'))
    .map((text) => JSON.parse(text) as { status: string })

interface Shell {
  readonly paste: (commands: string) => Promise<string>
  readonly end: () => Promise<void>
}

function startShell(directory: string): Shell {
  const { PATH, HOME, LANG } = process.env
  const env = { PATH, HOME, LANG, NODE_NO_WARNINGS: '1' }
  const shell = spawn('bash', ['-euo', 'pipefail'], { cwd: directory, env, detached: true, stdio: 'pipe' })
  const ended = once(shell, 'close')
  let errors = ''
  shell.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  const marks = createInterface(shell.stdout)[Symbol.asyncIterator]()
  let pasted = 0
  return {
    async paste(commands) {
      const file = join(directory, `.printed-${pasted++}`)
      shell.stdin.write(`{\n${commands}\n} > ${file}\necho\n`)
      const { done } = await marks.next()
      const output = readFileSync(file, 'utf8')
      assert(!done, `A command failed:\n${commands}\n${output}\n${errors}`)
      return output
    },
    async end() {
      try {
        process.kill(-(shell.pid ?? 0), 'SIGKILL') // With everything that runs in the background.
      } catch {
        // It has ended.
      }
      await ended
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
