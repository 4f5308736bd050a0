/** Runs the commands and the program of docs/how-to/integrator/react-to-changes.md while orders are being placed. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { order } from '../../../service/src/testing/orders.ts'
import { makeWorld, type World } from '../../../service/src/testing/world.ts'
import { startService, type TestService } from '../../../service/src/testing/service.ts'
import { addFixtures } from '../../../service/src/testing/fixtures.ts'

const run = promisify(execFile)
const page = readFileSync(new URL('react-to-changes.md', import.meta.url), 'utf8')
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^\`]*(?:\`[^\`]+\`[^\`]*)*)^\`\`\``, 'gm'))].map(
    ([, block = '']) => block,
  )

interface Event {
  readonly event_number: number
  readonly event_type: string
}

let service: TestService
let world: World

before(async () => {
  service = await startService()
  await addFixtures(service)
  world = await makeWorld(service)
})
after(() => service.close())

test('the commands read the first events, the events after them, and wait for the next one', async () => {
  await order(world)
  const env = { PATH: process.env['PATH'], URL: `http://127.0.0.1:${service.port}`, KEY: world.me.key }
  const read = async (command: string | undefined): Promise<Event[]> => {
    const { stdout } = await run('bash', ['-euc', command ?? 'exit 1'], { env })
    return (JSON.parse(stdout) as { data: Event[] }).data
  }
  const [first, next, wait, ...more] = blocks('sh')
  assert.deepEqual(more, [])
  assert.deepEqual(
    (await read(first)).map(({ event_number, event_type }) => [event_number, event_type]),
    [
      [1, 'key.issued'],
      [2, 'order.created'],
    ],
  )
  assert.deepEqual(await read(next), [])
  const waiting = read(wait)
  await sleep(300)
  await order(world)
  assert.deepEqual(
    (await waiting).map(({ event_number, event_type }) => [event_number, event_type]),
    [[3, 'order.created']],
  )
})

test('the program handles every event once and continues where it stopped', async () => {
  const [program = ''] = blocks('js')
  const seen: number[] = []
  const stop = new Error('enough')
  const start = (until: number): Promise<void> => {
    const body = `return (async () => {${program}})()`
    const names = ['URL', 'KEY', 'loadLastNumber', 'handle', 'saveLastNumber', 'sleep', 'console']
    // oxlint-disable-next-line typescript/no-implied-eval -- Runs the program that the page shows.
    const programOf = new Function(...names, body) as (...values: unknown[]) => Promise<void>
    const save = (number: number): void => {
      seen.push(number)
      if (number === until) throw stop
    }
    const url = `http://127.0.0.1:${service.port}`
    return programOf(
      url,
      world.me.key,
      () => seen.at(-1) ?? 0,
      () => undefined,
      save,
      sleep,
      console,
    )
  }
  await assert.rejects(start(2), stop)
  const following = assert.rejects(start(5), stop)
  await order(world)
  await order(world)
  await following
  assert.deepEqual(seen, [1, 2, 3, 4, 5])
})
