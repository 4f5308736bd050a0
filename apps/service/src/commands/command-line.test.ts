/** Help, and wrong command lines: nothing is started, and nobody sees a stack trace. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { commands } from './command-line.ts'
import { mainFile } from '../testing/process.ts'

/** With a database that cannot be reached: a command that started would say so. */
function run(...args: string[]): { code: number | null; stdout: string; stderr: string } {
  const env = { PATH: process.env['PATH'], DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], { env, encoding: 'utf8' })
  return { code: status, stdout, stderr }
}

for (const [name, { about, options }] of Object.entries(commands)) {
  test(`${name} --help says what it does and lists its options, and does nothing`, () => {
    const { code, stdout, stderr } = run(name, '--help')
    assert.deepEqual([code, stderr], [0, ''])
    assert(stdout.startsWith(`${name}: ${about}\n\nUsage: node apps/service/src/main.ts ${name}`), stdout)
    for (const option of Object.keys(options)) assert(stdout.includes(`\n  --${option.replace('=', ' ')} `), option)
    assert.deepEqual(run(name, '-h'), { code, stdout, stderr })
  })

  test(`${name} refuses options and arguments that it does not know, with its help`, () => {
    const help = run(name, '--help').stdout
    assert.deepEqual(run(name, '--colour'), { code: 2, stdout: '', stderr: `Unknown option '--colour'.\n\n${help}` })
    const { code, stderr } = run(name, 'now')
    assert.deepEqual([code, stderr], [2, `Unexpected argument 'now'.\n\n${help}`])
  })
}

test('without a command, or with one that does not exist, all commands are listed', () => {
  const { code, stdout } = run('--help')
  assert.equal(code, 0)
  for (const [name, { about }] of Object.entries(commands))
    assert.match(stdout, new RegExp(`^  ${name} +${about}$`, 'm'))
  assert.deepEqual(run(), { code: 2, stdout: '', stderr: `A command is missing.\n\n${stdout}` })
  assert.deepEqual(run('start'), { code: 2, stdout: '', stderr: `There is no command 'start'.\n\n${stdout}` })
})
