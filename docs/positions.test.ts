/** The followers of react-to-changes.md are killed again and again while they store their position. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { blocksOf } from './testing/guide-blocks.ts'
import { workingDirectory } from './testing/run-guide.ts'

const page = readFileSync(join(import.meta.dirname, 'how-to/integrator/react-to-changes.md'), 'utf8')
const eventsPerAnswer = 500
let service: Server
let asked: number[] = []

/** Has events without end, so that a follower stores its position all the time. */
before(async () => {
  service = createServer((request, response) => {
    const number = Number(new URL(request.url ?? '', 'http://here').searchParams.get('after') ?? '0')
    asked.push(number)
    const data = Array.from({ length: eventsPerAnswer }, (_, i) => ({
      event_number: number + i + 1,
      event_type: 'order.created',
      event_datetime: '2026-11-15 09:30:00',
      order_id: 1,
      data: {},
    }))
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ status: 'ok', data }))
  })
  await once(service.listen(0, '127.0.0.1'), 'listening')
})
after(() => {
  service.closeAllConnections()
  service.close()
})

for (const [program, file, position, kills] of [
  ['node', 'follow.ts', 'last-event', 12],
  ['python3', 'follow.py', 'last-event-python', 12],
  ['php', 'follow.php', 'last-event-php', 12],
  ['java', 'Follow.java', 'last-event-java', 3], // Each start compiles it for seconds.
] as const) {
  const skip = spawnSync('which', [program]).status !== 0 && `${program} is missing.`
  test(
    `${file}: after ${kills} kills its position is a whole number, and it continues there`,
    { skip, timeout: 120_000 },
    async (t) => {
      const directory = workingDirectory()
      t.after(() => rmSync(directory, { recursive: true, force: true }))
      writeFileSync(join(directory, file), blocksOf(page).find((block) => block.file === file)?.code ?? '')
      const stored = (): string => readFileSync(join(directory, position), 'utf8')
      const env = { ...process.env, URL: `http://127.0.0.1:${(service.address() as AddressInfo).port}`, KEY: 'a key' }
      let last = 0
      for (let n = 0; n < kills; n++) {
        asked = []
        const child = spawn(program, [file], { cwd: directory, env, stdio: ['ignore', 'ignore', 'inherit'] })
        while (!existsSync(join(directory, position)) || (stored() === String(last) && child.exitCode === null))
          await sleep(5)
        await sleep(Math.random() * 60)
        child.kill('SIGKILL')
        await once(child, 'exit')
        assert.match(stored(), /^[1-9]\d*$/, `kill ${n + 1}`)
        assert.equal(asked[0], last)
        assert(Number(stored()) > last)
        last = Number(stored())
      }
    },
  )
}
