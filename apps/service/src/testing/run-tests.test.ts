import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'

const passes = `import { test } from 'node:test'; test('passes', () => undefined)`

test('the tests of all files are counted, each with the hooks of its own file', () => {
  const file = `import { after, test } from 'node:test'; import './shared.ts'
    let ran = 0; after(() => { if (ran !== 2) throw new Error(ran + ' ran') })
    test('first', () => void ran++); await new Promise((done) => setTimeout(done, 20)); test('second', () => void ran++)`
  const shared = `await new Promise((done) => setTimeout(done, 50))`
  const { lines, status } = run({ 'a.test.ts': file, 'b.test.ts': file, 'c.campaign.ts': file, 'shared.ts': shared })
  assert.equal(lines.at(-1), '6 passed, 0 failed, 0 skipped')
  assert.equal(status, 0)
})

const failures = {
  'a test that fails': `import { test } from 'node:test'; test('fails', () => { throw new Error('so') })`,
  'a hook that fails': `import { after } from 'node:test'; after(() => { throw new Error('so') }); ${passes}`,
  'a file that cannot be loaded': `throw new Error('so')`,
  'a file without tests': `export const nothing = 1`,
  'a test that ends the process': `import { test } from 'node:test'; test('exits', () => process.exit(0)); test('never', () => undefined)`,
  'a process that is killed': `import { test } from 'node:test'; test('killed', () => process.kill(process.pid, 'SIGKILL'))`,
  'an error after the tests': `import { test } from 'node:test'; test('passes', () => void setTimeout(() => { throw new Error('so') }, 50))`,
}
for (const [what, file] of Object.entries(failures))
  test(`${what} makes the run fail, alone and among others that pass`, () => {
    assert.equal(run({ 'b.test.ts': file }).status, 1)
    const { lines, status } = run({ 'a.test.ts': passes, 'b.test.ts': file, 'c.campaign.ts': passes })
    assert.match(lines.at(-1) ?? '', / passed, 1 failed, 0 skipped$/)
    assert.match(lines.join('\n'), /b\.test\.ts/)
    assert.equal(status, 1)
  })

test('a pattern that matches no file makes the run fail', () => {
  assert.equal(run({ 'a.test.ts': passes }, ['*.test.ts', '*.campaign.ts']).status, 1)
})

/** Runs the files, whose names are relative to a directory of their own. */
function run(files: Record<string, string>, patterns = ['*.{test,campaign}.ts']): { lines: string[]; status: unknown } {
  const directory = mkdtempSync(join(tmpdir(), 'run-tests-'))
  try {
    for (const [name, text] of Object.entries({ 'package.json': '{"type":"module"}', ...files }))
      writeFileSync(join(directory, name), text)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env // With it, Node would report to a runner that is not there.
    const { stdout, status } = spawnSync(process.execPath, [`${import.meta.dirname}/run-tests.ts`, ...patterns], {
      cwd: directory,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return { lines: stdout.trimEnd().split('\n'), status }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
