/** The commands of the page about the fleet, in order. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { withoutPrograms } from 'pg-statements/testing-cluster.ts'
import { openTestFleet } from './testing-fleet.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/how-to/engineer/fleet.md'), 'utf8')
const blocks = [...page.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, code = '']) => code)

test('every command of the page succeeds', { skip: withoutPrograms }, async () => {
  const fleet = await openTestFleet()
  try {
    const { stdout } = await promisify(execFile)(
      'bash',
      ['--norc', '-euo', 'pipefail', '-O', 'expand_aliases', '-c', blocks.join('')],
      { cwd: root, env: { ...process.env, FLEET: fleet.file } },
    )
    const lines = stdout.trim().split('\n')
    assert.match(lines[0] ?? '', /^pso_\d+_[\w-]+$/)
    assert.equal(lines[1], 'acme\trunning\ta\tacme.example')
    assert.match(stdout, /"ready": true/)
    assert.match(stdout, /^0 distributors migrated$/m)
    assert.match(lines.at(-1) ?? '', /\/exports\/acme\.dump$/)
    assert.deepEqual([(await fleet.send('acme.example', 'GET', '/healthz')).status], [404])
  } finally {
    await fleet.close()
  }
})
